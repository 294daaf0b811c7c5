import type { Test } from 'tap'
import { trust } from './certificate-users.ts'
import { interrupt, refused, roleOf, service } from './directory-logins.ts'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { messagesOf } from './messages-of.ts'
import { admin, basic, type Json, password, start } from './server.ts'
import { Slapd, secret } from './slapd.ts'

const testAction = `${service}Actions/Oem/Vendor/VendorAccountService.TestDirectory/`
const chassis = '/redfish/v1/Chassis/1/'

/** A service that has its users from OpenLDAP as well. */
async function open(t: Test, host: Host, directory: Json = {}) {
  const slapd = await Slapd.start(t)
  const server = await start(t, host, { configuration: { directory: { pause: 0.2, ...directory } } })
  await trust(server, slapd.authority)
  const set = async (body: Json) => {
    const { status, text } = await server.patch(service, body)
    t.equal(status, 200, text)
  }
  await set({ LDAP: slapd.settings() })
  return { slapd, server, set }
}

onBothHosts(async (t, host) => {
  t.test('users of a directory log in with the roles of their groups', async (t) => {
    const { server, slapd, set } = await open(t, host)
    const roles = async () => {
      const found: Json = {}
      for (const user of ['alice', 'bob', 'carol', 'dave', 'eve']) found[user] = await roleOf(server, user)
      return found
    }
    // Alice is in a group that is in another; Carol is in none that a mapping names.
    const expected = { alice: 'Administrator', bob: 'Operator', carol: refused, dave: 'ReadOnly', eve: refused }
    t.same(await roles(), expected, 'a search finds them, under TLS from the start')
    await set({ LDAP: { ServiceAddresses: [slapd.ldap] } })
    t.same(await roles(), expected, 'with StartTLS')
    await set({ LDAP: slapd.templateSettings() })
    t.equal(await roleOf(server, 'alice'), 'Administrator', 'by a template')
    t.equal(await roleOf(server, 'bob'), 'Operator')
    t.equal(await roleOf(server, 'bob', `${secret}x`), refused)
    await set({ LDAP: { RemoteRoleMapping: [{ RemoteGroup: 'everyone', LocalRole: 'ReadOnly' }] } })
    t.equal(await roleOf(server, 'alice'), 'ReadOnly', 'three groups up')
  })

  t.test('a session and Basic requests show where their user comes from, and have no more than the role', async (t) => {
    const { server } = await open(t, host)
    const { token, location } = await server.login('bob', secret)
    t.match((await server.get(location, token)).json, {
      UserName: 'bob',
      Roles: ['Operator'],
      Oem: { Vendor: { UserType: 'LDAP', MySession: true, Privileges: { UserConfigPriv: false, LoginPriv: true } } }
    })
    t.equal((await server.get(chassis, token)).status, 200)
    t.equal((await server.patch(service, { AccountLockoutThreshold: 3 }, token)).status, 403)
    t.equal((await server.get(chassis, basic('bob', secret))).status, 200)
    t.equal((await server.patch(service, { AccountLockoutThreshold: 3 }, basic('bob', secret))).status, 403)
    t.equal((await server.get(chassis, basic('bob', 'x'))).status, 401)
    t.equal((await server.get(chassis, basic('bob', ''))).status, 401)
    t.same((await server.get(`${service}Accounts/`)).json.Members.length, 1, 'there is no account')
    t.equal((await server.delete(location, token)).status, 200)
    t.equal((await server.get(chassis, token)).status, 401)
  })

  t.test('sessions end when the settings that they rest on change', async (t) => {
    const { server, set, slapd } = await open(t, host)
    for (const change of [
      { LDAP: { RemoteRoleMapping: [{ RemoteUser: 'bob', LocalRole: 'ReadOnly' }] } },
      { LDAP: { ServiceEnabled: false } }
    ]) {
      const { token } = await server.login('bob', secret)
      const other = await server.login()
      t.equal((await server.get(chassis, token)).status, 200)
      t.equal((await server.get(chassis, basic('bob', secret))).status, 200)
      await set(change)
      t.equal((await server.get(chassis, token)).status, 401)
      t.equal((await server.get(chassis, other.token)).status, 200)
    }
    t.equal((await server.get(chassis, basic('bob', secret))).status, 401)
    t.equal(await roleOf(server, 'bob'), refused)
    await set({ LDAP: slapd.settings() })
    const { token } = await server.login('alice', secret)
    await server.stop()
    const again = await start(t, host, { data: server.data })
    t.equal((await again.get(chassis, token)).status, 200, 'a restart ends none')
  })

  t.test('a directory that is stopped or dead delays and changes nothing for those who have an account', async (t) => {
    const { server, set, slapd } = await open(t, host, { connectTime: 1, answerTime: 1 })
    await interrupt(t, server, slapd)
    for (const LocalAccountAuth of ['Enabled', 'LocalFirst', 'Fallback']) {
      await set({ LocalAccountAuth })
      t.equal(await roleOf(server, 'admin', password), 'Administrator', LocalAccountAuth)
    }
  })

  t.test('local accounts log in as LocalAccountAuth says', async (t) => {
    const { server, set } = await open(t, host)
    const Accounts = `${service}Accounts`
    await server.post(Accounts, { UserName: 'bob', Password: 'Tin-Whistle-8', RoleId: 'ReadOnly' })
    const { token } = await server.login()
    const both = async () => [await roleOf(server, 'bob', 'Tin-Whistle-8'), await roleOf(server, 'bob')]
    t.same(await both(), ['ReadOnly', refused], 'a name of an account is no name of a directory')
    await set({ LocalAccountAuth: 'LocalFirst' })
    t.same(await both(), ['ReadOnly', 'Operator'])
    const last = await server.patch(service, { LocalAccountAuth: 'Disabled', LDAP: { ServiceEnabled: false } })
    t.same([last.status, messagesOf(last)], [400, ['Base.PropertyValueConflict(LocalAccountAuth, ServiceEnabled)']])
    for (const LocalAccountAuth of ['Disabled', 'Fallback']) {
      t.equal((await server.patch(service, { LocalAccountAuth }, token)).status, 200)
      t.same(await both(), [refused, 'Operator'], LocalAccountAuth)
      t.equal((await server.get(chassis, admin)).status, 401)
      const asAlice = await server.patch(service, { LocalAccountAuth: 'LocalFirst' }, basic('alice', secret))
      t.equal(asAlice.status, 200)
    }
    t.equal((await server.get(chassis, token)).status, 200, 'sessions go on')
  })

  t.test('a server that no trusted authority vouches for is told no password', async (t) => {
    const slapd = await Slapd.start(t)
    const server = await start(t, host, { configuration: { directory: { pause: 0 } } })
    for (const address of [slapd.ldaps, slapd.ldap, slapd.ldaps.replace('127.0.0.1', 'localhost')]) {
      t.equal((await server.patch(service, { LDAP: slapd.settings(address) })).status, 200)
      t.match(await roleOf(server, 'bob'), /^503/, address)
    }
    await trust(server, slapd.authority)
    t.equal(await roleOf(server, 'bob'), 'Operator', 'a name is one that the certificate has')
  })

  t.test('a server without TLS is told no password, and is one that does not answer', async (t) => {
    const slapd = await Slapd.start(t, false)
    const server = await start(t, host)
    t.equal((await server.patch(service, { LDAP: slapd.settings(slapd.ldap) })).status, 200)
    t.match(await roleOf(server, 'bob'), /^503/)
    // Then everything that it said has been read.
    t.equal(await server.stop(), 0)
    t.match(server.process.stderr.join(), /the directory answers with the result 2/)
  })

  t.test('failed logins of users of a directory count, and the password for searches is nowhere', async (t) => {
    const { server, set, slapd } = await open(t, host)
    await set({ AccountLockoutThreshold: 2 })
    t.equal(await roleOf(server, 'bob', 'x'), refused)
    t.equal(await roleOf(server, 'BOB', 'y'), refused)
    t.match(await roleOf(server, 'bob'), /^401 Mgmt.LoginAttemptDelayedSeconds/)
    t.equal(await roleOf(server, 'alice'), 'Administrator')
    const shown = (await server.get(service)).text
    t.match(JSON.parse(shown).LDAP.Authentication, { Password: null })
    t.notMatch(shown, new RegExp(slapd.settings().Authentication.Password))
  })

  t.test('a test of a directory names each server that logins could not use, and why', async (t) => {
    const slapd = await Slapd.start(t)
    const server = await start(t, host, { configuration: { directory: { connectTime: 1, answerTime: 1 } } })
    const set = async (LDAP: Json) => t.equal((await server.patch(service, { LDAP })).status, 200)
    const tested = async (Directory = 'LDAP') => {
      const answer = await server.post(testAction, { Directory })
      return [answer.status, ...messagesOf(answer)].join(' ')
    }
    t.equal(await tested('ActiveDirectory'), '400 Base.PropertyMissing(ServiceAddresses)')
    await set({ ...slapd.settings(), ServiceEnabled: false, ServiceAddresses: [slapd.ldaps, slapd.ldap] })
    const untrusted = `Mgmt.DirectoryTestFailed\\(${slapd.ldaps}, .*certificate.*\\) Mgmt.DirectoryTestFailed\\(${slapd.ldap}, `
    t.match(await tested(), new RegExp(`^400 ${untrusted}`, 'i'), 'no authority is trusted')
    await trust(server, slapd.authority)
    t.equal(await tested(), '200 Base.Success()', 'also while it is disabled')
    await set({ Authentication: { Password: 'wrong' } })
    t.match(await tested(), /^400 .*the directory refuses the name or the password for searches/)
    const { Authentication } = slapd.settings()
    const BaseDistinguishedNames = ['dc=example,dc=net', 'ou=elsewhere,dc=example,dc=net']
    await set({ Authentication, LDAPService: { SearchSettings: { BaseDistinguishedNames } } })
    t.match(await tested(), /^400 .*the directory shows no entry ou=elsewhere,dc=example,dc=net/)
    await set(slapd.templateSettings())
    t.equal(await tested(), '200 Base.Success()', 'with a template, without a bind')
    await slapd.freeze()
    t.match(await tested(), /^400 .*does not answer within 1 s/)
    slapd.thaw()
    t.equal(await roleOf(server, 'bob'), 'Operator', 'a failed test does not suspend the server')
    t.equal((await server.post(testAction, { Directory: 'LDAP' }, basic('bob', secret))).status, 403)
  })

  t.test('what is no part of a name is no part of a filter', async (t) => {
    const { server } = await open(t, host)
    for (const user of ['*', 'b*', 'bob)(uid=*', 'bob\\2a', 'uid=bob,ou=people', 'bo\u0000b', 'bob,ou=people', '']) {
      t.match(await roleOf(server, user), /^40[01]/, user)
    }
  })
})
