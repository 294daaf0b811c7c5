import { managerUri } from '#data/manager'
import { flag, integer, oem, reference, status, text } from '#data/resource'
import { systemUri } from '#data/system'
import { runningVersion } from '#data/updates'
import { type Context, list, object } from '#runtime/contract'

/** Of the specification that the service conforms to (DSP0266). */
export const redfishVersion = '1.17.0'

export const protocolFeatures = object({
  ExpandQuery: object({
    ExpandAll: flag,
    Levels: flag,
    Links: flag,
    MaxLevels: integer,
    NoLinks: flag
  }),
  FilterQuery: flag,
  FilterQueryComparisonOperations: flag,
  FilterQueryCompoundOperations: flag,
  MultipleHTTPRequests: flag,
  OnlyMemberQuery: flag,
  SelectQuery: flag,
  TopSkipQuery: flag,
  ExcerptQuery: flag
})

/** The query options that the service supports (DSP0266 7.3). */
export function supportedFeatures(levels: number) {
  return {
    ExpandQuery: { ExpandAll: true, Levels: true, Links: true, MaxLevels: levels, NoLinks: true },
    FilterQuery: true,
    FilterQueryComparisonOperations: true,
    FilterQueryCompoundOperations: true,
    MultipleHTTPRequests: true,
    OnlyMemberQuery: true,
    SelectQuery: true,
    TopSkipQuery: true,
    ExcerptQuery: false
  }
}

export const vendorServiceRoot = oem('VendorServiceRoot.v1_0_0', {
  DebugCode: flag,
  DevSystem: flag,
  Links: object({ ResourceDirectory: reference }),
  Manager: list(
    object({
      ManagerType: text,
      ManagerFirmwareVersion: text,
      Languages: list(object({ Language: text, TranslationName: text })),
      Status: status
    })
  ),
  Moniker: object({
    BMC: text,
    PRODABR: text,
    PRODFAM: text,
    PRODGEN: text,
    PRODNAM: text,
    PRODTAG: text,
    VENDABR: text,
    VENDNAM: text
  }),
  Sessions: object({
    LocalLoginEnabled: flag,
    LoginFailureDelay: integer,
    LoginHint: object({
      Hint: text,
      HintPOSTData: object({ UserName: text, Password: text })
    })
  }),
  System: list(object({ Status: status })),
  Time: { type: 'string', format: 'date-time', readonly: true }
})

/**
 * By what the vendor's tools tell a controller apart before they log in.
 *
 * @param uri of the service root, without a trailing slash
 * @param loginDelay seconds
 */
export function identification(
  uri: string,
  { machine, health }: Pick<Context, 'machine' | 'health'>,
  loginDelay: number,
  time: string
) {
  const { systems, managers } = machine.board
  // Clients without a login see the health, but not the conditions.
  const overall = (part: string) => {
    const { HealthRollup } = health(part)
    return { Health: HealthRollup, HealthRollup }
  }
  const model = Object.values(managers)[0]?.model ?? 'Mgmt'
  return {
    DebugCode: false,
    DevSystem: false,
    Links: { ResourceDirectory: { '@odata.id': `${uri}/ResourceDirectory/` } },
    Manager: Object.entries(managers).map(([id, manager]) => ({
      ManagerType: manager.model,
      ManagerFirmwareVersion: runningVersion(machine, `Manager-${id}`, manager.firmwareVersion),
      Languages: [{ Language: 'en', TranslationName: 'English' }],
      Status: overall(managerUri(id))
    })),
    Moniker: {
      BMC: 'Mgmt',
      PRODABR: 'Mgmt',
      PRODFAM: 'Mgmt',
      PRODGEN: model,
      PRODNAM: model,
      PRODTAG: `Vendor ${model}`,
      VENDABR: 'Vendor',
      VENDNAM: 'Vendor'
    },
    Sessions: {
      LocalLoginEnabled: true,
      LoginFailureDelay: loginDelay,
      LoginHint: {
        Hint: 'Log in with a POST of this form to SessionService/Sessions',
        HintPOSTData: { UserName: 'user name', Password: 'password' }
      }
    },
    System: Object.keys(systems).map((id) => ({ Status: overall(systemUri(id)) })),
    Time: time
  }
}
