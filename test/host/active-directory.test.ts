import file, { type Test } from 'tap'
import { trust } from './certificate-users.ts'
import { comesBack, interrupt, refused, roleOf, service } from './directory-logins.ts'
import { needing, onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { lackingNamespaces } from './namespaces.ts'
import { Samba, secretOfHeidi } from './samba.ts'
import { basic, type Json, start } from './server.ts'
import { secret } from './slapd.ts'

const chassis = '/redfish/v1/Chassis/1/'

/** One domain for all tests: it takes some seconds to make. */
let domain: Promise<Samba> | undefined

/** A service that has its users from Samba as well. */
async function open(t: Test, host: Host, directory: Json = {}) {
  domain ??= Samba.open(file)
  const samba = await domain
  const server = await start(t, host, { configuration: { directory: { pause: 0.2, ...directory } } })
  await trust(server, samba.authority)
  const set = async (ActiveDirectory: Json) => {
    const { status, text } = await server.patch(service, { ActiveDirectory })
    t.equal(status, 200, text)
  }
  await set(samba.settings())
  const roles = async (...users: readonly string[]) => {
    const found: Json = {}
    for (const user of users) found[user] = await roleOf(server, user)
    return found
  }
  return { samba, server, set, roles }
}

async function logins(t: Test, host: Host): Promise<void> {
  t.test('users of a domain log in with the roles of their groups', async (t) => {
    const { server, samba, set, roles } = await open(t, host)
    // Alice is in a group that is in another; Carol is in none that a mapping names.
    const expected = { alice: 'Administrator', BOB: 'Operator', carol: refused, dave: 'ReadOnly', grace: refused }
    t.same(await roles(...Object.keys(expected)), expected, 'a search finds them, under TLS from the start')
    await set({ ServiceAddresses: [samba.ldap] })
    t.same(await roles(...Object.keys(expected)), expected, 'with StartTLS')
    for (const UserBindTemplate of ['{user}@ad.example.net', 'EXAMPLE\\{user}']) {
      await set({ Authentication: { Username: null, Password: null }, Oem: { Vendor: { UserBindTemplate } } })
      t.same(await roles('alice', 'BOB', 'carol'), { alice: 'Administrator', BOB: 'Operator', carol: refused })
      t.equal(await roleOf(server, 'bob', `${secret}x`), refused)
    }
    await set({ RemoteRoleMapping: [{ RemoteGroup: 'everyone', LocalRole: 'ReadOnly' }] })
    t.equal(await roleOf(server, 'alice'), 'ReadOnly', 'three groups up')
  })

  t.test('users log in by their userPrincipalName where that is the name', async (t) => {
    const { set, roles } = await open(t, host)
    await set({ LDAPService: { SearchSettings: { UsernameAttribute: 'userPrincipalName' } } })
    t.same(await roles('alice@ad.example.net', 'Bob@AD.example.net', 'alice'), {
      'alice@ad.example.net': 'Administrator',
      'Bob@AD.example.net': 'Operator',
      alice: refused
    })
  })

  t.test("401 for a name whose bind template yields another user's userPrincipalName", async (t) => {
    const { server, set } = await open(t, host)
    const Oem = { Vendor: { UserBindTemplate: '{user}@example.org' } }
    await set({ Authentication: { Username: null, Password: null }, Oem })
    t.equal(await roleOf(server, 'alice', secretOfHeidi), refused, 'Heidi is alice@example.org')
  })

  t.test('a session and Basic requests show where their user comes from, and have no more than the role', async (t) => {
    const { server } = await open(t, host)
    const { token, location } = await server.login('bob', secret)
    t.match((await server.get(location, token)).json, {
      UserName: 'bob',
      Roles: ['Operator'],
      Oem: { Vendor: { UserType: 'ActiveDirectory', Privileges: { UserConfigPriv: false, LoginPriv: true } } }
    })
    for (const headers of [token, basic('bob', secret)]) {
      t.equal((await server.get(chassis, headers)).status, 200)
      t.equal((await server.patch(service, { AccountLockoutThreshold: 3 }, headers)).status, 403)
    }
    t.equal((await server.patch(service, { AccountLockoutThreshold: 3 }, basic('alice', secret))).status, 200)
    t.equal((await server.get(`${service}Accounts/`)).json.Members.length, 1, 'there is no account')
  })

  t.test('whom the domain refuses is refused', async (t) => {
    const { server, samba, roles } = await open(t, host)
    t.same(await roles('disabled', 'expired', 'changing'), { disabled: refused, expired: refused, changing: refused })
    t.equal(await roleOf(server, 'bob', `${secret}x`), refused)
    t.match(await roleOf(server, 'bob', ''), /^40[01]/)
    t.equal((await server.get(chassis, basic('bob', ''))).status, 401)
    samba.unlock('erin')
    for (const wrong of ['x', 'y', 'z']) t.equal(await roleOf(server, 'erin', wrong), refused)
    t.equal(await roleOf(server, 'erin'), refused, 'the domain has locked the user out')
    samba.unlock('erin')
    t.equal(await roleOf(server, 'erin'), 'Operator')
  })

  t.test('a user may be in more groups than a domain sends at once', async (t) => {
    const { server } = await open(t, host)
    t.equal(await roleOf(server, 'frank'), 'Operator')
  })

  t.test('a domain that is stopped or dead changes nothing for those who have an account', async (t) => {
    const { server, samba } = await open(t, host, { connectTime: 1, answerTime: 1 })
    await interrupt(t, server, samba)
    await samba.start()
    await comesBack(server, 'alice')
  })
}

if (lackingNamespaces === undefined) onBothHosts(logins)
else needing('users of a domain', lackingNamespaces, async () => {})
