import { actions } from '#data/resource'
import { object } from '#runtime/schema'
import { pushTypes, systemResetTypes } from './system.ts'

/** The parameters of the vendor's actions of a system. */
export const powerButton = object(['PushType'], { PushType: { type: 'string', enum: pushTypes } })
export const secureErase = object({ SystemROMAndMgmtErase: { type: 'boolean' }, UserDataErase: { type: 'boolean' } })
export const systemReset = object(['ResetType'], { ResetType: { type: 'string', enum: systemResetTypes } })

/** The vendor's actions of a system. */
export const systemActions = actions({
  'VendorComputerSystemExt.PowerButton': powerButton,
  'VendorComputerSystemExt.RestoreManufacturingDefaults': {},
  'VendorComputerSystemExt.RestoreSystemDefaults': {},
  'VendorComputerSystemExt.SecureSystemErase': secureErase,
  'VendorComputerSystemExt.SendBreak': {},
  'VendorComputerSystemExt.ServerIntelligentDiagnosticsMode': {},
  'VendorComputerSystemExt.ServerSafeMode': {},
  'VendorComputerSystemExt.SystemReset': systemReset
})
