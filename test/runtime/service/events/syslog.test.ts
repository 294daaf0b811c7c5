import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import t from 'tap'
import { log, setLogLevel } from '#runtime/base/log.ts'
import { event } from '#runtime/contract'
import { makeSigner } from '#test/host/certificates.ts'
import { pendingTimers } from '#test/runtime/service/timers.ts'
import { deadPort } from './subscriber.ts'
import { SyslogReceiver } from './syslog-receiver.ts'
import { shortenTimers, Telling } from './telling.ts'

const { certificate: cert, key } = makeSigner(t, {
  subject: '/CN=receiver',
  extensions: ['subjectAltName=IP:127.0.0.1']
})
const identity = { key, cert }
const locked = (name: string) => event('MgmtEvents.AccountLocked', `/redfish/v1/AccountService/Accounts/${name}`, name)

t.test('events and lines of the log reach a receiver of syslog, in their order and over one connection', async (t) => {
  const telling = await Telling.open(t)
  const receiver = await SyslogReceiver.open(t, identity)
  await telling.subscribe('1', receiver.uri, { syslog: [] })
  await telling.events.emit(locked('ann'))
  log.warning('it rains', { depth: 3 })
  await telling.events.emit(locked('bob'))
  const first = await receiver.next('AccountLocked')
  t.match(first, { priority: 16 * 8 + 4, host: 'bmc-7', program: 'minnow' })
  t.match(first.json, { MessageId: 'MgmtEvents.1.0.AccountLocked', MessageArgs: ['ann'], MessageSeverity: 'Warning' })
  t.match(await receiver.next('log'), { priority: 3 * 8 + 4, json: { message: 'it rains', depth: 3 } })
  t.match((await receiver.next('AccountLocked')).json, { MessageArgs: ['bob'] })
  await telling.until('1', ({ delivered, queued }) => delivered === 3 && queued === 0)
  t.equal(receiver.connections, 1)
})

t.test('filters choose by facility and severity', async (t) => {
  const telling = await Telling.open(t)
  const receiver = await SyslogReceiver.open(t, identity)
  await telling.subscribe('1', receiver.uri, {
    syslog: [
      { LogFacilities: ['Daemon'], LowestSeverity: 'Error' },
      { LogFacilities: ['Local0'], LowestSeverity: 'Warning' }
    ]
  })
  log.warning('it rains')
  await telling.events.emit(event('MgmtEvents.ControllerStarted', '/redfish/v1/Managers/1'))
  log.error('it pours')
  await telling.events.emit(locked('ann'))
  await receiver.next('AccountLocked')
  t.same(
    receiver.received.map(({ kind, json }) => [kind, json.message ?? json.MessageArgs[0]]),
    [
      ['log', 'it pours'],
      ['AccountLocked', 'ann']
    ]
  )
})

t.test('lines about deliveries are not delivered themselves', async (t) => {
  const telling = await Telling.open(t)
  const receiver = await SyslogReceiver.open(t, identity)
  setLogLevel('debug')
  t.teardown(() => setLogLevel('info'))
  await telling.subscribe('1', receiver.uri, { syslog: [] })
  await telling.events.emit(locked('ann'))
  await telling.until('1', ({ delivered }) => delivered === 1)
  log.info('the last one')
  t.match((await receiver.next('log')).json, { message: 'the last one' })
})

t.test('messages wait for a receiver, the oldest are dropped, and the rest is sent when it is back', async (t) => {
  const telling = await Telling.open(t)
  const port = await deadPort()
  const more = { syslog: [], mostQueued: 2, retryAttempts: 10_000, retryInterval: 0.01 }
  await telling.subscribe('1', `syslog://127.0.0.1:${port}`, more)
  for (const each of ['one', 'two', 'three']) {
    log.info(each)
    await telling.until('1', ({ trouble, queued }) => trouble === 'failing' && queued > 0)
  }
  await telling.until('1', ({ queueFull, queued }) => queueFull === 1 && queued === 2)
  t.match(telling.subscriptions.status('1').failure, /ECONNREFUSED/)
  const receiver = await SyslogReceiver.open(t, identity, port)
  t.equal((await receiver.next('log')).json.message, 'two')
  t.equal((await receiver.next('log')).json.message, 'three')
})

