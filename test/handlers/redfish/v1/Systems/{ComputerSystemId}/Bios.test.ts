import t from 'tap'
import {
  GET as get,
  PATCH,
  privileges,
  schema,
  unannounced
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Bios.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const params = { ComputerSystemId: '1' }
const uri = '/redfish/v1/Systems/1/Bios'
const attributes = { QuietBoot: true, UserPassword: null }
const current = { attributes, passwords: {}, transferredAt: '2025-06-01T11:00:00.000Z', messages: [] }
const tables = { biosCurrent: { 1: current } }
const failure = { key: 'Base.PropertyUnknown', args: ['Flux'], related: ['#/Attributes/Flux'] } as const

t.test('the current area shows the values that the BIOS runs with, and their registry', async (t) => {
  const shown = GET(context({ params, uri, tables }))
  t.match(shown, {
    AttributeRegistry: /^BiosAttributeRegistry/,
    Attributes: { QuietBoot: true, UserPassword: null },
    Actions: {
      '#Bios.ChangePassword': { 'PasswordName@Redfish.AllowableValues': ['Administrator', 'User'] },
      '#Bios.ResetBios': {}
    }
  })
})

t.test('before the first transfer there are no messages, and the time is that of the values', async (t) => {
  const settings = GET(context({ params, uri, tables }))['@Redfish.Settings']
  t.match(settings, {
    Messages: [],
    SettingsObject: { '@odata.id': `${uri}/Settings/` },
    SupportedApplyTimes: ['OnReset'],
    Time: '2025-06-01T11:00:00.000Z'
  })
})

t.test('messages of the last transfer have the version of the specification', async (t) => {
  const messages = [{ key: 'Base.Success', args: [] }, failure] as const
  const after = { biosCurrent: { 1: { ...current, messages, transferredAt: '2025-06-01T12:00:00.000Z' } } }
  t.match(GET(context({ params, uri, tables: after }))['@Redfish.Settings'], {
    Time: '2025-06-01T12:00:00.000Z',
    Messages: [
      { MessageId: 'Base.1.0.Success' },
      { MessageId: 'Base.1.0.PropertyUnknown', MessageArgs: ['Flux'], RelatedProperties: ['#/Attributes/Flux'] }
    ]
  })
})

t.test('passwords and their hashes are not in it', async (t) => {
  const set = { biosCurrent: { 1: { ...current, passwords: { User: 'pbkdf2-secret' } } } }
  t.notMatch(JSON.stringify(GET(context({ params, uri, tables: set }))), /secret/)
})

t.test('a PATCH is for the pending area', async (t) => {
  const outcome = await PATCH(context({ params, uri, tables, body: { Attributes: { QuietBoot: false } } }))
  t.match(outcome, {
    status: 200,
    messages: [{ key: 'Mgmt.SystemResetRequired' }],
    writes: { biosPending: { 1: { attributes: { QuietBoot: false }, reset: false } } }
  })
})

t.test('there are no BIOS settings but those of a system', async (t) => {
  const other = { ComputerSystemId: '2' }
  t.same(await refusal(() => GET(context({ params: other, tables }))), missing)
  t.same(await refusal(() => PATCH(context({ params: other, tables, body: { Attributes: {} } }))), missing)
})

t.test('changing takes HostBIOSConfigPriv, and is not announced', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' })
  t.same(unannounced, ['PATCH'])
})
