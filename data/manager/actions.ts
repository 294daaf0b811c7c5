import { actions } from '#data/resource'
import { object } from '#runtime/schema'

/** The parameters of the vendor's reset to the factory's defaults. */
export const factoryReset = object(['ResetType'], { ResetType: { type: 'string', enum: ['Default'] } })

/** The vendor's actions of a manager. */
export const managerActions = actions({
  'VendorMgmt.ClearHotKeys': {},
  'VendorMgmt.ClearNVRAM': {},
  'VendorMgmt.ClearRestApiState': {},
  'VendorMgmt.DisableCloudConnect': {},
  'VendorMgmt.DisableMgmtFunctionality': {},
  'VendorMgmt.EnableCloudConnect': {},
  'VendorMgmt.RequestFirmwareAndOsRecovery': {},
  'VendorMgmt.ResetToFactoryDefaults': factoryReset
})
