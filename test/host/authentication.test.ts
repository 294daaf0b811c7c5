import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { onBoards } from './on-boards.ts'
import { admin, anonymous, basic, type Headers, password, start } from './server.ts'

const sessions = '/redfish/v1/SessionService/Sessions'
const accounts = '/redfish/v1/AccountService/Accounts'

onBoards(async (t, board) => {
  t.test('who may ask', async (t) => {
    const server = await board.start(t)

    t.test('the entrance is open to everyone', async (t) => {
      t.same((await server.get('/redfish', anonymous)).json, { v1: '/redfish/v1/' })
      for (const path of ['/redfish/v1/', '/redfish/v1/odata', '/redfish/v1/$metadata', '/redfish/v1/openapi.yaml']) {
        t.equal((await server.get(path, anonymous)).status, 200, path)
      }
    })

    t.test('without credentials everything else is 401, before any other error', async (t) => {
      const { headers } = await server.get('/redfish/v1/Chassis/')
      for (const [method, path, more, body] of [
        ['GET', '/redfish/v1/Chassis/', {}],
        ['GET', '/redfish/v1/Chassis/', { 'if-none-match': String(headers.etag) }],
        ['GET', '/redfish/v1/Chassis/nowhere/', {}],
        ['GET', '/redfish/v1/nowhere/', {}],
        ['GET', '/redfish/v1/Chassis/?$filter=', {}],
        ['HEAD', '/redfish/v1/Chassis/', {}],
        ['DELETE', '/redfish/v1/Chassis/', {}],
        ['GET', '/redfish/v1/Chassis/', { 'odata-version': '3.0' }],
        ['GET', '/redfish/v1/Chassis/', { accept: 'text/html' }],
        ['PATCH', '/redfish/v1/Chassis/', { 'content-type': 'text/plain' }, 'not JSON'],
        ['PATCH', '/redfish/v1/Chassis/', { 'if-match': 'W/"0"' }, '{"LocationIndicatorActive":true}']
      ] as const) {
        const answer = await server.request(method, path, more, body)
        t.equal(answer.status, 401, `${method} ${path} ${JSON.stringify(more)}`)
        t.match(answer.headers['www-authenticate'], /^Basic realm=/)
        if (method !== 'HEAD') t.same(messagesOf(answer), ['Base.NoValidSession()'])
      }
    })

    t.test('HTTP Basic is offered and served as the account service says', async (t) => {
      const { token } = await server.login()
      const source = await EventSource.open(t, server)
      const set = async (HTTPBasicAuth: string) =>
        t.equal((await server.patch('/redfish/v1/AccountService/', { HTTPBasicAuth }, token)).status, 200)
      const asked = async (headers: Headers) => {
        const { status, headers: given } = await server.get('/redfish/v1/Chassis/', headers)
        return [status, given['www-authenticate'] !== undefined]
      }
      t.same(
        [await asked(admin), await asked(anonymous)],
        [
          [200, false],
          [401, true]
        ]
      )
      await set('Unadvertised')
      t.same(
        [await asked(admin), await asked(anonymous), await asked(basic('admin', 'x'))],
        [
          [200, false],
          [401, false],
          [401, false]
        ]
      )
      await set('Disabled')
      t.same(
        [await asked(admin), await asked(token), await asked(anonymous)],
        [
          [401, false],
          [200, false],
          [401, false]
        ]
      )
      t.equal((await server.get('/redfish/v1/AccountService/', token)).json.HTTPBasicAuth, 'Disabled')
      while ((await source.next()) !== undefined);
      t.equal((await server.patch('/redfish/v1/AccountService/', { HTTPBasicAuth: 'No' }, token)).status, 400)
      await set('Enabled')
      t.same(
        [await asked(admin), await asked(anonymous)],
        [
          [200, false],
          [401, true]
        ]
      )
    })

    t.test('a redirect does not reveal whether its target exists', async (t) => {
      const there = await server.get(`${accounts}/admin`, anonymous)
      const nowhere = await server.get(`${accounts}/nowhere`, anonymous)
      t.equal(there.status, nowhere.status)
      t.equal(there.text.replaceAll('/admin/', '/nowhere/'), nowhere.text)
    })

    for (const [what, value] of [
      ['a wrong password', basic('admin', 'Wrong-Secret-1')],
      ['an unknown user', basic('nobody', password)],
      ['an empty user', basic('', '')],
      ['no colon', { authorization: `Basic ${Buffer.from('admin').toString('base64')}` }],
      ['what is not base64', { authorization: 'Basic \u007b\u007b\u007b' }],
      ['no credentials at all', { authorization: 'Basic' }],
      ['bytes that are not UTF-8', { authorization: `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString('base64')}` }],
      ['another scheme', { authorization: 'Bearer 0123456789abcdef' }],
      ['a wrong token', { 'x-auth-token': '0123456789abcdef0123456789abcdef' }],
      ['an empty token', { 'x-auth-token': '' }],
      ['a token of 5,000 characters', { 'x-auth-token': 'f'.repeat(5000) }]
    ] as const) {
      t.test(`${what} is 401`, async (t) => {
        const answer = await server.get('/redfish/v1/Chassis/', value)
        t.equal(answer.status, 401)
        t.match(answer.headers['www-authenticate'], /^Basic realm=/)
      })
    }
  })

  t.test('sessions', async (t) => {
    const server = await board.start(t)

    for (const path of [sessions, `${sessions}/`, `${sessions}/Members`, `${sessions}/Members/`]) {
      t.test(`POST to ${path} opens one`, async (t) => {
        const answer = await server.post(path, { UserName: 'admin', Password: password }, anonymous)
        t.equal(answer.status, 201)
        t.match(answer.headers['x-auth-token'], /^[0-9a-f]{32}$/)
        const location = String(answer.headers.location)
        t.ok(location.startsWith(`${sessions}/`), location)
        t.equal(answer.json['@odata.id'], location)
        t.equal(answer.json.UserName, 'admin')
        t.equal(answer.headers['cache-control'], 'no-store')
        t.equal((await server.delete(location, { 'x-auth-token': String(answer.headers['x-auth-token']) })).status, 200)
      })
    }

    t.test('the token opens every resource until the session is deleted', async (t) => {
      const { token, location } = await server.login()
      t.equal((await server.get('/redfish/v1/Chassis/', token)).status, 200)
      t.equal((await server.delete(location, token)).status, 200)
      t.equal((await server.get('/redfish/v1/Chassis/', token)).status, 401)
      t.equal((await server.get(location)).status, 404)
    })

    t.test('MySession is true in the caller’s own session only', async (t) => {
      const mine = await server.login()
      const other = await server.login()
      t.equal((await server.get(mine.location, mine.token)).json.Oem.Vendor.MySession, true)
      t.equal((await server.get(other.location, mine.token)).json.Oem.Vendor.MySession, false)
      const { Oem, Members } = (await server.get(`${sessions}/`, mine.token)).json
      t.equal(Oem.Vendor.Links.MySession['@odata.id'], mine.location)
      t.ok(Members.some((member: { '@odata.id': string }) => member['@odata.id'] === other.location))
      await server.delete(mine.location)
      await server.delete(other.location)
    })

    t.test('a wrong password opens no session', async (t) => {
      const answer = await server.post(sessions, { UserName: 'admin', Password: 'Wrong-Secret-1' }, anonymous)
      t.equal(answer.status, 401)
      t.same(messagesOf(answer), ['Mgmt.UnauthorizedLoginAttempt()'])
      t.notOk(answer.headers.location)
      t.notOk(answer.headers['x-auth-token'])
    })

    for (const [what, body, message] of [
      ['without a password', { UserName: 'admin' }, 'Base.PropertyMissing(Password)'],
      [
        'with a number as password',
        { UserName: 'admin', Password: 7 },
        'Base.PropertyValueTypeError(******, Password)'
      ],
      ['with a property too many', { UserName: 'admin', Password: password, Age: 7 }, 'Base.PropertyUnknown(Age)'],
      ['that is empty', '', 'Base.EmptyJSON()'],
      ['that is not JSON', 'UserName=admin', 'Base.MalformedJSON()']
    ] as const) {
      t.test(`a login ${what} is told so`, async (t) => {
        const answer = await server.post(sessions, body, anonymous)
        t.equal(answer.status, 400)
        t.same(messagesOf(answer), [message])
      })
    }

    t.test('the 33rd login is refused until a session ends', async (t) => {
      const open = []
      for (let n = 1; n <= 32; n++) open.push(await server.login())
      const refused = await server.post(sessions, { UserName: 'admin', Password: password }, anonymous)
      t.equal(refused.status, 503)
      t.same(messagesOf(refused), ['Base.SessionLimitExceeded()'])
      t.match(refused.headers['retry-after'], /^\d+$/)
      t.notOk(refused.headers.location)
      t.equal((await server.get('/redfish/v1/Chassis/')).status, 200, 'Basic needs no session')
      t.equal((await server.delete(open[0]!.location, open[1]!.token)).status, 200)
      const { token } = await server.login()
      t.equal((await server.get('/redfish/v1/Chassis/', token)).status, 200)
      t.equal((await server.get('/redfish/v1/Chassis/', open[0]!.token)).status, 401)
    })
  })

  t.test('a session that is not used expires, and makes room for a login', async (t) => {
    const configuration = { sessionTimeout: 1, limits: { sessions: 1 } }
    const server = await board.start(t, { configuration })
    const first = await server.login()
    t.equal((await server.get('/redfish/v1/Chassis/', first.token)).status, 200)
    const body = { UserName: 'admin', Password: password }
    const second = await server.until(
      () => server.post(sessions, body, anonymous),
      ({ status }) => status === 201
    )
    const token = { 'x-auth-token': String(second.headers['x-auth-token']) }
    const expired = await server.get('/redfish/v1/Chassis/', first.token)
    t.equal(expired.status, 401)
    t.same(messagesOf(expired), ['Base.NoValidSession()'])
    t.equal((await server.get('/redfish/v1/Chassis/', token)).status, 200)
  })

  t.test('too many wrong passwords lock an account for a while, and no other', async (t) => {
    const server = await board.start(t, { configuration: { lockout: { counterResetAfter: 1 } } })
    const [threshold, duration] = [3, 1]
    const policy = { AccountLockoutThreshold: threshold, AccountLockoutDuration: duration }
    t.equal((await server.patch('/redfish/v1/AccountService/', policy)).status, 200)
    t.equal(
      (await server.post(accounts, { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'ReadOnly' })).status,
      201
    )
    for (let n = 1; n <= threshold; n++) {
      t.equal((await server.get('/redfish/v1/Chassis/', basic('ann', 'Wrong-Secret-1'))).status, 401)
    }
    const locked = await server.get('/redfish/v1/Chassis/', basic('ann', 'Green-Door-4'))
    t.equal(locked.status, 401, 'even with the right password')
    t.match(messagesOf(locked), [/^Mgmt\.LoginAttemptDelayedSeconds\(\d+\)$/])
    t.match(locked.headers['retry-after'], /^\d+$/)
    t.equal((await server.get('/redfish/v1/Chassis/')).status, 200)
    await server.until(
      () => server.get('/redfish/v1/Chassis/', basic('ann', 'Green-Door-4')),
      ({ status }) => status === 200
    )
    t.equal((await server.get(`${accounts}/ann/`)).json.Locked, false)
  })
})

