/** Features that need a license. */
export const features = ['CertificateLogin'] as const

export type Feature = (typeof features)[number]
/** The vendor's privileges: the booleans of a session's `Oem.Vendor.Privileges`. */
export const vendorPrivileges = [
  'HostBIOSConfigPriv',
  'HostNICConfigPriv',
  'HostStorageConfigPriv',
  'LoginPriv',
  'RemoteConsolePriv',
  'SystemRecoveryConfigPriv',
  'UserConfigPriv',
  'VirtualMediaPriv',
  'VirtualPowerAndResetPriv',
  'MgmtConfigPriv'
] as const

export type Privilege = (typeof vendorPrivileges)[number]

/** A privilege of a caller: one of the vendor's, or the standard privilege to change one's own account. */
export type HeldPrivilege = Privilege | 'ConfigureSelf'

/** DSP0266 13.4.2. */
export const standardPrivileges = [
  'Login',
  'ConfigureManager',
  'ConfigureUsers',
  'ConfigureComponents',
  'ConfigureSelf'
] as const

export type StandardPrivilege = (typeof standardPrivileges)[number]
