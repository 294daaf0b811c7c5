import t from 'tap'
import { GET, POST, privileges } from '#handlers/redfish/v1/SessionService/Sessions.ts'
import { badRequest, context, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/SessionService/Sessions'
const noon = Date.parse('2025-06-01T12:00:00Z')
const login = { UserName: 'admin', Password: 'right' }
const account = { name: 'admin', role: 'Administrator', enabled: true, passwordChangeRequired: false }
const limited = { ...context().configuration, limits: { ...context().configuration.limits, sessions: 2 } }

function session(accessedAt: number) {
  return { user: 'admin', token: '', createdAt: accessedAt, accessedAt, address: '192.0.2.1' }
}

t.test('the collection names every session, and the caller’s own', async (t) => {
  const tables = { session: { 'admin-1': session(noon), 'admin-2': session(noon) } }
  t.match(GET(context({ uri, tables, caller: { session: 'admin-2' } })), {
    Members: [{ '@odata.id': `${uri}/admin-1/` }, { '@odata.id': `${uri}/admin-2/` }],
    Oem: { Vendor: { Links: { MySession: { '@odata.id': `${uri}/admin-2/` } } } }
  })
})

t.test('a caller with HTTP Basic has a session by the name of the user', async (t) => {
  t.same(GET(context({ uri })).Oem?.Vendor?.Links, { MySession: { '@odata.id': `${uri}/admin/` } })
})

t.test('a login makes a session, and the token leaves in the header alone', async (t) => {
  const passwords = { admin: 'right' }
  const outcome = await POST(context({ uri, body: login, passwords, tables: { account: { admin: account } } }))
  const token = 'ab'.repeat(16)
  t.match(outcome, {
    status: 201,
    messages: [{ key: 'Base.Created' }],
    location: `${uri}/admin-abababababababab`,
    headers: { 'X-Auth-Token': token },
    show: { user: 'admin', role: 'Administrator', session: 'admin-abababababababab' }
  })
  t.same(outcome.writes, {
    session: {
      'admin-abababababababab': {
        user: 'admin',
        generation: undefined,
        token: `digest of ${token}`,
        createdAt: noon,
        accessedAt: noon,
        address: '192.0.2.1'
      }
    }
  })
})

t.test('a login is refused whose account changed while its password was checked', async (t) => {
  const tables = { account: { admin: { ...account, generation: 'second' } } }
  const caller = { user: 'admin', generation: 'first' }
  const messages = await refusal(() => POST(context({ uri, body: {}, caller, tables })))
  t.same(messages, { status: 401, messages: [['Mgmt.UnauthorizedLoginAttempt']] })
})

t.test('a wrong password creates no session', async (t) => {
  t.same(await refusal(() => POST(context({ uri, body: login, passwords: { admin: 'other' } }))), {
    status: 401,
    messages: [['Mgmt.UnauthorizedLoginAttempt']]
  })
})

t.test('a user who has to change the password gets a session and the URI of the account', async (t) => {
  const tables = { account: { admin: { ...account, passwordChangeRequired: true } } }
  const outcome = await POST(context({ uri, body: login, passwords: { admin: 'right' }, tables }))
  t.equal(outcome.status, 201)
  t.match(outcome.messages, [
    { key: 'Base.PasswordChangeRequired', args: ['/redfish/v1/AccountService/Accounts/admin/'] }
  ])
})

t.test('a login beyond the limit is refused until the first session expires', async (t) => {
  const tables = { account: { admin: account }, session: { a: session(noon - 1000_000), b: session(noon) } }
  const beyond = context({ uri, body: login, passwords: { admin: 'right' }, tables, configuration: limited })
  t.same(await refusal(() => POST(beyond)), {
    status: 503,
    messages: [['Base.SessionLimitExceeded']],
    headers: { 'Retry-After': '800' }
  })
})

t.test('a user who manages no accounts has a quarter of the sessions at most, and leaves an eighth', async (t) => {
  const eight = { ...limited, limits: { ...limited.limits, sessions: 8 } }
  const operator = { ...account, role: 'Operator' }
  const of = (user: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${user}${index}`, { ...session(noon), user }]))
  for (const [own, others, status] of [
    [1, 5, 201],
    [2, 0, 503],
    [1, 6, 503]
  ] as const) {
    const tables = { account: { admin: operator }, session: { ...of('admin', own), ...of('other', others) } }
    const given = { uri, body: login, passwords: { admin: 'right' }, tables, configuration: eight }
    const outcome = await refusal(() => POST(context(given))).catch(() => ({ status: 201 }))
    t.equal(outcome.status, status, `${own} of ${own + others}`)
  }
})

t.test('expired sessions make room for a login', async (t) => {
  const tables = { account: { admin: account }, session: { a: session(noon - 1800_000), b: session(noon) } }
  const full = context({ uri, body: login, passwords: { admin: 'right' }, tables, configuration: limited })
  const { status, writes } = await POST(full)
  t.equal(status, 201)
  t.same(Object.keys(writes?.session ?? {}), ['a', 'admin-abababababababab'])
  t.equal(writes?.session?.a, null)
})

t.test('a session in use is not expired, whatever its record says', async (t) => {
  const tables = { account: { admin: account }, session: { a: session(noon - 1800_000), b: session(noon) } }
  const used = { uri, body: login, passwords: { admin: 'right' }, tables, configuration: limited }
  const messages = await refusal(() => POST(context({ ...used, accessed: (id) => noon - (id === 'a' ? 5000 : 0) })))
  t.match(messages, { status: 503, headers: { 'Retry-After': '1795' } })
})

t.test('an empty body is a login by the certificate of the connection', async (t) => {
  const caller = { user: 'lena', role: 'Operator' }
  const tables = { account: { lena: { ...account, name: 'lena', role: 'Operator' } } }
  const made = await POST(context({ uri, body: {}, caller, tables }))
  t.match(made, { status: 201, show: { user: 'lena', role: 'Operator' }, location: `${uri}/lena-abababababababab` })
  const stranger = { user: '', role: '' }
  const refused = async (body: object) => await badRequest(() => POST(context({ uri, body, caller: stranger })))
  t.same(await refused({}), [['Base.EmptyJSON']])
  t.same(await refused({ Password: 'right' }), [['Base.PropertyMissing', 'UserName']])
  const half = () => POST(context({ uri, body: { UserName: 'admin' }, caller }))
  t.same(await badRequest(half), [['Base.PropertyMissing', 'Password']], 'a half password login is refused')
})

t.test('a session service that is switched off takes no login', async (t) => {
  const tables = { sessionService: { settings: { enabled: false } } }
  t.same(await refusal(() => POST(context({ uri, body: login, passwords: { admin: 'right' }, tables }))), {
    status: 503,
    messages: [['Base.ServiceDisabled', '/redfish/v1/SessionService/']]
  })
})

t.test('reading takes LoginPriv, a login nothing', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', POST: 'NoAuth' })
})
