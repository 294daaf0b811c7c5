import t from 'tap'
import { openFixture, password } from '#test/runtime/service.ts'

const sessions = '/redfish/v1/SessionService/Sessions/'

t.test('a use that the host notes in the cell of a session is its last use', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const login = async () => {
    const { headers } = await fixture.ask('POST', sessions, { UserName: 'admin', Password: password }, {})
    const uri = headers.location ?? ''
    const id = uri.split('/').at(-2) ?? ''
    const use = () => fixture.service.sessions.untilStored(id)?.use
    const token = { 'x-auth-token': headers['x-auth-token'] ?? '' }
    const accessed = async () => Date.parse((await fixture.ask('GET', uri)).json.Oem.Vendor.AccessTime)
    return { uri, use, token, accessed }
  }
  const [first, second] = [await login(), await login()]
  const [cell, other] = [first.use(), second.use()]
  if (cell === undefined || other === undefined) return t.fail('a session without a cell')
  t.equal(cell.buffer, other.buffer, 'one buffer, which the host holds as a whole')
  const [before, otherBefore] = [await first.accessed(), await second.accessed()]
  const [used = 0] = cell
  cell[0] = used + 20_000
  t.equal(await first.accessed(), before + 20_000)
  t.equal(await second.accessed(), otherBefore)
  fixture.sleep(60)
  t.equal((await fixture.ask('GET', first.uri, undefined, first.token)).status, 200)
  t.ok((cell[0] ?? 0) >= used + 60_000, 'the service notes a use in the same cell')
  await fixture.ask('DELETE', first.uri)
  t.equal(first.use(), undefined)
  t.equal((await login()).use()?.byteOffset, cell.byteOffset, 'a new session takes the cell of one that has ended')
})

t.test('all sessions are valid after a restart with a lower limit of sessions', async (t) => {
  const first = await openFixture()
  const tokens: string[] = []
  for (let login = 0; login < 3; login += 1) {
    const { headers } = await first.ask('POST', sessions, { UserName: 'admin', Password: password }, {})
    tokens.push(headers['x-auth-token'] ?? '')
  }
  await first.service.close()
  const second = await openFixture(({ limits }) => Object.assign(limits, { sessions: 2 }), first.directory)
  t.teardown(() => second.close())
  for (const token of tokens)
    t.equal((await second.ask('GET', sessions, undefined, { 'x-auth-token': token })).status, 200)
})
