import t from 'tap'
import { DELETE, GET, methods, PATCH, privileges } from '#handlers/redfish/v1/AccountService/Roles/{RoleId}.ts'
import { vendorPrivileges } from '#runtime/contract'
import { context, missing, refusal } from '#test/handlers/context.ts'

const power = { standard: ['Login'], vendor: ['VirtualPowerAndResetPriv'] } as const
const tables = { role: { Power: power } }
const params = { RoleId: 'Power' }
const role = (RoleId: string) => GET(context({ params: { RoleId }, tables }))
const forbidden = { status: 403, messages: [['Base.InsufficientPrivilege']] }
const manager = { user: 'mia', privileges: new Set(['LoginPriv', 'UserConfigPriv'] as const) }

t.test('an administrator has every privilege but system recovery', async (t) => {
  t.match(role('Administrator'), { RoleId: 'Administrator', IsPredefined: true })
  t.same(role('Administrator').OemPrivileges, [
    'HostBIOSConfigPriv',
    'HostNICConfigPriv',
    'HostStorageConfigPriv',
    'LoginPriv',
    'RemoteConsolePriv',
    'UserConfigPriv',
    'VirtualMediaPriv',
    'VirtualPowerAndResetPriv',
    'MgmtConfigPriv'
  ])
})

t.test('an operator configures components, but neither users nor the controller', async (t) => {
  t.same(role('Operator').AssignedPrivileges, ['Login', 'ConfigureComponents', 'ConfigureSelf'])
})

t.test('who may only read may log in and change the own password', async (t) => {
  t.same(role('ReadOnly').AssignedPrivileges, ['Login', 'ConfigureSelf'])
  t.same(role('ReadOnly').OemPrivileges, ['LoginPriv'])
})

t.test('a custom role shows the privileges that it was given', async (t) => {
  t.match(role('Power'), {
    RoleId: 'Power',
    IsPredefined: false,
    AssignedPrivileges: ['Login'],
    OemPrivileges: ['VirtualPowerAndResetPriv']
  })
})

t.test('there is no other role, not even one that objects inherit', async (t) => {
  for (const id of ['Guest', 'constructor']) {
    t.same(await refusal(() => role(id)), missing)
    t.same(await refusal(() => PATCH(context({ params: { RoleId: id }, tables, body: {} }))), missing)
    t.same(await refusal(() => DELETE(context({ params: { RoleId: id }, tables }))), missing)
  }
})

t.test('a PATCH replaces the privileges that it names, each once', async (t) => {
  const change = async (body: object) => (await PATCH(context({ params, tables, body }))).writes?.role?.Power
  t.same(await change({ OemPrivileges: ['LoginPriv', 'LoginPriv'] }), { standard: ['Login'], vendor: ['LoginPriv'] })
  t.same(await change({ AssignedPrivileges: [null] }), { standard: [], vendor: ['VirtualPowerAndResetPriv'] })
})

t.test("403 for giving a role privileges beyond the caller's, or changing or deleting one that has them", async (t) => {
  const own = { role: { Power: { standard: ['Login'], vendor: [] } } } as const
  const change = (tables: object, body: object) => PATCH(context({ params, tables, caller: manager, body }))
  t.match(await change(own, { OemPrivileges: ['UserConfigPriv'] }), { status: 200 })
  t.same(await refusal(() => change(own, { OemPrivileges: ['MgmtConfigPriv'] })), forbidden)
  t.same(await refusal(() => change(tables, { OemPrivileges: [] })), forbidden)
  t.same(await refusal(() => DELETE(context({ params, tables, caller: manager }))), forbidden)
})

t.test('the last administrator stays one when the role changes', async (t) => {
  const root = { role: { Power: { standard: ['ConfigureSelf'], vendor: vendorPrivileges } } } as const
  const account = { root: { name: 'root', role: 'Power', enabled: true } }
  const change = () => PATCH(context({ params, tables: { ...root, account }, body: { OemPrivileges: ['LoginPriv'] } }))
  t.same(await refusal(change), { status: 409, messages: [['Mgmt.LastAdministrator']] })
})

t.test('a role is deleted unless an account has it', async (t) => {
  const ann = { name: 'ann', role: 'Power', enabled: false }
  const used = { ...tables, account: { ann } }
  t.same((await DELETE(context({ params, tables }))).writes, { role: { Power: null } })
  t.same(await refusal(() => DELETE(context({ params, tables: used }))), {
    status: 409,
    messages: [['Base.ResourceInUse']]
  })
})

t.test('predefined roles can only be read', async (t) => {
  for (const RoleId of ['Administrator', 'Operator', 'ReadOnly']) t.same(methods({ RoleId }), ['GET'])
  t.same(methods({ RoleId: 'Power' }), ['GET', 'PATCH', 'DELETE'])
})

t.test('reading takes LoginPriv, changing UserConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'UserConfigPriv', DELETE: 'UserConfigPriv' })
})
