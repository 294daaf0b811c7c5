import t from 'tap'
import { parseSyslogDestination, passesSyslog, syslogFrame } from '#data/events'

const message = {
  facility: 'Local0',
  severity: 'Warning',
  time: '2026-01-02T03:04:05.678Z',
  host: 'bmc-7.example',
  kind: 'AccountLocked',
  text: '{"a":1}'
} as const

t.test('a message has its length, its priority and its fields ahead of its text', async (t) => {
  t.equal(syslogFrame(message), '78 <132>1 2026-01-02T03:04:05.678Z bmc-7.example minnow - AccountLocked - {"a":1}')
})

t.test('its length counts octets for all characters', async (t) => {
  const [length = '', ...rest] = syslogFrame({ ...message, text: '{"a":"\u00e9\u{1f41f}\u007f"}' }).split(' ')
  t.equal(Buffer.byteLength(rest.join(' ')), Number(length))
  t.same(JSON.parse(rest.at(-1) ?? ''), { a: '\u00e9\u{1f41f}\u007f' })
})

t.test('a long message is cut, and so are long names', async (t) => {
  const frame = syslogFrame({ ...message, kind: 'k'.repeat(40), host: 'h'.repeat(300), text: 'x'.repeat(9000) })
  t.match(frame, /^8192 <132>1 \S+ h{255} minnow - k{32} - x+$/)
  t.equal(frame.length, '8192 '.length + 8192)
})

t.test('filters let messages pass by facility and severity; one that does is enough', async (t) => {
  t.ok(passesSyslog([], message))
  t.ok(passesSyslog([{}], message))
  t.ok(passesSyslog([{ LogFacilities: [], LowestSeverity: 'All' }], message))
  t.notOk(passesSyslog([{ LogFacilities: ['Daemon'] }], message))
  t.ok(passesSyslog([{ LowestSeverity: 'Warning' }], message))
  t.notOk(passesSyslog([{ LowestSeverity: 'Error' }], message))
  t.ok(passesSyslog([{ LogFacilities: ['Daemon'] }, { LogFacilities: ['Local0', 'User'] }], message))
})

t.test('the destination is a server, with a port unless it is the default', async (t) => {
  t.same(parseSyslogDestination('syslog://logs.example'), { host: 'logs.example', port: 6514 })
  t.same(parseSyslogDestination('syslog://[2001:db8::1]:1514/'), { host: '[2001:db8::1]', port: 1514 })
  for (const text of [
    'logs.example',
    'https://a',
    'syslog://',
    'syslog://a/b',
    'syslog://me@a',
    'syslog://a:0',
    'syslog://a:70000'
  ])
    t.equal(parseSyslogDestination(text), undefined, text)
})
