import t from 'tap'
import { DELETE, GET, owner, privileges } from '#handlers/redfish/v1/SessionService/Sessions/{SessionId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { SessionId: 'op-1' }
const createdAt = Date.parse('2025-06-01T11:00:00Z')
const session = { user: 'op', token: 'digest', createdAt, accessedAt: createdAt, address: '198.51.100.7' }
const tables = { session: { 'op-1': session }, account: { op: { name: 'op', role: 'Operator' } } }

t.test('a session says whose it is, since when, until when and with which privileges', async (t) => {
  const accessed = () => createdAt + 60_000
  t.match(GET(context({ params, tables, accessed })), {
    UserName: 'op',
    Roles: ['Operator'],
    ClientOriginIPAddress: '198.51.100.7',
    Oem: {
      Vendor: {
        LoginTime: '2025-06-01T11:00:00.000Z',
        AccessTime: '2025-06-01T11:01:00.000Z',
        UserExpires: '2025-06-01T11:31:00.000Z',
        UserIP: '198.51.100.7',
        UserTag: 'REST',
        UserType: 'Local'
      }
    }
  })
  t.same(GET(context({ params, tables })).Oem?.Vendor?.Privileges, {
    HostBIOSConfigPriv: true,
    HostNICConfigPriv: true,
    HostStorageConfigPriv: true,
    LoginPriv: true,
    RemoteConsolePriv: true,
    SystemRecoveryConfigPriv: false,
    UserConfigPriv: false,
    VirtualMediaPriv: true,
    VirtualPowerAndResetPriv: true,
    MgmtConfigPriv: false
  })
})

t.test('a session expires by the time that a client set', async (t) => {
  const set = { ...tables, sessionService: { settings: { timeout: 30 } } }
  t.equal(GET(context({ params, tables: set })).Oem?.Vendor?.UserExpires, '2025-06-01T11:00:30.000Z')
})

t.test('MySession is true in the caller’s own session alone', async (t) => {
  const mine = (session: string) =>
    GET(context({ params, tables, caller: { user: 'op', session } })).Oem?.Vendor?.MySession
  t.equal(mine('op-1'), true)
  t.equal(mine('op-2'), false)
  t.equal(GET(context({ params, tables })).Oem?.Vendor?.MySession, false, 'not with HTTP Basic')
})

t.test('the initial role belongs to the profile verbose', async (t) => {
  t.notOk('InitialRole' in (GET(context({ params, tables })).Oem?.Vendor ?? {}))
  const verbose = GET(context({ params, tables, configuration: { profile: 'verbose' } }))
  t.equal(verbose.Oem?.Vendor?.InitialRole, 'Operator')
})

t.test('the token is nowhere in it', async (t) => {
  t.notMatch(JSON.stringify(GET(context({ params, tables }))), /digest|Token/)
})

t.test('a session can be ended', async (t) => {
  t.match(await DELETE(context({ params, tables })), { status: 200, writes: { session: { 'op-1': null } } })
})

t.test('a session that there is not cannot be read or ended', async (t) => {
  const gone = context({ params: { SessionId: 'op-2' }, tables })
  t.same(await refusal(() => GET(gone)), missing)
  t.same(await refusal(() => DELETE(gone)), missing)
})

t.test('a session service that is switched off ends no session', async (t) => {
  const off = { ...tables, sessionService: { settings: { enabled: false } } }
  t.same(await refusal(() => DELETE(context({ params, tables: off }))), {
    status: 503,
    messages: [['Base.ServiceDisabled', '/redfish/v1/SessionService/']]
  })
})

t.test('a session is its user’s: others need UserConfigPriv to end it', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', DELETE: ['UserConfigPriv', 'ConfigureSelf'] })
  t.equal(owner(context({ params, tables })), 'op')
  t.equal(owner(context({ params: { SessionId: 'op-2' }, tables })), undefined)
})
