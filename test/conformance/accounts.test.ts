// own process: it starts what was built
import t from 'tap'
import { followPage } from './tours.ts'

t.test('the examples of accounts work as printed', async (t) => {
  const { printed, times } = await followPage(t, 'docs/accounts.md')
  t.match(printed, '"AssignedPrivileges":["Login"],"IsPredefined":false,"OemPrivileges":["VirtualPowerAndResetPriv"]')
  t.equal(times('Base.1.12.Success'), 9, printed)
  t.equal(times('Base.1.12.InsufficientPrivilege'), 1, 'the role allows nothing else')
  t.equal(times('Base.1.12.ResourceInUse'), 1, 'a role in use')
  t.match(printed, /"MgmtConfigPriv":true/)
  t.match(printed, /"RemoteConsolePriv":false,/)
  t.match(printed, '"AccountTypes":["Redfish","VirtualMedia"]', 'Redfish is added')
  t.equal(times('UnauthorizedLoginAttempt'), 1, 'without Redfish')
  t.match(printed, /PasswordChangeRequired","MessageArgs"/, 'an expired password')
  t.match(printed, '"a difference from the present one"')
  t.match(printed, /"PasswordChangeRequired":false,"PasswordExpiration":"\d{4}-/)
})
