import { type Privilege, type StandardPrivilege, vendorPrivileges } from '#runtime/contract'

const flag = { type: 'boolean', readonly: true } as const

/** The schema of what is shown of somebody's privileges. */
export const heldPrivileges = Object.fromEntries(vendorPrivileges.map((each) => [each, flag])) as {
  readonly [P in Privilege]: typeof flag
}

export const roleIds = ['Administrator', 'Operator', 'ReadOnly'] as const

export type RoleId = (typeof roleIds)[number]

/** A predefined role (DSP0266 13.4.3): its standard privileges and the vendor's. */
export interface Role {
  readonly description: string
  readonly standard: readonly StandardPrivilege[]
  readonly vendor: readonly Privilege[]
}

export const roles: Readonly<Record<string, Role>> & Readonly<Record<RoleId, Role>> = {
  Administrator: {
    description: 'Configures everything but system recovery',
    standard: ['Login', 'ConfigureManager', 'ConfigureUsers', 'ConfigureComponents', 'ConfigureSelf'],
    vendor: [
      'HostBIOSConfigPriv',
      'HostNICConfigPriv',
      'HostStorageConfigPriv',
      'LoginPriv',
      'RemoteConsolePriv',
      'UserConfigPriv',
      'VirtualMediaPriv',
      'VirtualPowerAndResetPriv',
      'MgmtConfigPriv'
    ]
  },
  Operator: {
    description: 'Operates the host and its components',
    standard: ['Login', 'ConfigureComponents', 'ConfigureSelf'],
    vendor: [
      'HostBIOSConfigPriv',
      'HostNICConfigPriv',
      'HostStorageConfigPriv',
      'LoginPriv',
      'RemoteConsolePriv',
      'VirtualMediaPriv',
      'VirtualPowerAndResetPriv'
    ]
  },
  ReadOnly: {
    description: 'Reads everything and changes nothing but its own password',
    standard: ['Login', 'ConfigureSelf'],
    vendor: ['LoginPriv']
  }
}
