import t from 'tap'
import { event } from '#runtime/contract'
import { debugLines, type Line } from '#test/runtime/log.ts'
import { deadPort } from './subscriber.ts'
import { Telling } from './telling.ts'

const created = (name: string) => event('ResourceEvent.ResourceCreated', `/redfish/v1/${name}`)
const undelivered = (lines: readonly Line[]) =>
  lines
    .filter(({ message }) => message === 'an event is not delivered')
    .map(({ time, level, message, ...rest }) => rest)

/** Deliveries that fail at once, and are not tried again before the test is over. */
async function telling(t: Parameters<typeof Telling.open>[0], more: Parameters<Telling['subscribe']>[2] = {}) {
  const told = await Telling.open(t)
  await told.subscribe('1', `https://127.0.0.1:${await deadPort()}/`, { retryInterval: 60, ...more })
  return told
}

t.test('the log says that no subscription wants an event, or for which ones it is queued', async (t) => {
  const { events } = await telling(t, { prefixes: ['MgmtEvents'] })
  const lines = debugLines(t)
  await events.emit(created('a'))
  const [line, ...others] = lines()
  t.match(line, { level: 'debug', messageId: 'ResourceEvent.1.3.ResourceCreated', cause: 'no subscription matches' })
  t.same(others, [])
  await events.emit(event('MgmtEvents.AccountLocked', '/redfish/v1/AccountService/Accounts/ann', 'ann'))
  t.match(lines()[0], { message: 'an event is queued', event: Number, subscriptions: ['1'] })
})

t.test('the log says that the event service is disabled', async (t) => {
  const { events, store } = await telling(t)
  await store.commit({ eventService: { settings: { enabled: false } } })
  const lines = debugLines(t)
  await events.emit(created('a'))
  await events.report({}, '/redfish/v1/TelemetryService/MetricReportDefinitions/Power')
  t.match(lines(), [
    { message: 'an event is not delivered', cause: 'service disabled' },
    { message: 'a metric report is not delivered', cause: 'service disabled' }
  ])
})

t.test('the log says that an event had to give way in a full queue', async (t) => {
  const told = await telling(t, { mostQueued: 1 })
  const lines = debugLines(t)
  for (const name of ['a', 'b', 'c']) await told.events.emit(created(name))
  await told.until('1', ({ queueFull, queued }) => queueFull === 2 && queued === 1)
  t.match(undelivered(lines()), [
    { subscription: '1', event: Number, cause: 'queue full' },
    { subscription: '1', event: Number, cause: 'queue full' }
  ])
})

t.test('the log says of each attempt why it failed, and that the attempts are spent', async (t) => {
  const told = await telling(t, { retryAttempts: 1, retryInterval: 0.01 })
  const lines = debugLines(t)
  await told.events.emit(created('a'))
  await told.until('1', ({ attemptsSpent }) => attemptsSpent === 1)
  const written = lines()
  const failed = written.filter(({ message }) => message === 'a delivery failed')
  const id = written[0]?.event
  t.match(failed, [
    { subscription: '1', cause: /ECONNREFUSED/, attempts: { [`${id}`]: 1 } },
    { subscription: '1', cause: /ECONNREFUSED/, attempts: { [`${id}`]: 2 } }
  ])
  t.same(undelivered(written), [{ subscription: '1', event: id, cause: 'attempts spent' }])
})

t.test('the log says that an event was retired', async (t) => {
  const told = await telling(t, { retireAfter: 1 })
  const lines = debugLines(t)
  told.ahead = -59_900
  await told.events.emit(created('a'))
  told.ahead = 0
  await told.until('1', ({ retired }) => retired === 1)
  t.match(undelivered(lines()), [{ subscription: '1', event: Number, cause: 'retired' }])
})

t.test('the log says that a subscription was deleted with events in its queue', async (t) => {
  const told = await telling(t)
  const lines = debugLines(t)
  await told.events.emit(created('a'))
  await told.until('1', ({ trouble }) => trouble === 'failing')
  await told.store.commit({ subscription: { 1: null } })
  t.match(undelivered(lines()), [{ subscription: '1', event: Number, cause: 'subscription deleted' }])
})
