import t from 'tap'
import {
  DELETE,
  GET,
  owner,
  PATCH,
  privileges
} from '#handlers/redfish/v1/AccountService/Accounts/{ManagerAccountId}.ts'
import { vendorPrivileges } from '#runtime/contract'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerAccountId: 'lena' }
const admin = { name: 'admin', role: 'Administrator', enabled: true, passwordChangeRequired: false, lockedUntil: 0 }
const lena = { ...admin, name: 'lena', role: 'ReadOnly', password: 'hash of old' }
const noon = Date.parse('2025-06-01T12:00:00Z')
const tables = {
  account: { admin, lena },
  session: { 'lena-1': { user: 'lena' }, 'lena-2': { user: 'lena' }, 'admin-1': { user: 'admin' } }
}
const asLena = { user: 'lena', role: 'ReadOnly', session: 'lena-1' }

t.test('an account shows its role and never its password', async (t) => {
  const account = GET(context({ params, tables }))
  t.match(account, {
    UserName: 'lena',
    RoleId: 'ReadOnly',
    Enabled: true,
    Locked: false,
    Password: null,
    PasswordChangeRequired: false,
    Links: { Role: { '@odata.id': '/redfish/v1/AccountService/Roles/ReadOnly/' } }
  })
  t.notMatch(JSON.stringify(account), /hash of/)
})

/** The role of an account, and its differences from the role, that a PATCH with these privileges writes. */
const changed = async (of: object, Privileges: object, more: object = {}) => {
  const changing = { params, tables: { account: { admin, lena: { ...lena, ...of } } } }
  const { writes } = await PATCH(context({ ...changing, body: { Oem: { Vendor: { Privileges } }, ...more } }))
  const { granted, withheld, role } = writes?.account?.lena ?? {}
  return { granted, withheld, ...(role !== undefined && { role }) }
}

t.test('each privilege of an account is granted or withheld, whatever its role says', async (t) => {
  for (const each of vendorPrivileges) {
    const has = each === 'LoginPriv'
    t.same(await changed({}, { [each]: true }), { granted: has ? [] : [each], withheld: [] }, each)
    t.same(await changed({ granted: [each] }, { [each]: false }), { granted: [], withheld: has ? [each] : [] }, each)
  }
  const holds = (more: object) =>
    GET(context({ params, tables: { account: { lena: { ...lena, ...more } } } })).Oem?.Vendor?.Privileges
  t.match(holds({}), { SystemRecoveryConfigPriv: false, LoginPriv: true, UserConfigPriv: false })
  t.match(holds({ granted: ['SystemRecoveryConfigPriv'] }), { SystemRecoveryConfigPriv: true, UserConfigPriv: false })
  t.match(holds({ withheld: ['LoginPriv'] }), { LoginPriv: false })
})

t.test('an account with another role has the privileges of that, and those that come with it', async (t) => {
  const differs = { granted: ['UserConfigPriv'], withheld: ['LoginPriv'] }
  const role = 'Operator'
  t.same(await changed(differs, {}, { RoleId: role }), { granted: [], withheld: [], role })
  t.same(await changed(differs, { UserConfigPriv: true }, { RoleId: role }), {
    granted: ['UserConfigPriv'],
    withheld: [],
    role
  })
  t.same(await changed(differs, { MgmtConfigPriv: true }, { RoleId: 'ReadOnly' }), {
    granted: ['UserConfigPriv', 'MgmtConfigPriv'],
    withheld: ['LoginPriv']
  })
})

t.test('an account loses its sessions with the privilege to log in', async (t) => {
  const body = { Oem: { Vendor: { Privileges: { LoginPriv: false } } } }
  t.same((await PATCH(context({ params, tables, body }))).writes?.session, { 'lena-1': null, 'lena-2': null })
})

t.test('a role that there is not is refused, and one without any privilege is shown as such', async (t) => {
  t.same(await refusal(() => PATCH(context({ params, tables, body: { RoleId: 'King' } }))), {
    status: 400,
    messages: [['Base.PropertyValueNotInList', 'King', 'RoleId']]
  })
  const shown = GET(context({ params, tables: { account: { lena: { ...lena, role: '' } } } }))
  t.match(shown, { RoleId: 'NoAccess', Links: {} })
})

