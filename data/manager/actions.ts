import type { Actions } from '#data/resource'

/** `ResetType` of the vendor's ResetToFactoryDefaults. */
export const factoryResetTypes = ['Default'] as const

/** The vendor's actions of a manager. */
export const managerActions = {
  'VendorMgmt.ClearHotKeys': {},
  'VendorMgmt.ClearNVRAM': {},
  'VendorMgmt.ClearRestApiState': {},
  'VendorMgmt.DisableCloudConnect': {},
  'VendorMgmt.DisableMgmtFunctionality': {},
  'VendorMgmt.EnableCloudConnect': {},
  'VendorMgmt.RequestFirmwareAndOsRecovery': {},
  'VendorMgmt.ResetToFactoryDefaults': { ResetType: factoryResetTypes }
} as const satisfies Actions
