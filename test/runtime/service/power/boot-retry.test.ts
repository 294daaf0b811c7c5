import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Event } from '#runtime/contract'
import { retryBoots } from '#runtime/service/power/boot-retry.ts'
import { Store } from '#runtime/store/store.ts'
import { watch } from '#test/hal/contracts/power.ts'
import { heldTimers } from '#test/runtime/service/timers.ts'
import { type Fixture, openFixture } from '#test/runtime/service.ts'

const system = '/redfish/v1/Systems/1/'

async function open(t: Test, bootRetryTime = 0): Promise<Fixture> {
  const service = await openFixture((configuration) => Object.assign(configuration, { bootRetryTime }))
  t.teardown(() => service.close())
  return service
}

const boot = async (service: Fixture) => (await service.ask('GET', system)).json.Boot
const reset = (service: Fixture) =>
  service.ask('POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })

/** The messages of the log about boots, once there are so many. */
async function told(service: Fixture, count: number): Promise<string[]> {
  for (;;) {
    const { json } = await service.ask('GET', `${system}LogServices/SystemLog/Entries/?$expand=.`)
    const all = json.Members.map(({ MessageId }: { MessageId: string }) => MessageId.split('.').at(-1))
    const boots = all.filter((each: string) => each.startsWith('ServerBootRetried') || each === 'ServerBootFailed')
    if (boots.length >= count) return boots
    await pause(2)
  }
}

t.test('a boot that found nothing is tried again as often as was asked for', async (t) => {
  const service = await open(t)
  t.match(await boot(service), {
    AutomaticRetryConfig: 'Disabled',
    AutomaticRetryAttempts: 3,
    RemainingAutomaticRetryAttempts: 3
  })
  service.power.faults.unbootable = true
  await reset(service)
  t.same(await told(service, 1), ['ServerBootFailed'], 'not at all, unless that is asked for')
  const Boot = { AutomaticRetryConfig: 'RetryAttempts', AutomaticRetryAttempts: 2 }
  t.equal((await service.ask('PATCH', system, { Boot })).status, 200)
  t.match(await boot(service), { ...Boot, RemainingAutomaticRetryAttempts: 2 })
  const { seen } = watch(service.power)
  await reset(service)
  t.same((await told(service, 4)).slice(1), ['ServerBootRetried', 'ServerBootRetried', 'ServerBootFailed'])
  t.same(seen, ['boot reset', 'boot reset', 'boot reset'])
  t.equal((await boot(service)).RemainingAutomaticRetryAttempts, 0)
  service.power.faults.unbootable = false
  await reset(service)
  while ((await boot(service)).RemainingAutomaticRetryAttempts !== 2) await pause(2)
})

t.test('it is retried without limit if configured so, until it succeeds', async (t) => {
  const service = await open(t)
  await service.ask('PATCH', system, { Boot: { AutomaticRetryConfig: 'RetryAlways', AutomaticRetryAttempts: 1 } })
  service.power.faults.unbootable = true
  await reset(service)
  t.ok((await told(service, 5)).every((each) => each === 'ServerBootRetried'))
  service.power.faults.unbootable = false
  while ((await service.ask('GET', system)).json.BootProgress.LastState !== 'OSBootStarted') await pause(2)
  t.equal((await boot(service)).RemainingAutomaticRetryAttempts, 1)
})

t.test('a host that is switched off before is left alone', async (t) => {
  const service = await open(t, 3600)
  await service.ask('PATCH', system, { Boot: { AutomaticRetryConfig: 'RetryAttempts' } })
  service.power.faults.unbootable = true
  await reset(service)
  t.same(await told(service, 1), ['ServerBootRetried'])
  const off = watch(service.power).next('Off')
  await service.power.perform('forceOff')
  await off
  t.equal((await boot(service)).RemainingAutomaticRetryAttempts, 2)
})

/** A host that is retried after five seconds, with its events, and with timers that the test ends. */
async function retried(t: Test, bootRetry: 'RetryAlways' | 'Disabled' = 'RetryAlways') {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  await store.commit({ system: { 1: { bootRetry } } })
  const [ends, power] = [new Listeners<{ system: string; isFailed: boolean }>(), new Listeners<{ type: string }>()]
  const sent: string[] = []
  const note = (events: readonly Event[]) => {
    for (const { message } of events) sent.push([message.key, ...message.args].join(' '))
    return {}
  }
  const perform = async () => {
    throw new Error('the supply is gone')
  }
  const retries = retryBoots(
    store,
    { onBootEnd: ends.add.bind(ends), perform } as never,
    { power: new Map([['1', { on: power.add.bind(power) }]]) } as never,
    { writes: note, emit: async (...events: readonly Event[]) => note(events) } as never,
    5
  )
  const { timers, cleared } = heldTimers(t)
  return {
    ...{ store, retries, sent },
    host: (type: string) => power.emit({ type }),
    /** @param meanwhile runs before the failure is stored */
    async fail(meanwhile?: () => void) {
      ends.emit({ system: '1', isFailed: true })
      meanwhile?.()
      await store.commit({}).catch(() => undefined)
    },
    timers,
    /** How many timers were cleared since the last call. */
    cleared: () => cleared().length
  }
}

t.test('a host that boots again by itself, or whose service ends, is not restarted', async (t) => {
  const { retries, fail, host, sent, timers, cleared } = await retried(t)
  await fail()
  t.match(timers(), [[Function, 5000]])
  host('auxCycle')
  t.equal(cleared(), 0)
  host('boot')
  t.equal(cleared(), 1)
  await fail()
  retries.close()
  t.equal(cleared(), 1)
  await fail()
  t.same(sent, ['MgmtEvents.ServerBootRetried 1', 'MgmtEvents.ServerBootRetried 1'])
})

t.test('a host that boots, or whose service ends, while its failure is stored is not restarted', async (t) => {
  const { retries, fail, host, timers } = await retried(t)
  await fail(() => host('state'))
  await fail(() => retries.close())
  t.same(timers(), [])
})

t.test('a host that is not to be retried is not restarted', async (t) => {
  const { fail, sent, timers } = await retried(t, 'Disabled')
  await fail()
  t.same([sent, timers()], [['MgmtEvents.ServerBootFailed 1'], []])
})

t.test('a restart that fails is reported', async (t) => {
  const { fail, sent, timers } = await retried(t)
  await fail()
  const [[end] = []] = timers()
  end?.()
  await Promise.resolve()
  t.same(sent, ['MgmtEvents.ServerBootRetried 1', 'MgmtEvents.ServerFailed 1 the supply is gone'])
})

t.test('a host whose count of attempts is not stored is not restarted', async (t) => {
  const { store, fail, timers } = await retried(t)
  t.capture(store, 'commit', async () => {
    throw new Error('the disk is full')
  })
  await fail()
  t.same(timers(), [])
})
