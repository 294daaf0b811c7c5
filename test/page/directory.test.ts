import { trust } from '#test/host/certificate-users.ts'
import { hosts } from '#test/host/hosts.ts'
import { basic, start } from '#test/host/server.ts'
import { Slapd, secret } from '#test/host/slapd.ts'
import { barriers } from './barriers.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node, x86] = hosts as [(typeof hosts)[number], (typeof hosts)[number]]
const service = '/redfish/v1/AccountService/'
const chassis = '/redfish/v1/Chassis/1/'

for (const [hand, host] of [
  ['mouse', node],
  ['keyboard', x86]
] as const) {
  withBrowser(`a directory, by ${hand}, from ${host.name}`, async (t, browser) => {
    const slapd = await Slapd.start(t)
    const server = await start(t, host)
    await trust(server, slapd.authority)
    const visitor = await Visitor.open(t, browser, server, '#/accounts', hand)
    await visitor.logIn()
    const { Authentication, LDAPService, RemoteRoleMapping } = slapd.settings()
    const wanted = RemoteRoleMapping[2]

    t.test('it is set up, tested, and corrected until a user logs in', async (t) => {
      await visitor.press('Edit: LDAP')
      await visitor.fill('Servers', slapd.ldaps)
      await visitor.fill('Users and groups below', LDAPService.SearchSettings.BaseDistinguishedNames.join())
      await visitor.fill('Name for searches', Authentication.Username)
      await visitor.fill('Password for searches', 'wrong')
      await visitor.press('Add a role')
      t.same(await barriers(visitor), [], 'the panel')
      await visitor.press('Save')
      await visitor.sees('Fill in this field.')
      await visitor.fill('Name 1', wanted?.RemoteGroup ?? '')
      await visitor.choose('Role 1', 'Operator')
      await visitor.press('Save')
      await visitor.sees(slapd.ldaps)
      await visitor.press('Test: LDAP')
      await visitor.sees('the directory refuses the name or the password for searches')
      await visitor.press('Edit: LDAP')
      await visitor.fill('Password for searches', Authentication.Password)
      await visitor.tick('Users of this directory log in')
      await visitor.press('Save')
      await server.until(
        () => server.get(service),
        ({ json }) => json.LDAP.ServiceEnabled
      )
      t.equal((await server.get(chassis, basic('bob', secret))).status, 200)
      await visitor.press('Test: LDAP')
      await visitor.sees('All servers of LDAP do what logins need.')
      t.match((await server.get(service)).json.LDAP, {
        ServiceEnabled: true,
        Authentication: { Username: Authentication.Username, Password: null },
        RemoteRoleMapping: [{ LocalRole: 'Operator', RemoteGroup: 'staff', RemoteUser: null }]
      })
    })

    t.test('a change of its roles keeps what was not touched, and one that is not saved is gone', async (t) => {
      await visitor.press('Edit: LDAP')
      await visitor.press('Add a role')
      await visitor.choose('Group or user 2', 'User')
      await visitor.fill('Name 2', 'dave')
      await visitor.press('Save')
      const { json } = await server.until(
        () => server.get(service),
        ({ json }) => json.LDAP.RemoteRoleMapping.length === 2
      )
      t.match(json.LDAP.RemoteRoleMapping[1], { LocalRole: 'ReadOnly', RemoteUser: 'dave', RemoteGroup: null })
      t.equal(
        (await server.get(chassis, basic('dave', secret))).status,
        200,
        'the password for searches is still there'
      )
      await visitor.press('Edit: LDAP')
      await visitor.press('Remove 1')
      await visitor.keys('Escape')
      await visitor.press('Edit: LDAP')
      await visitor.sees('Roles of users and groups')
      await visitor.press('Remove 1')
      await visitor.press('Save')
      await server.until(
        () => server.get(service),
        ({ json }) => json.LDAP.RemoteRoleMapping.length === 1
      )
      t.equal((await server.get(chassis, basic('bob', secret))).status, 401)
    })

    t.test('local accounts log in beside it or instead, as the rules for logins say', async (t) => {
      await visitor.choose('Local accounts, with a directory', 'Before those of a directory')
      await visitor.press('Save', 'Logins')
      await server.until(
        () => server.get(service),
        ({ json }) => json.LocalAccountAuth === 'LocalFirst'
      )
      t.same(visitor.faults, [])
    })
  })
}