t.test("403 for giving an account privileges beyond the caller's, and for controlling one that has them", async (t) => {
  const mia = { account: 'mia', user: 'mia', privileges: new Set(['LoginPriv', 'UserConfigPriv'] as const) }
  const plain = { ...lena, role: 'Plain' }
  const role = { Plain: { standard: ['Login'], vendor: [] } } as const
  const refuses = async (of: object, body: object) => {
    const given = { params, caller: mia, body, tables: { role, account: { admin, lena: { ...plain, ...of } } } }
    const refused = await refusal(() => PATCH(context(given))).catch(() => undefined)
    if (refused !== undefined) t.same(refused, { status: 403, messages: [['Base.InsufficientPrivilege']] })
    return refused !== undefined
  }
  const privilege = (each: string) => ({ Oem: { Vendor: { Privileges: { [each]: true } } } })
  t.notOk(await refuses({}, { Password: 'Green-Door-4' }))
  t.notOk(await refuses({}, privilege('UserConfigPriv')))
  for (const each of vendorPrivileges.filter((other) => !mia.privileges.has(other as never)))
    t.ok(await refuses({}, privilege(each)), each)
  for (const RoleId of ['Administrator', 'Operator', 'ReadOnly']) t.ok(await refuses({}, { RoleId }), RoleId)
  const greater = { role: 'Administrator', enabled: false }
  for (const body of [{ Password: 'Green-Door-4' }, { Enabled: true }, { RoleId: 'Plain' }, { UserName: 'lea' }])
    t.ok(await refuses(greater, body), JSON.stringify(body))
  t.same((await refusal(() => DELETE(context({ params, tables, caller: mia })))).status, 403)
})

t.test('an account is locked until its time is over', async (t) => {
  const locked = (lockedUntil: number) =>
    GET(context({ params, tables: { account: { lena: { ...lena, lockedUntil } } } })).Locked
  t.equal(locked(noon + 1), true)
  t.equal(locked(noon), false)
})

t.test('users change their own password, which clears the flag and ends their other sessions', async (t) => {
  const outcome = await PATCH(context({ params, tables, caller: asLena, body: { Password: 'a new password' } }))
  t.equal(outcome.status, 200)
  t.same(outcome.writes, {
    account: {
      lena: {
        generation: 'ab'.repeat(8),
        name: undefined,
        lockedUntil: undefined,
        passwordChangeRequired: false,
        passwordExpiresAt: 0,
        password: 'hash of a new password',
        formerPasswords: []
      }
    },
    session: { 'lena-1': { generation: 'ab'.repeat(8) }, 'lena-2': null }
  })
})

t.test('a password that an administrator sets ends all sessions of the account, and the flag stays', async (t) => {
  const { writes } = await PATCH(context({ params, tables, body: { Password: 'a new password' } }))
  t.same(writes?.session, { 'lena-1': null, 'lena-2': null })
  t.equal(writes?.account?.lena?.passwordChangeRequired, undefined)
})

t.test('an administrator can have a password changed at the next login', async (t) => {
  const { writes } = await PATCH(context({ params, tables, body: { PasswordChangeRequired: true } }))
  t.match(writes, { account: { lena: { passwordChangeRequired: true } }, session: {} })
})

t.test('users change nothing but their own password', async (t) => {
  const forbidden = { status: 403, messages: [['Base.InsufficientPrivilege']] }
  for (const body of [{ RoleId: 'Administrator' as const }, { Password: 'a new password', Locked: false }]) {
    t.same(await refusal(() => PATCH(context({ params, tables, caller: asLena, body }))), forbidden)
  }
})

t.test('an administrator changes a role, and sessions continue with it', async (t) => {
  const { writes } = await PATCH(context({ params, tables, body: { RoleId: 'Operator' } }))
  t.match(writes, { account: { lena: { role: 'Operator', password: undefined } } })
  t.same(writes?.session, {})
})

t.test('an account that is disabled loses all its sessions', async (t) => {
  const { writes } = await PATCH(context({ params, tables, body: { Enabled: false } }))
  t.match(writes, { account: { lena: { enabled: false } } })
  t.same(writes?.session, { 'lena-1': null, 'lena-2': null })
})

