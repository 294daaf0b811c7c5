import t from 'tap'
import { acceptWebSocket, asksForWebSocket, list } from '#runtime/request/web-socket.ts'
import { faults } from './faults.ts'

const offer = {
  upgrade: 'websocket',
  connection: 'keep-alive, Upgrade',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ=='
}
const head = (headers: object = {}) => ({ method: 'GET', target: '/', address: '', headers: { ...offer, ...headers } })

t.test('a GET that asks for an upgrade to "websocket" asks for a WebSocket', async (t) => {
  for (const [title, asked, expected] of [
    ['as in RFC 6455', head(), true],
    ['in any case, and in a list', head({ upgrade: 'h2c, WebSocket', connection: 'upgrade' }), true],
    ['a POST', { ...head(), method: 'POST' }, false],
    ['another upgrade', head({ upgrade: 'h2c' }), false],
    ['no upgrade', head({ upgrade: undefined }), false],
    ['a connection that is to be kept', head({ connection: 'keep-alive' }), false],
    ['no connection', head({ connection: undefined }), false]
  ] as const)
    t.equal(asksForWebSocket(asked as Parameters<typeof asksForWebSocket>[0]), expected, title)
})

t.test('an offer is agreed to with its first protocol, and with the example of RFC 6455 1.3', async (t) => {
  const agreed = [
    'Upgrade',
    'websocket',
    'Connection',
    'Upgrade',
    'Sec-WebSocket-Accept',
    's3pPLMBiTxaQ9kYGzzhZRbK+xOo='
  ]
  t.same(acceptWebSocket(head()), agreed)
  t.same(acceptWebSocket(head({ 'sec-websocket-protocol': ' a, b' })), [...agreed, 'Sec-WebSocket-Protocol', 'a'])
})

t.test('another version is 426 with the supported one, and an invalid key is 400', async (t) => {
  for (const version of ['8', undefined]) {
    try {
      acceptWebSocket(head({ 'sec-websocket-version': version }))
      t.fail('it was agreed to')
    } catch (error) {
      t.match(error, { status: 426, headers: { Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' } })
    }
  }
  for (const key of [undefined, '', 'dGhlIHNhbXBsZSBub25jZQ=', 'xdGhlIHNhbXBsZSBub25jZQ==', 'dGhlIHNhbXBsZSBub25jZ!=='])
    t.same(
      faults(() => acceptWebSocket(head({ 'sec-websocket-key': key }))),
      [400, ['Mgmt.MalformedRequest']],
      key ?? 'none'
    )
})

t.test('a list has its words without spaces, and no empty ones', async (t) => {
  for (const [header, words] of [
    [undefined, []],
    ['', []],
    ['a', ['a']],
    [' a ,, b,', ['a', 'b']]
  ] as const)
    t.same(list(header), words)
})
