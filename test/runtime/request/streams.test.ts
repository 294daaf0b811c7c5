import t from 'tap'
import { as, openFixture, password } from '../service.ts'

const sse = '/redfish/v1/EventService/SSE'
const line = '/redfish/v1/Systems/1/SerialConsole'
const offer = {
  upgrade: 'websocket',
  connection: 'upgrade',
  'sec-websocket-version': '13',
  'sec-websocket-key': `${'A'.repeat(22)}==`
}

t.test('HEAD of a stream has its headers, and takes no place', async (t) => {
  const fixture = await openFixture(({ limits }) => Object.assign(limits, { streams: 0 }))
  t.teardown(() => fixture.close())
  const head = await fixture.ask('HEAD', sse)
  t.match(head, { status: 200, headers: { allow: 'GET, HEAD', 'content-type': /^text\/event-stream/ }, text: '' })
  t.equal((await fixture.ask('GET', sse)).status, 503)
  const accepts = async (accept: string) =>
    (await fixture.ask('HEAD', sse, undefined, { ...as('admin', password), accept })).status
  t.same([await accepts('text/event-stream'), await accepts('application/json')], [200, 406])
})

t.test('with an upgrade a client types to a console; without one, its last output is shown, as bytes', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const headers = { ...offer, ...as('admin', password) }
  const upgrade = { method: 'GET', target: line, headers, address: '::1' }
  const { status, exchange } = await fixture.service.handling.handle(upgrade)
  t.equal(status, 101)
  let seen = ''
  const client = exchange?.({
    write: (bytes) => {
      seen += Buffer.from(bytes).toString()
    },
    unread: () => 0,
    end: () => {},
    cut: () => {}
  })
  client?.received(Buffer.from('root\r'))
  t.equal(seen, 'root\r\r\nlogin: ')
  client?.gone(false)
  const got = await fixture.ask('GET', line)
  t.match(got, {
    status: 200,
    headers: { 'content-type': 'application/octet-stream', 'cache-control': 'no-store', allow: 'GET, HEAD' },
    text: seen
  })
  const head = await fixture.ask('HEAD', line)
  t.match(head, { status: 200, text: '', headers: { 'content-length': got.headers['content-length'] } })
  const accept = { ...as('admin', password), accept: 'application/json' }
  t.equal((await fixture.ask('GET', line, undefined, accept)).status, 406)
  t.equal((await fixture.ask('GET', '/redfish/v1/Systems/2/SerialConsole')).status, 404)
})
