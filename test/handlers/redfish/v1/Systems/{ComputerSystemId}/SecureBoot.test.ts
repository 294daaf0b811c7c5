import t from 'tap'
import {
  exists,
  GET as get,
  PATCH,
  privileges,
  schema
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot.ts'
import { withoutVariables } from '#test/data/board/without-variables.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'
import { enable, global, variable, x509 } from '#test/handlers/keys.ts'

const GET = completed(schema, get)

const uri = '/redfish/v1/Systems/1/SecureBoot'
const params = { ComputerSystemId: '1' }
const variables = { [`${global}/PK`]: variable(x509()) }
const off = { [enable]: { attributes: 3, data: Uint8Array.of(0) } }

t.test('without a platform key a host is in setup mode, and secure boot is off', async (t) => {
  const shown = { SecureBootCurrentBoot: 'Disabled', SecureBootEnable: false, SecureBootMode: 'SetupMode' }
  t.match(GET(context({ uri, params })), shown)
})

t.test('with a platform key it is in user mode, and SecureBootEnable applies', async (t) => {
  t.match(GET(context({ uri, params, variables })), { SecureBootEnable: true, SecureBootMode: 'UserMode' })
  t.match(GET(context({ uri, params, variables: { ...variables, ...off } })), {
    SecureBootEnable: false,
    SecureBootMode: 'UserMode'
  })
})

t.test('SecureBootCurrentBoot is the state that the host booted with', async (t) => {
  const tables = { secureBoot: { 1: { current: 'Enabled' } } } as const
  t.match(GET(context({ uri, params, tables })), { SecureBootCurrentBoot: 'Enabled', SecureBootEnable: false })
})

t.test('the databases and the action are linked', async (t) => {
  t.match(GET(context({ uri, params })), {
    SecureBootDatabases: { '@odata.id': `${uri}/SecureBootDatabases/` },
    Actions: {
      '#SecureBoot.ResetKeys': {
        'ResetKeysType@Redfish.AllowableValues': ['ResetAllKeysToDefault', 'DeleteAllKeys', 'DeletePK']
      }
    }
  })
})

t.test('secure boot is enabled and disabled as a variable that waits for the next boot', async (t) => {
  for (const [SecureBootEnable, data] of [
    [true, '01'],
    [false, '00']
  ] as const) {
    const outcome = await PATCH(context({ uri, params, variables, body: { SecureBootEnable } }))
    t.match(outcome.messages, [{ key: 'Mgmt.SystemResetRequired' }])
    t.same(outcome.writes, { variable: { [`1/${enable}`]: { attributes: 3, data } } })
  }
})

t.test('secure boot cannot be enabled without a platform key', async (t) => {
  t.same(await refusal(() => PATCH(context({ uri, params, body: { SecureBootEnable: true } }))), {
    status: 409,
    messages: [['Mgmt.PlatformKeyRequired']]
  })
})

t.test('nothing is promised while the store of the variables is not sound', async (t) => {
  const nvram = { health: { state: 'damaged', faults: ['blank'] } } as const
  const given = context({ uri, params, variables, nvram, body: { SecureBootEnable: false } })
  t.same(await refusal(() => PATCH(given)), { status: 503, messages: [['Mgmt.DeviceNotAvailable']] })
})

t.test('without variables it is what the firmware tells, and changes there', async (t) => {
  const { board: whole } = context().machine
  const board = withoutVariables(whole)
  const told = { current: null, enabled: false, mode: 'AuditMode' } as const
  const given = { uri, params, board, tables: { secureBoot: { 1: told } } }
  t.match(get(context(given)), { SecureBootCurrentBoot: null, SecureBootEnable: false, SecureBootMode: 'AuditMode' })
  t.ok(exists(context(given)))
  const outcome = await PATCH(context({ ...given, body: { SecureBootEnable: true } }))
  t.same(outcome.writes, { secureBoot: { 1: { enabled: true } } })
  const untold = { ...given, tables: { secureBoot: { 1: { current: null, enabled: null, mode: null } } } }
  t.notOk(exists(context(untold)))
  t.same(await refusal(() => get(context(untold))), missing)
})

t.test('a system that is not there has no secure boot', async (t) => {
  const elsewhere = { ComputerSystemId: '2' }
  t.same(await refusal(() => GET(context({ params: elsewhere }))), missing)
  t.same(await refusal(() => PATCH(context({ params: elsewhere, body: { SecureBootEnable: false } }))), missing)
})

t.test('reading takes a login, changing the privilege for the BIOS', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' })
})