t.test('an administrator unlocks an account, but cannot lock it', async (t) => {
  const { writes } = await PATCH(context({ params, tables, body: { Locked: false } }))
  t.match(writes, { account: { lena: { lockedUntil: 0 } } })
  t.same(await refusal(() => PATCH(context({ params, tables, body: { Locked: true } }))), {
    status: 400,
    messages: [['Base.PropertyValueIncorrect', 'Locked', 'true']]
  })
})

t.test('a password that has expired must be changed, to another one', async (t) => {
  const shown = (more: object) => GET(context({ params, tables: { account: { lena: { ...lena, ...more } } } }))
  t.match(shown({}), { PasswordChangeRequired: false, PasswordExpiration: null })
  t.match(shown({ passwordExpiresAt: noon + 1 }), {
    PasswordChangeRequired: false,
    PasswordExpiration: '2025-06-01T12:00:00.001Z'
  })
  t.match(shown({ passwordExpiresAt: noon }), { PasswordChangeRequired: true })
  const expired = { account: { admin, lena: { ...lena, password: 'hash of Green-Door-4', passwordExpiresAt: noon } } }
  const change = (body: object) => PATCH(context({ params, tables: expired, caller: asLena, body }))
  t.same(await refusal(() => change({ Password: 'Green-Door-4' })), {
    status: 400,
    messages: [['Mgmt.PasswordTooWeak', 'a difference from the present one']]
  })
  t.match((await change({ Password: 'Green-Gate-5' })).writes, { account: { lena: { passwordExpiresAt: 0 } } })
})

t.test('a new password expires later, and an administrator says when', async (t) => {
  const settings = { passwordExpirationDays: 30 }
  const expiry = async (body: object) => {
    const { writes } = await PATCH(context({ params, tables: { ...tables, accountService: { settings } }, body }))
    return writes?.account?.lena?.passwordExpiresAt
  }
  const month = noon + 30 * 86_400_000
  t.equal(await expiry({ Password: 'Green-Door-4' }), month)
  t.equal(await expiry({ Password: 'Green-Door-4', PasswordExpiration: null }), 0)
  t.equal(await expiry({ PasswordExpiration: '2025-07-01T12:00:00Z' }), month)
  t.equal(await expiry({ PasswordChangeRequired: true }), undefined)
  t.same(
    (await refusal(() => PATCH(context({ params, tables, caller: asLena, body: { PasswordExpiration: null } }))))
      .status,
    403
  )
  t.same(
    await refusal(() => PATCH(context({ params, tables, keepsPasswords: false, body: { PasswordExpiration: null } }))),
    {
      status: 400,
      messages: [['Base.PropertyNotWritable', 'PasswordExpiration']]
    }
  )
  t.notOk('PasswordExpiration' in GET(context({ params, tables, keepsPasswords: false })))
})

t.test('a new password differs from as many as the policy says, and no more are remembered', async (t) => {
  const former = ['hash of Green-Door-2', 'hash of Green-Door-1']
  const change = (Password: string, passwordHistory: number, more: object = {}) => {
    const account = { admin, lena: { ...lena, password: 'hash of Green-Door-3', formerPasswords: former } }
    const tables = { account, accountService: { settings: { passwordHistory } } }
    return PATCH(context({ params, tables, body: { Password }, ...more }))
  }
  const remembered = async (...args: Parameters<typeof change>) =>
    (await change(...args)).writes?.account?.lena?.formerPasswords
  t.same(await remembered('Green-Door-3', 0), [])
  t.same(await remembered('Green-Door-1', 2), ['hash of Green-Door-3'])
  t.same(await remembered('Green-Door-4', 3), ['hash of Green-Door-3', 'hash of Green-Door-2'])
  t.same(await remembered('Green-Door-4', 10), ['hash of Green-Door-3', ...former])
  for (const [password, history, difference] of [
    ['Green-Door-3', 1, 'the present one'],
    ['Green-Door-2', 2, 'the last 2'],
    ['Green-Door-1', 3, 'the last 3']
  ] as const)
    t.same(await refusal(() => change(password, history)), {
      status: 400,
      messages: [['Mgmt.PasswordTooWeak', `a difference from ${difference}`]]
    })
  t.equal(await remembered('Green-Door-1', 3, { keepsPasswords: false }), undefined, 'the machine remembers')
})

