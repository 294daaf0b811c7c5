import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { Board } from '#data/board'
import { watch } from '#test/hal/contracts/power.ts'
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
