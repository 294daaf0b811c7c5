import { hosts } from '#test/host/hosts.ts'
import { basic, start } from '#test/host/server.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node, x86] = hosts as [(typeof hosts)[number], (typeof hosts)[number]]
const service = '/redfish/v1/AccountService/'
const ann = `${service}Accounts/ann/`

for (const [hand, host] of [
  ['mouse', node],
  ['keyboard', x86]
] as const) {
  withBrowser(`roles and what accounts may, by ${hand}, from ${host.name}`, async (t, browser) => {
    const server = await start(t, host)
    const visitor = await Visitor.open(t, browser, server, '#/accounts', hand)
    await visitor.logIn()
    await server.post(`${service}Accounts/`, { UserName: 'ann', Password: 'Oboe-and-Harp-9', RoleId: 'ReadOnly' })

    t.test('a role is made, given to an account, changed, and not deleted while it is in use', async (t) => {
      await visitor.press('New role')
      await visitor.fill('Name', 'Power')
      await visitor.tick('May switch the power')
      await visitor.press('Create')
      await visitor.sees('Log in and read, May switch the power')
      t.match((await server.get(`${service}Roles/Power/`)).json, {
        AssignedPrivileges: ['Login'],
        OemPrivileges: ['VirtualPowerAndResetPriv']
      })
      await visitor.press('Edit: ann')
      await visitor.choose('Role', 'Power: A custom role')
      await visitor.press('Save')
      await server.until(
        () => server.get(ann),
        ({ json }) => json.RoleId === 'Power'
      )
      await visitor.press('Edit: Power')
      await visitor.tick('May use the console')
      await visitor.press('Save')
      await visitor.sees('May switch the power, May use the console')
      await visitor.press('Delete: Power')
      await visitor.agree('Delete')
      await visitor.sees('in use')
      t.equal((await server.get(`${service}Roles/Power/`)).status, 200)
    })

    t.test('an account gets single privileges, services, and an end of its password', async (t) => {
      await server.patch(ann, { PasswordExpiration: '2020-01-01T00:00:00Z' })
      const read = async () => (await server.get('/redfish/v1/Chassis/1/', basic('ann', 'Oboe-and-Harp-9'))).status
      t.equal(await read(), 403)
      await visitor.press('Edit: ann')
      await visitor.tick('May manage users')
      await visitor.tick('Host console')
      await visitor.page.locator('input[type="datetime-local"]').fill('2031-06-01T12:00')
      await visitor.press('Save')
      await server.until(
        () => server.get(ann),
        ({ json }) => json.PasswordExpiration.startsWith('2031-0')
      )
      t.match((await server.get(ann)).json, {
        AccountTypes: ['Redfish', 'VirtualMedia'],
        Oem: {
          Vendor: { Privileges: { UserConfigPriv: true, VirtualPowerAndResetPriv: true, RemoteConsolePriv: false } }
        }
      })
      t.equal(await read(), 200)
    })
  })
}
