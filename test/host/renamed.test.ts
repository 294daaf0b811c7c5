import type { Test } from 'tap'
import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { admin, basic, password, type Server, start } from './server.ts'

const accounts = '/redfish/v1/AccountService/Accounts'
const chassis = '/redfish/v1/Chassis/1/'
const secret = 'Green-Door-4'
const ann = `${accounts}/ann/`

async function create(t: Test, server: Server, UserName: string, RoleId = 'ReadOnly'): Promise<string> {
  const { status, headers } = await server.post(accounts, { UserName, Password: secret, RoleId })
  t.equal(status, 201)
  return String(headers.location)
}

const may = async (server: Server, user: string) => (await server.get(chassis, basic(user, secret))).status === 200

onBothHosts(async (t, host) => {
  t.test('an account that is renamed keeps its URI, and logs in by the new name only', async (t) => {
    const server = await start(t, host)
    await create(t, server, 'ann')
    const { token, location } = await server.login('ann', secret)
    // Credentials that are known are not checked again.
    for (let use = 0; use < 3; use += 1) t.ok(await may(server, 'ann'))
    t.equal((await server.patch(ann, { UserName: 'anna' })).status, 200)
    t.same([await may(server, 'ann'), await may(server, 'anna')], [false, true])
    t.match((await server.get(ann)).json, { Id: 'ann', UserName: 'anna' })
    t.equal((await server.get(chassis, token)).status, 401, 'its sessions end')
    t.equal((await server.get(location)).status, 404)
    const again = await server.login('anna', secret)
    t.equal((await server.get(again.location)).json.UserName, 'anna')
    t.equal((await server.patch(ann, { Password: 'Green-Gate-5' }, again.token)).status, 200, 'it is its own')
    const who = basic('anna', 'Green-Gate-5')
    t.equal((await server.patch(ann, { UserName: 'root' }, who)).status, 403)
    for (const [UserName, status, message] of [
      ['admin', 409, 'Base.ResourceAlreadyExists(ManagerAccount, UserName, admin)'],
      ['an:na', 400, 'Base.PropertyValueFormatError(an:na, UserName)'],
      ['', 400, 'Base.StringValueTooShort(, 1)'],
      ['a'.repeat(65), 400, /^Base\.StringValueTooLong\(/]
    ] as const) {
      const answer = await server.patch(ann, { UserName })
      t.equal(answer.status, status)
      t.match(messagesOf(answer), [message])
    }
  })

  t.test('a new account under the old name is another one', async (t) => {
    const server = await start(t, host)
    await create(t, server, 'ann', 'Administrator')
    const { token } = await server.login('ann', secret)
    await server.patch(ann, { UserName: 'anna' })
    const other = await create(t, server, 'ann')
    t.equal(other, `${accounts}/ann-2/`)
    t.same([await may(server, 'ann'), await may(server, 'anna')], [true, true])
    t.equal((await server.get(chassis, token)).status, 401)
    t.equal((await server.patch(other, { UserName: 'anna' })).status, 409)
    t.equal((await server.delete(other)).status, 200)
    t.same([await may(server, 'ann'), await may(server, 'anna')], [false, true])
    t.equal((await server.get(ann, basic('anna', secret))).json.RoleId, 'Administrator')
  })

  t.test('an account that is locked stays so under another name', async (t) => {
    const server = await start(t, host)
    await create(t, server, 'ann')
    for (let failed = 0; failed < 5; failed += 1) await server.get(chassis, basic('ann', 'wrong'))
    await server.patch(ann, { UserName: 'anna' })
    const early = await server.get(chassis, basic('anna', secret))
    t.match(messagesOf(early), [/^Mgmt\.LoginAttemptDelayedSeconds\(/])
    t.equal((await server.get(ann)).json.Locked, true)
    await server.patch(ann, { Locked: false })
    t.ok(await may(server, 'anna'))
  })

  t.test('the first administrator renames itself, and no other one is made in its place', async (t) => {
    const first = await start(t, host)
    const { token } = await first.login()
    t.equal((await first.patch(`${accounts}/admin/`, { UserName: 'root' }, token)).status, 200)
    t.equal((await first.get(chassis, token)).status, 401)
    await first.stop()
    const second = await start(t, host, { data: first.data })
    t.equal((await second.get(chassis, admin)).status, 401)
    const root = basic('root', password)
    const { json } = await second.get(`${accounts}/`, root)
    t.same(json.Members, [{ '@odata.id': `${accounts}/admin/` }])
    t.match((await second.get(`${accounts}/admin/`, root)).json, { UserName: 'root', RoleId: 'Administrator' })
  })
})
