import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import { configuration } from '#data/configuration'
import type { HostWatchdog } from '#data/system'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Event } from '#runtime/contract'
import { watchHosts } from '#runtime/service/watchdog/watchdog.ts'
import { Store } from '#runtime/store/store.ts'
import { watch } from '#test/hal/contracts/power.ts'
import { heldTimers } from '#test/runtime/service/timers.ts'
import { openFixture } from '#test/runtime/service.ts'

const system = '/redfish/v1/Systems/1/'

t.test(
  'when the watchdog timer of a hung host expires, the configured action is performed and an event is sent',
  async (t) => {
    const service = await openFixture(undefined, undefined, (board) => {
      const host = board.systems['1']!
      return { ...board, systems: { 1: { ...host, power: { ...host.power, watchdogTime: 0 } } } }
    })
    t.teardown(() => service.close())
    const { power } = service
    const reset = () => service.ask('POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
    const told = async () => {
      const { json } = await service.ask('GET', `${system}LogServices/SystemLog/Entries/?$expand=.`)
      return json.Members.map(({ Message }: { Message: string }) => Message)
    }

    power.faults.hangs = true
    const { next } = watch(power)
    const ignored = next('watchdog')
    await reset()
    await ignored
    t.equal(power.state, 'On', 'nothing, unless it is enabled')

    const HostWatchdogTimer = { FunctionEnabled: true, TimeoutAction: 'PowerDown' }
    t.equal((await service.ask('PATCH', system, { HostWatchdogTimer })).status, 200)
    const off = next('Off')
    await reset()
    await off
    const powered = 'The server 1 is powered off.'
    while ((await told()).at(-1) !== powered) await pause(2)
    t.strictSame((await told()).slice(-2), [
      'The watchdog timer of the server 1 expired. The action is PowerDown.',
      powered
    ])
  }
)

t.test('a diagnostic interrupt precedes the action, and nothing follows once the host has booted', async (t) => {
  const quick = (board: Board) => {
    const host = board.systems['1']!
    return { ...board, systems: { 1: { ...host, power: { ...host.power, watchdogTime: 0 } } } }
  }
  const HostWatchdogTimer = { FunctionEnabled: true, TimeoutAction: 'PowerDown', WarningAction: 'DiagnosticInterrupt' }
  const reset = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/'
  for (const [watchdogWarning, expected] of [
    [0, ['boot reset', 'watchdog', 'nmi', 'PoweringOff', 'Off']],
    [3600, ['boot reset', 'watchdog', 'nmi', 'boot reset']]
  ] as const) {
    const service = await openFixture((settings) => Object.assign(settings, { watchdogWarning }), undefined, quick)
    t.teardown(() => service.close())
    const { power } = service
    t.equal((await service.ask('PATCH', system, { HostWatchdogTimer })).status, 200)
    power.faults.hangs = true
    const { seen, next } = watch(power)
    const nmi = next('nmi')
    const off = next('Off')
    await service.ask('POST', reset, { ResetType: 'ForceRestart' })
    await nmi
    if (watchdogWarning === 0) await off
    else {
      power.faults.hangs = false
      const boot = next('boot reset')
      await service.ask('POST', reset, { ResetType: 'ForceRestart' })
      await boot
    }
    t.strictSame(seen, expected)
  }
})

t.test('a host that has crashed stays on, sends an event, and is Critical until it boots', async (t) => {
  const service = await openFixture()
  t.teardown(() => service.close())
  const { power } = service
  const status = async () => (await service.ask('GET', system)).json.Status
  t.same(await status(), { State: 'Enabled', Health: 'OK', HealthRollup: 'OK' })
  power.faults.panics = true
  const reset = () => service.ask('POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
  await reset()
  const last = async (key: string) => {
    for (;;) {
      const { json } = await service.ask('GET', `${system}LogServices/SystemLog/Entries/?$expand=.`)
      const entry = json.Members.at(-1)
      if (entry?.MessageId.endsWith(key)) return entry
      await pause(2)
    }
  }
  t.match(await last('ServerCrashed'), { Severity: 'Critical', MessageArgs: ['1'] })
  t.match(await status(), { State: 'Enabled', Health: 'Critical', Conditions: [{ MessageId: /ServerCrashed$/ }] })
  power.faults.panics = false
  await reset()
  await last('ServerReset')
  t.same(await status(), { State: 'Enabled', Health: 'OK', HealthRollup: 'OK' })
})

/** A host whose watchdog timer expires when the test says so, with timers that the test ends. */
async function guarded(t: Test, settings: Partial<HostWatchdog>, error?: Error) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  await store.commit({ hostWatchdog: { 1: { enabled: true, ...settings } } })
  const power = new Listeners<{ type: string }>()
  const seen: string[] = []
  const hardware = {
    async perform({ operation }: { operation: string }) {
      seen.push(operation)
      if (error !== undefined) throw error
    }
  }
  const emit = async ({ message, origin }: Event) => void seen.push([message.key, origin, ...message.args].join(' '))
  const devices = { power: new Map([['1', { on: power.add.bind(power) }]]) }
  const { close } = watchHosts(store, hardware as never, devices as never, { emit } as never, 5)
  const held = heldTimers(t)
  return {
    close,
    host: (type: string) => power.emit({ type }),
    /** The commands and events since the last call. */
    seen: () => seen.splice(0),
    ...held
  }
}

const expired = (action: string) => `MgmtEvents.HostWatchdogExpired /redfish/v1/Systems/1 1 ${action}`

t.test('a warned host that boots, goes off, or expires again has no action of its former timer', async (t) => {
  const { close, host, seen, timers, cleared } = await guarded(t, {
    action: 'PowerCycle',
    warning: 'DiagnosticInterrupt'
  })
  host('watchdog')
  t.same(seen(), [expired('PowerCycle'), 'nmi'])
  const [[act, time] = []] = timers()
  t.equal(time, 5000)
  act?.()
  t.same(seen(), ['coldBoot'])
  host('auxCycle')
  t.same(cleared(), [])
  host('boot')
  host('state')
  t.same(cleared(), [1, 1])
  host('watchdog')
  host('watchdog')
  t.same(cleared(), [1, 2])
  close()
  t.same(cleared(), [3], 'nor has one whose service ends')
})

t.test(
  'an expired timer without an action changes nothing, and one that only reports leaves the host alone',
  async (t) => {
    for (const [settings, expected] of [
      [{ action: null }, []],
      [{ action: 'PowerDown', enabled: false }, []],
      [{ action: 'None' }, [expired('None')]]
    ] as const) {
      await t.test(JSON.stringify(settings), async (t) => {
        const { host, seen } = await guarded(t, settings)
        host('watchdog')
        t.same(seen(), expected)
      })
    }
  }
)

t.test('an action that fails is reported', async (t) => {
  const { host, seen } = await guarded(t, { action: 'ResetSystem' }, new Error('the supply is gone'))
  host('watchdog')
  await Promise.resolve()
  t.same(seen(), [
    expired('ResetSystem'),
    'forceRestart',
    'MgmtEvents.ServerFailed /redfish/v1/Systems/1 1 the supply is gone'
  ])
})
