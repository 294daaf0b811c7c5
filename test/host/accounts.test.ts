import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { onBoards } from './on-boards.ts'
import { basic, start } from './server.ts'

const accounts = '/redfish/v1/AccountService/Accounts'
const ann = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'ReadOnly' }

onBoards(async (t, board) => {
  const server = await board.start(t)

  t.test('an account is created, read, changed and deleted', async (t) => {
    const created = await server.post(accounts, ann)
    t.equal(created.status, 201)
    t.equal(created.headers.location, `${accounts}/ann/`)
    const { json } = await server.get(`${accounts}/ann/`)
    t.match(json, { UserName: 'ann', RoleId: 'ReadOnly', Enabled: true, Locked: false, Password: null })
    t.equal((await server.get('/redfish/v1/Chassis/', basic('ann', ann.Password))).status, 200)

    t.equal((await server.patch(`${accounts}/ann/`, { RoleId: 'Operator' })).status, 200)
    t.equal((await server.get(`${accounts}/ann/`)).json.RoleId, 'Operator')

    t.equal((await server.patch(`${accounts}/ann/`, { Enabled: false })).status, 200)
    t.equal((await server.get('/redfish/v1/Chassis/', basic('ann', ann.Password))).status, 401)

    t.equal((await server.delete(`${accounts}/ann/`)).status, 200)
    t.equal((await server.get(`${accounts}/ann/`)).status, 404)
    t.equal((await server.get(`${accounts}/`)).json['Members@odata.count'], 1)
  })

  t.test('a deleted user’s sessions end, and so do those of one who is disabled', async (t) => {
    for (const end of [
      () => server.patch(`${accounts}/ann/`, { Enabled: false }),
      () => server.delete(`${accounts}/ann/`)
    ]) {
      await server.delete(`${accounts}/ann/`)
      await server.post(accounts, ann)
      const { token } = await server.login('ann', ann.Password)
      t.equal((await server.get('/redfish/v1/Chassis/', token)).status, 200)
      t.equal((await end()).status, 200)
      t.equal((await server.get('/redfish/v1/Chassis/', token)).status, 401)
    }
  })

  t.test('a new password holds at once, and the old one no longer', async (t) => {
    await server.post(accounts, ann)
    t.equal((await server.get('/redfish/v1/Chassis/', basic('ann', ann.Password))).status, 200)
    t.equal((await server.patch(`${accounts}/ann/`, { Password: 'Green-Gate-5' })).status, 200)
    t.equal((await server.get('/redfish/v1/Chassis/', basic('ann', ann.Password))).status, 401)
    t.equal((await server.get('/redfish/v1/Chassis/', basic('ann', 'Green-Gate-5'))).status, 200)
    await server.delete(`${accounts}/ann/`)
  })

  t.test('a taken name, an unknown role and a short password are refused', async (t) => {
    for (const [body, status, message] of [
      [{ ...ann, UserName: 'admin' }, 400, /^Base\.ResourceAlreadyExists\(/],
      [{ ...ann, RoleId: 'King' }, 400, /^Base\.PropertyValueNotInList\(King, RoleId\)$/],
      [{ ...ann, Password: 'short' }, 400, /^Mgmt\.PasswordTooWeak\(.+\)$/],
      [{ ...ann, Password: 'I am Ann!' }, 400, /^Mgmt\.PasswordContainsUserName\(\)$/],
      [{ ...ann, Password: 'Password1' }, 400, /^Mgmt\.PasswordTooCommon\(\)$/],
      [{ ...ann, UserName: '' }, 400, /^Base\.StringValueTooShort\(, 1\)$/],
      [{ ...ann, UserName: 'a/b' }, 400, /^Base\.\w+\(.*UserName\)$/],
      [{ UserName: 'ann', RoleId: 'ReadOnly' }, 400, /^Base\.PropertyMissing\(Password\)$/]
    ] as const) {
      const answer = await server.post(accounts, body)
      t.ok([status, 409].includes(answer.status), answer.text)
      t.match(messagesOf(answer), [message])
      t.notOk(messagesOf(answer).join().includes('short'), 'a password is not echoed')
    }
    t.equal((await server.get(`${accounts}/`)).json['Members@odata.count'], 1)
  })

  t.test('the predefined roles show their privileges, and cannot be changed', async (t) => {
    for (const role of ['Administrator', 'Operator', 'ReadOnly']) {
      const { json, headers } = await server.get(`/redfish/v1/AccountService/Roles/${role}/`)
      t.ok(json.AssignedPrivileges.includes('Login'))
      t.equal(json.IsPredefined, true)
      t.equal(headers.allow, 'GET, HEAD')
    }
  })
})

// On OpenBMC there is an administrator before the first start, and PAM decides when a password is too old.
onBothHosts(async (t, host) => {
  t.test('a password expires, may not return, and an account without the type Redfish does not log in', async (t) => {
    const server = await start(t, host)
    await server.post(accounts, ann)
    await server.patch('/redfish/v1/AccountService/', { EnforcePasswordHistoryCount: 2 })
    const read = async (password: string) => {
      const answer = await server.get('/redfish/v1/Chassis/1/', basic('ann', password))
      return answer.status === 200 ? 200 : [answer.status, ...messagesOf(answer)]
    }
    const change = (body: object) => server.patch(`${accounts}/ann/`, body)
    for (const time of ['first', 'second', 'third']) t.equal(await read(ann.Password), 200, `the ${time} read`)
    t.equal((await change({ PasswordExpiration: '2020-01-01T00:00:00Z' })).status, 200)
    t.match(await read(ann.Password), [403, /^Base\.PasswordChangeRequired/])
    t.same(messagesOf(await change({ Password: ann.Password })), [
      'Mgmt.PasswordTooWeak(a difference from the present one)'
    ])
    t.equal((await change({ Password: 'Green-Gate-5' })).status, 200)
    t.same(messagesOf(await change({ Password: ann.Password })), ['Mgmt.PasswordTooWeak(a difference from the last 2)'])
    t.equal(await read('Green-Gate-5'), 200)
    t.equal((await change({ AccountTypes: ['HostConsole'], StrictAccountTypes: true })).status, 200)
    t.match(await read('Green-Gate-5'), [401, /^Mgmt\.UnauthorizedLoginAttempt/])
  })

  t.test('a guessable first password is accepted with a warning, a later one is refused', async (t) => {
    const given = 'password1'
    const weak = await start(t, host, { env: { MINNOW_ADMIN_PASSWORD: given } })
    const warning = weak.process.stderr.find((line) => line.includes('easy to guess')) ?? ''
    t.match(JSON.parse(warning), { level: 'warning', cause: 'The password is too common.' })
    t.notOk(weak.process.stderr.join().includes(given))
    const admin = basic('admin', given)
    const change = (Password: string) => weak.patch(`${accounts}/admin/`, { Password }, admin)
    t.same(messagesOf(await change('admin-2025')), ['Mgmt.PasswordContainsUserName()'])
    const policy = { Oem: { Vendor: { RefuseGuessablePasswords: false } } }
    t.equal((await weak.patch('/redfish/v1/AccountService/', policy, admin)).status, 200)
    t.equal((await change('admin-2025')).status, 200)
  })
})
