import t from 'tap'
import {
  type Account,
  administers,
  canLogIn,
  deviations,
  keepAdministrator,
  predefinedRole,
  privilegesOf,
  type Role,
  refuseBeyond,
  roleIds,
  rolePrivileges
} from '#data/accounts'
import { type HeldPrivilege, type State, type Tables, vendorPrivileges } from '#runtime/contract'
import { refusal } from '#test/handlers/context.ts'

const state = (role: Readonly<Record<string, Role>> = {}, account: Readonly<Record<string, object>> = {}): State => {
  const tables: Partial<Record<keyof Tables, object>> = { role, account }
  const of = (table: keyof Tables) => (tables[table] ?? {}) as Readonly<Record<string, never>>
  return { get: (table, key) => of(table)[key], keys: (table) => Object.keys(of(table)) }
}

const none = state()
const held = (account: Parameters<typeof privilegesOf>[1], of = none) => [...privilegesOf(of, account)].sort()
const readOnly = ['ConfigureSelf', 'LoginPriv']

t.test('a standard privilege includes the vendor privileges of what it configures', async (t) => {
  const role = (standard: Role['standard']) => [...rolePrivileges({ standard, vendor: [] })].sort()
  t.same(role(['Login', 'ConfigureUsers']), ['LoginPriv', 'UserConfigPriv'])
  t.same(role(['ConfigureManager']), ['MgmtConfigPriv'])
  t.same(role(['ConfigureSelf']), ['ConfigureSelf'])
  t.equal(role(['ConfigureComponents']).length, 6)
  t.same([...rolePrivileges(undefined)], [])
})

t.test('no predefined role has system recovery, and none is inherited from objects', async (t) => {
  for (const id of roleIds) t.notOk(rolePrivileges(predefinedRole(id)).has('SystemRecoveryConfigPriv'))
  for (const id of ['constructor', 'administrator', '']) t.equal(predefinedRole(id), undefined)
})

t.test('an account has the privileges of its role, and none of a role that is gone', async (t) => {
  t.same(held({ role: 'ReadOnly' }), readOnly)
  const power: Role = { standard: ['Login'], vendor: ['VirtualPowerAndResetPriv'] }
  t.same(held({ role: 'Power' }, state({ Power: power })), ['LoginPriv', 'VirtualPowerAndResetPriv'])
  t.same(held({ role: 'Power' }), [])
})

t.test('the privileges of an account are one set until its role changes', async (t) => {
  const account = { role: 'Power' }
  const before = state({ Power: { standard: ['Login'], vendor: [] } })
  t.equal(privilegesOf(before, account), privilegesOf(before, account))
  const after = state({ Power: { standard: [], vendor: [] } })
  t.same(held(account, after), [])
})

t.test('an account differs from its role only in the privileges granted to it or withheld from it', async (t) => {
  const role = rolePrivileges(predefinedRole('ReadOnly'))
  const first = deviations(role, {}, { UserConfigPriv: true, LoginPriv: true, MgmtConfigPriv: false })
  t.same(first, { granted: ['UserConfigPriv'], withheld: [] })
  const second = deviations(role, first, { LoginPriv: false })
  t.same(second, { granted: ['UserConfigPriv'], withheld: ['LoginPriv'] })
  t.same(held({ role: 'ReadOnly', ...second }), ['ConfigureSelf', 'UserConfigPriv'])
  t.same(deviations(role, second, { LoginPriv: true, UserConfigPriv: false }), { granted: [], withheld: [] })
})

t.test('an account without a type does not use its service, and without Redfish it uses none', async (t) => {
  const operator = held({ role: 'Operator' })
  const without = (...gone: HeldPrivilege[]) => operator.filter((each) => !gone.includes(each))
  t.same(held({ role: 'Operator', types: ['Redfish'] }), without('RemoteConsolePriv', 'VirtualMediaPriv'))
  t.same(held({ role: 'Operator', types: ['Redfish', 'HostConsole'] }), without('VirtualMediaPriv'))
  t.same(held({ role: 'Operator', types: ['HostConsole', 'VirtualMedia'] }), [])
})

t.test('an account logs in that is enabled and has the privilege to', async (t) => {
  t.ok(canLogIn(none, { enabled: true, role: 'ReadOnly' }))
  t.notOk(canLogIn(none, { enabled: false, role: 'ReadOnly' }))
  t.notOk(canLogIn(none, { enabled: true, role: 'ReadOnly', withheld: ['LoginPriv'] }))
  t.notOk(canLogIn(none, { enabled: true, role: 'ReadOnly', types: [] }))
  t.notOk(canLogIn(none, undefined))
})

t.test('who has all privileges of an administrator administers, by whatever role', async (t) => {
  const all = state({ Root: { standard: ['ConfigureSelf'], vendor: vendorPrivileges } })
  t.ok(administers(none, { enabled: true, role: 'Administrator' }))
  t.ok(administers(all, { enabled: true, role: 'Root' }))
  t.notOk(administers(none, { enabled: false, role: 'Administrator' }))
  t.notOk(administers(none, { enabled: true, role: 'Administrator', withheld: ['MgmtConfigPriv'] }))
  t.notOk(administers(none, { enabled: true, role: 'Operator' }))
  t.notOk(administers(none, undefined))
})

t.test('granting a privilege that the caller lacks, or system recovery as a non-administrator, is 403', async (t) => {
  const all = rolePrivileges(predefinedRole('Administrator'))
  const refuses = async (caller: ReadonlySet<HeldPrivilege>, ...granted: HeldPrivilege[]) => {
    const refused = await refusal(() => refuseBeyond({ privileges: caller }, new Set(granted))).catch(() => undefined)
    return refused?.status === 403
  }
  const manager = new Set<HeldPrivilege>(['LoginPriv', 'UserConfigPriv'])
  t.notOk(await refuses(manager, 'LoginPriv', 'UserConfigPriv'))
  t.ok(await refuses(manager, 'LoginPriv', 'ConfigureSelf'))
  t.ok(await refuses(manager, 'SystemRecoveryConfigPriv'))
  t.notOk(await refuses(all, 'SystemRecoveryConfigPriv'))
  for (const each of all) {
    const lacking = new Set([...all].filter((other) => other !== each))
    t.ok(await refuses(lacking, each), each)
    t.ok(await refuses(lacking, 'SystemRecoveryConfigPriv'), `system recovery without ${each}`)
  }
})

t.test('a change that leaves no administrator is refused, also one of a role', async (t) => {
  const root: Account = {
    name: 'root',
    role: 'Root',
    password: '',
    enabled: true,
    passwordChangeRequired: false,
    lockedUntil: 0
  }
  const full = state({ Root: { standard: ['ConfigureSelf'], vendor: vendorPrivileges } }, { root })
  const less = state({ Root: { standard: ['ConfigureSelf'], vendor: ['UserConfigPriv'] } }, { root })
  t.match(await refusal(() => keepAdministrator(full, less)), { status: 409, messages: [['Mgmt.LastAdministrator']] })
  keepAdministrator(full, full)
  keepAdministrator(less, less)
})
