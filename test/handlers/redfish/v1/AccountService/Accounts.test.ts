import t from 'tap'
import { GET, POST, body as parameters, privileges } from '#handlers/redfish/v1/AccountService/Accounts.ts'
import { context, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/AccountService/Accounts'
const body = { UserName: 'lena', Password: 'Eleven chars', RoleId: 'Operator' } as const
const tables = { account: { admin: { name: 'admin', role: 'Administrator' } } }

t.test('the collection names every account', async (t) => {
  t.match(GET(context({ uri, tables })), { Members: [{ '@odata.id': `${uri}/admin/` }] })
})

t.test('a new account is enabled, and its password is stored as a hash', async (t) => {
  const outcome = await POST(context({ uri, body, tables }))
  t.match(outcome, { status: 201, location: `${uri}/lena`, show: { user: 'admin' } })
  t.same(outcome.writes, {
    account: {
      lena: {
        name: 'lena',
        loginName: undefined,
        number: 1,
        role: 'Operator',
        password: 'hash of Eleven chars',
        enabled: true,
        passwordChangeRequired: false,
        lockedUntil: 0,
        passwordExpiresAt: 0,
        generation: 'ab'.repeat(8)
      }
    },
    secondFactor: { lena: null },
    oneTimeCode: { lena: null }
  })
})

t.test('a new account can begin disabled, and with a password that must be changed', async (t) => {
  const { writes } = await POST(
    context({ uri, body: { ...body, Enabled: false, PasswordChangeRequired: true }, tables })
  )
  t.match(writes, { account: { lena: { enabled: false, passwordChangeRequired: true } } })
})

t.test('a password that breaks the policy is refused, and not repeated', async (t) => {
  const create = (Password: string, settings = {}) =>
    refusal(() => POST(context({ uri, body: { ...body, Password }, tables: { accountService: { settings } } })))
  t.same(await create('short'), {
    status: 400,
    messages: [['Mgmt.PasswordTooWeak', 'a length of at least 8 characters']]
  })
  t.same(await create('x'.repeat(65)), {
    status: 400,
    messages: [['Mgmt.PasswordTooWeak', 'a length of at most 64 characters']]
  })
  t.match(await create('onlysmallletters', { complexity: true }), { messages: [['Mgmt.PasswordTooWeak', /three of/]] })
})

t.test('a password that is easy to guess is refused, and not repeated', async (t) => {
  const set = (Password: string) => refusal(() => POST(context({ uri, body: { ...body, Password }, tables })))
  const keys = { 'lena loves it': 'Mgmt.PasswordContainsUserName', qwertyuiop: 'Mgmt.PasswordTooCommon' }
  for (const [Password, key] of Object.entries(keys)) t.same(await set(Password), { status: 400, messages: [[key]] })
})

t.test('a new account has the name of its user as its id, unless an account that was renamed has that', async (t) => {
  const renamed = { account: { lena: { ...tables.account.admin, name: 'helena' } } }
  const { writes, location } = await POST(context({ uri, body, tables: renamed }))
  t.same(Object.keys(writes?.account ?? {}), ['lena-2'])
  t.match(writes, { account: { 'lena-2': { name: 'lena' } } })
  t.equal(location, `${uri}/lena-2`)
  const taken = await refusal(() => POST(context({ uri, body: { ...body, UserName: 'helena' }, tables: renamed })))
  t.equal(taken.status, 409)
})

t.test('a user name is taken once', async (t) => {
  t.same(await refusal(() => POST(context({ uri, body: { ...body, UserName: 'admin' }, tables }))), {
    status: 409,
    messages: [['Base.ResourceAlreadyExists', 'ManagerAccount', 'UserName', 'admin']]
  })
})

t.test('an account has a role that there is, and that allows no more than its maker may do', async (t) => {
  const role = { Power: { standard: ['Login'], vendor: ['VirtualPowerAndResetPriv'] } } as const
  const privileges = new Set(['LoginPriv', 'UserConfigPriv'] as const)
  const create = (RoleId: string, caller: object = {}) =>
    POST(context({ uri, body: { ...body, RoleId }, tables: { ...tables, role }, caller }))
  t.match((await create('Power')).writes, { account: { lena: { role: 'Power' } } })
  t.same(await refusal(() => create('King')), {
    status: 400,
    messages: [['Base.PropertyValueNotInList', 'King', 'RoleId']]
  })
  for (const id of ['Administrator', 'ReadOnly', 'Power'])
    t.same((await refusal(() => create(id, { privileges }))).status, 403, id)
})

t.test('a new password expires when the policy says so, unless the client says otherwise', async (t) => {
  const expiry = async (more: object, settings: object = {}) => {
    const given = { uri, body: { ...body, ...more }, tables: { ...tables, accountService: { settings } } }
    return (await POST(context(given))).writes?.account?.lena?.passwordExpiresAt
  }
  const [july, days] = [Date.parse('2025-07-01T12:00:00Z'), { passwordExpirationDays: 30 }]
  t.equal(await expiry({}), 0)
  t.equal(await expiry({}, days), july)
  t.equal(await expiry({ PasswordExpiration: null }, days), 0)
  t.equal(await expiry({ PasswordExpiration: '2025-07-01T14:00:00+02:00' }), july)
  const machine = { uri, tables: { ...tables, accountService: { settings: days } }, keepsPasswords: false }
  t.equal((await POST(context({ ...machine, body }))).writes?.account?.lena?.passwordExpiresAt, undefined)
  t.same(await refusal(() => POST(context({ ...machine, body: { ...body, PasswordExpiration: null } }))), {
    status: 400,
    messages: [['Base.PropertyNotWritable', 'PasswordExpiration']]
  })
})

t.test('an account has the types that it is made with, and Redfish unless exactly these are wanted', async (t) => {
  const types = async (more: object) => {
    const { types, strictTypes } =
      (await POST(context({ uri, body: { ...body, ...more }, tables }))).writes?.account?.lena ?? {}
    return [types, strictTypes]
  }
  t.same(await types({}), [undefined, undefined])
  t.same(await types({ AccountTypes: ['VirtualMedia', 'HostConsole'] }), [
    ['HostConsole', 'Redfish', 'VirtualMedia'],
    undefined
  ])
  t.same(await types({ AccountTypes: ['HostConsole'], StrictAccountTypes: true }), [['HostConsole'], true])
})

t.test('there are as many accounts as the configuration allows', async (t) => {
  const { configuration } = context()
  const one = { ...configuration, limits: { ...configuration.limits, accounts: 1 } }
  t.same(await refusal(() => POST(context({ uri, body, tables, configuration: one }))), {
    status: 409,
    messages: [['Base.CreateLimitReachedForResource']]
  })
})

t.test('user names need no escaping in a URI and have no colon', async (t) => {
  const pattern = new RegExp(parameters.properties.UserName.pattern, 'u')
  for (const name of ['admin', 'a.b@example.org', '_svc-1']) t.match(name, pattern)
  for (const name of ['', '.', '..', 'a b', 'a/b', 'a:b', '-x', 'ä', '1a', 'a\n']) t.notMatch(name, pattern)
})

t.test('reading takes LoginPriv, creating UserConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', POST: 'UserConfigPriv' })
})