t.test('a connection that the receiver closed is opened again', async (t) => {
  const telling = await Telling.open(t)
  const receiver = await SyslogReceiver.open(t, identity)
  await telling.subscribe('1', receiver.uri, { syslog: [] })
  log.info('one')
  await receiver.next('log')
  await telling.until('1', ({ queued }) => queued === 0)
  receiver.cut()
  while (receiver.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve))
  log.info('two')
  t.equal((await receiver.next('log')).json.message, 'two')
  t.equal(receiver.connections, 2)
})

t.test('an idle connection is closed after `events.keepAlive` seconds', async (t) => {
  const telling = await Telling.open(t, { settings: { keepAlive: 3600 } })
  const receiver = await SyslogReceiver.open(t, identity)
  const waited = shortenTimers(t, 3_600_000)
  await telling.subscribe('1', receiver.uri, { syslog: [] })
  log.info('one')
  await receiver.next('log')
  while (receiver.sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  t.equal(receiver.connections, 1)
  t.same(waited, [3_600_000])
})

t.test('certificates are checked as those of other subscribers, and the own one is shown when asked for', async (t) => {
  const own = makeSigner(t, { subject: '/CN=bmc' })
  const authorities: string[] = []
  const trust = { authorities: () => authorities, identity: () => ({ cert: own.certificate, key: own.key }) }
  const telling = await Telling.open(t, { trust })
  const receiver = await SyslogReceiver.open(t, { ...identity, requestCert: true, rejectUnauthorized: false })
  const more = { syslog: [], retryAttempts: 10_000, retryInterval: 0.01 }
  await telling.subscribe('1', receiver.uri, { ...more, verifyCertificate: true, mutualAuthentication: true })
  await telling.events.emit(locked('ann'))
  await telling.until('1', ({ failure }) => failure !== '')
  t.match(telling.subscriptions.status('1').failure, /self.signed|unable to verify/i)
  t.same(receiver.received, [])
  authorities.push(cert)
  t.equal((await receiver.next('AccountLocked')).shown, 'bmc')
})

t.test('a new certificate is shown over a new connection, and the same one over the same', async (t) => {
  let own = makeSigner(t, { subject: '/CN=first' })
  const trust = { identity: () => ({ cert: own.certificate, key: own.key }) }
  const telling = await Telling.open(t, { trust })
  const receiver = await SyslogReceiver.open(t, { ...identity, requestCert: true, rejectUnauthorized: false })
  await telling.subscribe('1', receiver.uri, { syslog: [], mutualAuthentication: true })
  for (const [subject, connections] of [
    ['first', 1],
    ['first', 1],
    ['second', 2]
  ] as const) {
    if (subject === 'second') own = makeSigner(t, { subject: '/CN=second' })
    log.info(subject)
    t.same([(await receiver.next('log')).shown, receiver.connections], [subject, connections])
    await telling.until('1', ({ queued }) => queued === 0)
  }
})

t.test('an event that was delivered does not come again after a restart because a line waits', async (t) => {
  const before = await Telling.open(t, { settings: { saveEvery: 600 } })
  const receiver = await SyslogReceiver.open(t, identity)
  const more = { syslog: [], retryAttempts: 10_000, retryInterval: 600 }
  await before.subscribe('1', receiver.uri, more)
  await before.events.emit(locked('ann'))
  await before.until('1', ({ delivered }) => delivered === 1)
  await before.store.commit({ subscription: { 1: { destination: `syslog://127.0.0.1:${await deadPort()}` } } })
  log.info('lost')
  await before.until('1', ({ failure, queued }) => failure !== '' && queued === 1)
  await before.close()
  const after = await Telling.open(t, { directory: before.directory })
  t.match(after.subscriptions.status('1'), { queued: 0, delivered: 1 })
})

t.test('an event stays for another subscriber when lines that came after it are delivered or given up', async (t) => {
  const telling = await Telling.open(t, { most: 1 })
  const receiver = await SyslogReceiver.open(t, identity)
  const dead = await deadPort()
  const waits = { retryInterval: 600, retryAttempts: 9 }
  await telling.subscribe('1', `https://127.0.0.1:${dead}/`, waits)
  await telling.subscribe('2', receiver.uri, { syslog: [] })
  await telling.subscribe('3', `syslog://127.0.0.1:${dead}`, { syslog: [], ...waits })
  await telling.events.emit(locked('ann'))
  for (const each of ['one', 'two', 'three']) log.info(each)
  await telling.until('2', ({ delivered }) => delivered === 4)
  t.equal(telling.subscriptions.status('3').queued, 4)
  await telling.store.commit({ subscription: { 3: null } })
  for (const name of ['bob', 'eva']) await telling.events.emit(locked(name))
  await telling.until('2', ({ delivered }) => delivered === 6)
  await telling.events.emit(locked('ida'))
  const kept = telling.store.keys('event').map((key) => telling.store.get('event', key)?.args)
  t.same(kept, [['ann'], ['bob'], ['eva'], ['ida']])
})

t.test(
  'a receiver that does not answer the TLS handshake fails after `events.connectTime`, and its connection is closed',
  async (t) => {
    const telling = await Telling.open(t, { settings: { connectTime: 0.05 } })
    const sockets: Socket[] = []
    const silent = createServer((socket) => void sockets.push(socket.resume())).listen(0, '127.0.0.1')
    t.teardown(() => silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    await telling.subscribe('1', `syslog://127.0.0.1:${port}`, { syslog: [], retryInterval: 600 })
    await telling.events.emit(locked('ann'))
    await telling.until('1', ({ trouble }) => trouble === 'failing')
    t.match(telling.subscriptions.status('1'), { failure: 'no answer within 0.05 s', queued: 1, delivered: 0 })
    while (sockets.some(({ destroyed }) => !destroyed)) await new Promise(setImmediate)
    t.equal(sockets.length, 1)
  }
)

t.test('a connection is idle from its last message on, until it is closed', async (t) => {
  const idle = pendingTimers(t, 3_600_000)
  const telling = await Telling.open(t, { settings: { keepAlive: 3600 } })
  const receiver = await SyslogReceiver.open(t, identity)
  await telling.subscribe('1', receiver.uri, { syslog: [] })
  for (const delivered of [1, 2]) {
    log.info('it rains')
    await telling.until('1', (status) => status.delivered === delivered)
    t.equal(idle.size, 1)
  }
  await telling.store.commit({ subscription: { 1: { context: 'other' } } })
  while (receiver.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve))
  t.equal(idle.size, 0)
  log.info('it rains')
  await telling.until('1', ({ delivered }) => delivered === 3)
  await telling.store.commit({ subscription: { 1: null } })
  while (receiver.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve))
  t.equal(idle.size, 0)
  t.equal(receiver.connections, 2)
})

