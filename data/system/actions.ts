import type { Actions } from '#data/resource'
import { pushTypes, systemResetTypes } from './system.ts'

/** The vendor's actions of a system. */
export const systemActions = {
  'VendorComputerSystemExt.PowerButton': { PushType: pushTypes },
  'VendorComputerSystemExt.RestoreManufacturingDefaults': {},
  'VendorComputerSystemExt.RestoreSystemDefaults': {},
  'VendorComputerSystemExt.SecureSystemErase': { SystemROMAndMgmtErase: 'boolean', UserDataErase: 'boolean' },
  'VendorComputerSystemExt.ServerIntelligentDiagnosticsMode': {},
  'VendorComputerSystemExt.ServerSafeMode': {},
  'VendorComputerSystemExt.SystemReset': { ResetType: systemResetTypes }
} as const satisfies Actions
