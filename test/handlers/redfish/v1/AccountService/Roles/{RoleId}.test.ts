import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/AccountService/Roles/{RoleId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const role = (RoleId: string) => GET(context({ params: { RoleId } }))

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

t.test('there is no other role, not even one that objects inherit', async (t) => {
  t.same(await refusal(() => role('Guest')), missing)
  t.same(await refusal(() => role('constructor')), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
