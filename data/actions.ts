import { pushTypes, systemResetTypes } from './systems.ts'

/** Actions by name: the parameters of each that take one of a few values, with these values. */
type Actions = { readonly [name: string]: { readonly [parameter: string]: readonly string[] } }

type Allowable<P> = `${P & string}@Redfish.AllowableValues`

const flags = ['true', 'false'] as const

/** `ResetType` of the vendor's ResetToFactoryDefaults. */
export const factoryResetTypes = ['Default'] as const

/** The vendor's actions of a system. */
export const systemActions = {
  'VendorComputerSystemExt.PowerButton': { PushType: pushTypes },
  'VendorComputerSystemExt.RestoreManufacturingDefaults': {},
  'VendorComputerSystemExt.RestoreSystemDefaults': {},
  'VendorComputerSystemExt.SecureSystemErase': { SystemROMAndMgmtErase: flags, UserDataErase: flags },
  'VendorComputerSystemExt.ServerIntelligentDiagnosticsMode': {},
  'VendorComputerSystemExt.ServerSafeMode': {},
  'VendorComputerSystemExt.SystemReset': { ResetType: systemResetTypes }
} as const satisfies Actions

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

/** The vendor's actions of the account service. */
export const accountActions = { 'VendorAccountService.ImportKerberosKeytab': {} } as const satisfies Actions

const values = { type: 'array', items: { type: 'string' }, readonly: true } as const
const target = { type: 'string', readonly: true } as const

/** The schema of the vendor's `Actions` object. */
export function vendorActions<const A extends Actions>(actions: A) {
  const properties = Object.entries(actions).map(([name, parameters]) => {
    const allowable = Object.keys(parameters).map((each) => [`${each}@Redfish.AllowableValues`, values])
    return [
      `#${name}`,
      { type: 'object', required: ['target'], properties: { target, ...Object.fromEntries(allowable) } }
    ]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as {
      readonly [N in keyof A as `#${N & string}`]: {
        readonly type: 'object'
        readonly required: readonly ['target']
        readonly properties: { readonly target: typeof target } & {
          readonly [P in keyof A[N] as Allowable<P>]: typeof values
        }
      }
    }
  } as const
}

/** The vendor's actions as a resource offers them: where they are, and what their parameters may be. */
export function offerActions<const A extends Actions>(uri: string, actions: A) {
  const offers = Object.entries(actions).map(([name, parameters]) => {
    const allowable = Object.entries(parameters).map(([each, list]) => [`${each}@Redfish.AllowableValues`, list])
    return [`#${name}`, { target: `${uri}/Actions/Oem/Vendor/${name}/`, ...Object.fromEntries(allowable) }]
  })
  return Object.fromEntries(offers) as {
    [N in keyof A as `#${N & string}`]: { target: string } & { [P in keyof A[N] as Allowable<P>]: readonly string[] }
  }
}