t.test('an account without the type Redfish loses its sessions', async (t) => {
  t.match(GET(context({ params, tables })), {
    AccountTypes: ['HostConsole', 'Redfish', 'VirtualMedia'],
    StrictAccountTypes: false
  })
  const change = async (body: object) => (await PATCH(context({ params, tables, body }))).writes
  t.match(await change({ AccountTypes: ['VirtualMedia'] }), {
    account: { lena: { types: ['Redfish', 'VirtualMedia'] } },
    session: {}
  })
  t.match(await change({ AccountTypes: ['VirtualMedia'], StrictAccountTypes: true }), {
    account: { lena: { types: ['VirtualMedia'], strictTypes: true } },
    session: { 'lena-1': null, 'lena-2': null }
  })
  t.same((await change({ StrictAccountTypes: true }))?.account?.lena?.types, undefined)
  const last = { params: { ManagerAccountId: 'admin' }, body: { AccountTypes: [], StrictAccountTypes: true } }
  t.same(await refusal(() => PATCH(context({ ...last, tables }))), {
    status: 409,
    messages: [['Mgmt.LastAdministrator']]
  })
})

t.test('a password that breaks the policy is refused, and not repeated', async (t) => {
  t.same(await refusal(() => PATCH(context({ params, tables, body: { Password: 'short' } }))), {
    status: 400,
    messages: [['Mgmt.PasswordTooWeak', 'a length of at least 8 characters']]
  })
  t.same(await refusal(() => PATCH(context({ params, tables, body: { Password: null } }))), {
    status: 400,
    messages: [['Base.PropertyValueError', 'Password']]
  })
})

t.test('a password that is easy to guess is refused, and not repeated', async (t) => {
  const set = (Password: string) => refusal(() => PATCH(context({ params, tables, body: { Password } })))
  const keys = { 'lena loves it': 'Mgmt.PasswordContainsUserName', qwertyuiop: 'Mgmt.PasswordTooCommon' }
  for (const [Password, key] of Object.entries(keys)) t.same(await set(Password), { status: 400, messages: [[key]] })
})

t.test('an account whose user gets another name keeps its id, and all its sessions end', async (t) => {
  const { writes } = await PATCH(context({ params, tables, body: { UserName: 'helena' } }))
  t.match(writes, { account: { lena: { name: 'helena', generation: 'ab'.repeat(8) } } })
  t.same(writes?.session, { 'lena-1': null, 'lena-2': null })
  const own = { ...asLena, role: 'Administrator', session: 'lena-1' }
  const itself = await PATCH(context({ params, tables, caller: own, body: { UserName: 'helena' } }))
  t.same(itself.writes?.session, { 'lena-1': null, 'lena-2': null })
  const same = await PATCH(context({ params, tables, body: { UserName: 'lena' } }))
  t.same(same.writes?.session, {})
})

t.test('a name that another account has, or that the new password contains, is refused', async (t) => {
  const renamed = { ...tables, account: { ...tables.account, admin: { ...tables.account.admin, name: 'root' } } }
  const rename = (body: object, caller?: object) =>
    refusal(() => PATCH(context({ params, tables: renamed, body, ...(caller && { caller }) })))
  t.same(await rename({ UserName: 'root' }), {
    status: 409,
    messages: [['Base.ResourceAlreadyExists', 'ManagerAccount', 'UserName', 'root']]
  })
  t.same(await rename({ UserName: 'mari', Password: 'Mari-and-I' }), {
    status: 400,
    messages: [['Mgmt.PasswordContainsUserName']]
  })
  t.match(await PATCH(context({ params, tables: renamed, body: { UserName: 'admin' } })), { status: 200 })
  t.same((await rename({ UserName: 'mari' }, asLena)).status, 403)
})

