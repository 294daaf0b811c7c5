import { accountPolicy, oem, reference, resource, standardVendor, status } from '#data'
import { type Context, type Get, link, type Schema } from '#runtime'

const flag = { type: 'boolean', readonly: true } as const
const text = { type: 'string', readonly: true } as const

export const schema = {
  title: '#ServiceRoot.v1_17_0.ServiceRoot',
  type: 'object',
  required: [...resource.required, 'Links'],
  properties: {
    ...resource.properties,
    RedfishVersion: text,
    UUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
    Product: { type: 'string', nullable: true, readonly: true },
    [standardVendor]: { type: 'string', nullable: true, readonly: true },
    ProtocolFeaturesSupported: {
      type: 'object',
      properties: {
        ExpandQuery: {
          type: 'object',
          properties: {
            ExpandAll: flag,
            Levels: flag,
            Links: flag,
            MaxLevels: { type: 'integer', readonly: true },
            NoLinks: flag
          }
        },
        FilterQuery: flag,
        FilterQueryComparisonOperations: flag,
        FilterQueryCompoundOperations: flag,
        OnlyMemberQuery: flag,
        SelectQuery: flag,
        TopSkipQuery: flag,
        ExcerptQuery: flag
      }
    },
    AccountService: reference,
    Chassis: reference,
    ComponentIntegrity: reference,
    JsonSchemas: reference,
    Managers: reference,
    Registries: reference,
    SessionService: reference,
    Systems: reference,
    Tasks: reference,
    Links: {
      type: 'object',
      required: ['Sessions'],
      properties: { ComponentIntegrity: reference, Sessions: reference }
    },
    Oem: oem('VendorServiceRoot.v1_0_0.VendorServiceRoot', {
      DebugCode: flag,
      DevSystem: flag,
      Links: { type: 'object', properties: { ResourceDirectory: reference } },
      Manager: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            ManagerType: text,
            ManagerFirmwareVersion: text,
            Languages: {
              type: 'array',
              items: { type: 'object', properties: { Language: text, TranslationName: text } }
            },
            Status: status
          }
        }
      },
      Moniker: {
        type: 'object',
        properties: {
          BMC: text,
          PRODABR: text,
          PRODFAM: text,
          PRODGEN: text,
          PRODNAM: text,
          PRODTAG: text,
          VENDABR: text,
          VENDNAM: text
        }
      },
      Sessions: {
        type: 'object',
        properties: {
          LocalLoginEnabled: flag,
          LoginFailureDelay: { type: 'integer', readonly: true },
          LoginHint: {
            type: 'object',
            properties: {
              Hint: text,
              HintPOSTData: {
                type: 'object',
                properties: { UserName: text, Password: text }
              }
            }
          }
        }
      },
      System: { type: 'array', items: { type: 'object', properties: { Status: status } } },
      Time: { type: 'string', format: 'date-time', readonly: true }
    })
  }
} as const satisfies Schema

export const privileges = { GET: 'NoAuth' } as const

export const GET: Get<typeof schema> = (context) => {
  const { uri, machine, configuration } = context
  const systems = Object.values(machine.board.systems)
  const managers = Object.values(machine.board.managers)
  return {
    Id: 'RootService',
    Name: 'Root service',
    RedfishVersion: '1.17.0',
    UUID: managers[0]?.serviceEntryPointUuid ?? null,
    Product: systems[0]?.model ?? null,
    [standardVendor]: systems[0]?.manufacturer ?? null,
    ProtocolFeaturesSupported: {
      ExpandQuery: {
        ExpandAll: true,
        Levels: true,
        Links: true,
        MaxLevels: configuration.limits.expandLevels,
        NoLinks: true
      },
      FilterQuery: true,
      FilterQueryComparisonOperations: true,
      FilterQueryCompoundOperations: true,
      OnlyMemberQuery: true,
      SelectQuery: true,
      TopSkipQuery: true,
      ExcerptQuery: false
    },
    AccountService: link(`${uri}/AccountService`),
    Chassis: link(`${uri}/Chassis`),
    ComponentIntegrity: link(`${uri}/ComponentIntegrity`),
    JsonSchemas: link(`${uri}/schemas`),
    Managers: link(`${uri}/Managers`),
    Registries: link(`${uri}/Registries`),
    SessionService: link(`${uri}/SessionService`),
    Systems: link(`${uri}/Systems`),
    Tasks: link(`${uri}/TaskService`),
    Links: {
      ComponentIntegrity: link(`${uri}/ComponentIntegrity`),
      Sessions: link(`${uri}/SessionService/Sessions`)
    },
    Oem: { Vendor: identify(context) }
  }
}

/** By what the vendor's tools tell a controller apart before they log in. */
function identify({ uri, machine, state, configuration, now }: Context) {
  const { systems, managers } = machine.board
  const model = Object.values(managers)[0]?.model ?? 'Mgmt'
  return {
    '@odata.type': '#VendorServiceRoot.v1_0_0.VendorServiceRoot',
    DebugCode: false,
    DevSystem: false,
    Links: { ResourceDirectory: link(`${uri}/ResourceDirectory`) },
    Manager: Object.values(managers).map((manager) => ({
      ManagerType: manager.model,
      ManagerFirmwareVersion: manager.firmwareVersion,
      Languages: [{ Language: 'en', TranslationName: 'English' }],
      Status: { Health: 'OK' as const }
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
      LoginFailureDelay: accountPolicy(state.get('accountService', 'settings'), configuration).lockoutDuration,
      LoginHint: {
        Hint: 'Log in with a POST of this form to SessionService/Sessions',
        HintPOSTData: { UserName: 'user name', Password: 'password' }
      }
    },
    System: Object.keys(systems).map(() => ({ Status: { Health: 'OK' as const } })),
    Time: now().toISOString()
  }
}
