import t from 'tap'
import { standardVendor } from '#data/resource'
import { GET as get, privileges, schema } from '#handlers/redfish/v1.ts'
import { completed, context } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const root = GET(context({ uri: '/redfish/v1' }))

t.test('the root links the services in their canonical form', async (t) => {
  t.match(root, {
    AccountService: { '@odata.id': '/redfish/v1/AccountService/' },
    Chassis: { '@odata.id': '/redfish/v1/Chassis/' },
    ComponentIntegrity: { '@odata.id': '/redfish/v1/ComponentIntegrity/' },
    JsonSchemas: { '@odata.id': '/redfish/v1/schemas/' },
    Managers: { '@odata.id': '/redfish/v1/Managers/' },
    Registries: { '@odata.id': '/redfish/v1/Registries/' },
    SessionService: { '@odata.id': '/redfish/v1/SessionService/' },
    Systems: { '@odata.id': '/redfish/v1/Systems/' },
    Tasks: { '@odata.id': '/redfish/v1/TaskService/' },
    Links: {
      ComponentIntegrity: { '@odata.id': '/redfish/v1/ComponentIntegrity/' },
      Sessions: { '@odata.id': '/redfish/v1/SessionService/Sessions/' }
    },
    Oem: { Vendor: { Links: { ResourceDirectory: { '@odata.id': '/redfish/v1/ResourceDirectory/' } } } }
  })
})

t.test('the root says which product it is', async (t) => {
  t.match(root, {
    Product: 'RS220 Gen3',
    [standardVendor]: 'Vendor',
    UUID: '5e7d2a90-6b34-4f8e-8c21-d40f9b7713aa',
    RedfishVersion: /^1\.\d+\.\d+$/
  })
  t.match(root.Oem?.Vendor, {
    DebugCode: false,
    DevSystem: false,
    Manager: [{ ManagerType: 'Mgmt 6', ManagerFirmwareVersion: '1.62', Status: { Health: 'OK' } }],
    Moniker: { PRODGEN: 'Mgmt 6', VENDABR: 'Vendor', BMC: 'Mgmt' },
    System: [{ Status: { Health: 'OK' } }],
    Time: '2025-06-01T12:00:00.000Z'
  })
})

t.test('a login after failures waits as long as the account service says', async (t) => {
  const tables = { accountService: { settings: { lockoutDuration: 90 } } }
  t.equal(GET(context({ tables })).Oem?.Vendor?.Sessions?.LoginFailureDelay, 90)
})

t.test('the root names the maximum depth of an expansion', async (t) => {
  const { configuration } = context()
  const limited = { ...configuration, limits: { ...configuration.limits, expandLevels: 2 } }
  t.equal(GET(context({ configuration: limited })).ProtocolFeaturesSupported?.ExpandQuery?.MaxLevels, 2)
})

t.test('anybody may read the root', async (t) => {
  t.same(privileges, { GET: 'NoAuth' })
})