t.test('the last administrator that can log in is neither demoted nor disabled nor deleted', async (t) => {
  const last = { status: 409, messages: [['Mgmt.LastAdministrator']] }
  const own = { ManagerAccountId: 'admin' }
  const disabled = { account: { ...tables.account, other: { ...admin, name: 'other', enabled: false } } }
  t.same(await refusal(() => PATCH(context({ params: own, tables: disabled, body: { RoleId: 'Operator' } }))), last)
  t.same(await refusal(() => PATCH(context({ params: own, tables: disabled, body: { Enabled: false } }))), last)
  t.same(await refusal(() => DELETE(context({ params: own, tables: disabled }))), last)
})

t.test('an administrator who is not the last one can be deleted', async (t) => {
  const two = { account: { ...tables.account, other: { ...admin, name: 'other' } } }
  const own = { ManagerAccountId: 'admin' }
  t.match(await PATCH(context({ params: own, tables: two, body: { RoleId: 'Operator' } })), { status: 200 })
  t.match(await DELETE(context({ params: own, tables: two })), { writes: { account: { admin: null } } })
})

t.test('an account is deleted with its sessions and its certificate', async (t) => {
  t.match(await DELETE(context({ params, tables })), {
    status: 200,
    writes: {
      account: { lena: null },
      session: { 'lena-1': null, 'lena-2': null },
      userCertificate: { lena: null },
      secondFactor: { lena: null },
      oneTimeCode: { lena: null }
    }
  })
})

t.test('an account that there is not cannot be read, changed or deleted', async (t) => {
  const gone = { params: { ManagerAccountId: 'otto' }, tables }
  t.same(await refusal(() => GET(context(gone))), missing)
  t.same(await refusal(() => PATCH(context({ ...gone, body: { Enabled: false } }))), missing)
  t.same(await refusal(() => DELETE(context(gone))), missing)
})

t.test('an account belongs to its user; all but the password takes UserConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: ['UserConfigPriv', 'ConfigureSelf'], DELETE: 'UserConfigPriv' })
  t.equal(owner(context({ params, tables })), 'lena')
  t.equal(owner(context({ params: { ManagerAccountId: 'otto' }, tables })), undefined)
})

t.test('an account shows whether it has a second factor, and nothing of it', async (t) => {
  const second = { key: 'sealed', recoveryCodes: ['a', 'b'], bypass: ['All'] as const }
  const shown = GET(context({ params, tables: { ...tables, secondFactor: { lena: second } } }))
  t.match(shown, { SecretKeySet: true, MFABypass: { BypassTypes: ['All'] }, Oem: { Vendor: { RecoveryCodesLeft: 2 } } })
  t.notMatch(JSON.stringify(shown), /sealed/)
  t.match(GET(context({ params, tables })), { SecretKeySet: false, MFABypass: { BypassTypes: [] } })
})

t.test('only an administrator exempts an account from the second factor', async (t) => {
  const ute = { ...admin, name: 'ute', role: 'Users' }
  const role = { Users: { standard: ['Login', 'ConfigureUsers', 'ConfigureSelf'] as const, vendor: [] } }
  const secondFactor = { ute: { bypass: ['All'] as const } }
  const all = { ...tables, account: { admin, lena, ute }, role, secondFactor }
  const asUte = { user: 'ute', role: 'Users' }
  const exempt = (id: string, BypassTypes: readonly ('All' | 'TimeBasedOneTimePassword')[], caller = {}) => {
    const body = { MFABypass: { BypassTypes } }
    return PATCH(context({ params: { ManagerAccountId: id }, body, tables: all, caller }))
  }
  t.match(await exempt('lena', ['TimeBasedOneTimePassword']), {
    writes: { secondFactor: { lena: { bypass: ['TimeBasedOneTimePassword'] } } }
  })
  for (const [id, caller] of [
    ['lena', asLena],
    ['lena', asUte],
    ['ute', asUte]
  ] as const) {
    const refused = await refusal(() => exempt(id, ['TimeBasedOneTimePassword'], caller))
    t.same(refused, { status: 403, messages: [['Base.InsufficientPrivilege']] }, `${caller.user} ${id}`)
  }
  t.match(await exempt('ute', ['All'], asUte), { status: 200 }, 'nothing more is exempt')
  t.match(await exempt('lena', [], asUte), { status: 200 })
})
