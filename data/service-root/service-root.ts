import { managerUri } from '#data/manager'
import { child, flag, integer, oem, status, text } from '#data/resource'
import { systemUri } from '#data/system'
import { runningVersion } from '#data/updates'
import { type Context, constant, list, object } from '#runtime/contract'

/** Of the specification that the service conforms to (DSP0266). */
export const redfishVersion = '1.17.0'

const yes = constant(flag, true)

/** The query options that the service supports (DSP0266 7.3). A configuration says how many levels `$expand` has. */
export const protocolFeatures = object({
  ExpandQuery: object({ ExpandAll: yes, Levels: yes, Links: yes, MaxLevels: integer, NoLinks: yes }),
  FilterQuery: yes,
  FilterQueryComparisonOperations: yes,
  FilterQueryCompoundOperations: yes,
  MultipleHTTPRequests: yes,
  OnlyMemberQuery: yes,
  SelectQuery: yes,
  TopSkipQuery: yes,
  ExcerptQuery: constant(flag, false)
})

/** The services and collections that the service root and the OData service document link to. */
export const services = {
  AccountService: child('AccountService'),
  CertificateService: child('CertificateService'),
  Chassis: child('Chassis'),
  ComponentIntegrity: child('ComponentIntegrity'),
  EventService: child('EventService'),
  JsonSchemas: child('schemas'),
  LicenseService: child('LicenseService'),
  Managers: child('Managers'),
  Registries: child('Registries'),
  SessionService: child('SessionService'),
  Systems: child('Systems'),
  Tasks: child('TaskService'),
  TelemetryService: child('TelemetryService'),
  UpdateService: child('UpdateService')
}

export const vendorServiceRoot = oem('VendorServiceRoot.v1_0_0', {
  DebugCode: constant(flag, false),
  DevSystem: constant(flag, false),
  Links: constant(object({ ResourceDirectory: child('ResourceDirectory') }), {}),
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
    LoginHint: constant(object({ Hint: text, HintPOSTData: object({ UserName: text, Password: text }) }), {
      Hint: 'Log in with a POST of this form to SessionService/Sessions',
      HintPOSTData: { UserName: 'user name', Password: 'password' }
    })
  }),
  System: list(object({ Status: status })),
  Time: { type: 'string', format: 'date-time', readonly: true }
})

/**
 * By what the vendor's tools tell a controller apart before they log in.
 *
 * @param loginDelay seconds
 */
export function identification(
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
      LoginFailureDelay: loginDelay
    },
    System: Object.keys(systems).map((id) => ({ Status: overall(systemUri(id)) })),
    Time: time
  }
}