// OpenBMC has no way to ask a user for another password.
onBothHosts(async (t, host) => {
  t.test('an account that has to change its password can do that and nothing else', async (t) => {
    const server = await start(t, host)
    const bob = { UserName: 'bob', Password: 'Green-Door-4', RoleId: 'Operator', PasswordChangeRequired: true }
    t.equal((await server.post(accounts, bob)).status, 201)
    const before = basic('bob', 'Green-Door-4')
    const refused = await server.get('/redfish/v1/Chassis/', before)
    t.equal(refused.status, 403)
    t.same(messagesOf(refused), [`Base.PasswordChangeRequired(${accounts}/bob/)`])
    const session = await server.post(sessions, { UserName: 'bob', Password: 'Green-Door-4' }, anonymous)
    t.equal(session.status, 201, 'a session is opened (DSP0266 13.3.7.1)')
    const token = { 'x-auth-token': String(session.headers['x-auth-token']) }
    t.equal((await server.get('/redfish/v1/Systems/', token)).status, 403)
    t.equal((await server.get(`${accounts}/bob/`, token)).status, 200)
    t.equal((await server.patch(`${accounts}/bob/`, { Password: 'Green-Gate-5' }, token)).status, 200)
    t.equal((await server.get('/redfish/v1/Chassis/', basic('bob', 'Green-Gate-5'))).status, 200)
    t.equal((await server.get('/redfish/v1/Chassis/', before)).status, 401)
  })
})