t.test('a subscription that is suspended is sent no lines', async (t) => {
  const telling = await Telling.open(t)
  await telling.subscribe('1', `syslog://127.0.0.1:${await deadPort()}`, { syslog: [], suspended: true })
  log.info('it rains')
  t.equal(telling.subscriptions.status('1').queued, 0)
})

t.test('closed deliveries queue no event, line or subscription that comes later', async (t) => {
  const telling = await Telling.open(t)
  const uri = `syslog://127.0.0.1:${await deadPort()}`
  await telling.subscribe('1', uri, { syslog: [] })
  await telling.subscriptions.close()
  await telling.events.emit(locked('ann'))
  log.info('it rains')
  await telling.subscribe('2', uri, { syslog: [] })
  t.equal(telling.subscriptions.status('1').queued, 0)
  t.throws(() => telling.subscriptions.status('2'), new RangeError('no subscription 2'))
})

t.test('events that wait outlive a restart, and lines do not', async (t) => {
  const port = await deadPort()
  const uri = `syslog://127.0.0.1:${port}`
  const before = await Telling.open(t)
  await before.subscribe('1', uri, { syslog: [], retryAttempts: 10_000, retryInterval: 0.01 })
  log.info('lost')
  await before.events.emit(locked('ann'))
  await before.until('1', ({ failure, queued }) => failure !== '' && queued === 2)
  await before.close()
  const after = await Telling.open(t, { directory: before.directory })
  t.equal(after.subscriptions.status('1').queued, 1)
  const receiver = await SyslogReceiver.open(t, identity, port)
  t.match((await receiver.next('AccountLocked')).json, { MessageArgs: ['ann'] })
  t.equal(receiver.received.length, 1)
})
