import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Configuration, configuration as defaults } from '#data/configuration'
import type { PowerState } from '#hal/power.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Event, Writes } from '#runtime/contract'
import { PowerRestore } from '#runtime/service/power/restore.ts'
import { Store } from '#runtime/store/store.ts'
import { watch } from '#test/hal/contracts/power.ts'
import { heldTimers } from '#test/runtime/service/timers.ts'
import { type Fixture, openFixture } from '#test/runtime/service.ts'

const system = '/redfish/v1/Systems/1/'
const log = `${system}LogServices/SystemLog/Entries/?$expand=.`
const restored = (policy: string) =>
  `The server 1 is switched on after a loss of power, according to its policy ${policy}.`

async function open(t: Test, settings: Partial<Configuration> = { powerLossTime: 0 }): Promise<Fixture> {
  const service = await openFixture((configuration) => Object.assign(configuration, settings))
  t.teardown(() => service.close())
  return service
}

/** The supply fails, and comes back: the controller starts again, and the host is off. */
async function losePower(service: Fixture): Promise<void> {
  writeFileSync(join(service.directory, 'machine/power-1.json'), JSON.stringify({ state: 'Off', interrupted: true }))
  await service.restart()
}

async function perform(service: Fixture, operation: 'on' | 'forceOff', state: 'On' | 'Off'): Promise<void> {
  const reached = watch(service.power).next(state)
  await service.power.perform(operation)
  await reached
}

const told = async (service: Fixture) => {
  const { json } = await service.ask('GET', log)
  return json.Members.map(({ Message }: { Message: string }) => Message)
}

/** Waits until this power state is stored. */
async function remembered(service: Fixture, on: boolean): Promise<void> {
  const { store } = service.service
  while ((store.get('hostPower', '1')?.on ?? false) !== on) await new Promise((resolve) => setImmediate(resolve))
}

for (const [policy, before, after] of [
  ['AlwaysOn', 'Off', 'On'],
  ['AlwaysOn', 'On', 'On'],
  ['AlwaysOff', 'On', 'Off'],
  ['LastState', 'On', 'On'],
  ['LastState', 'Off', 'Off'],
  [undefined, 'On', 'On']
] as const) {
  t.test(`a host that was ${before} is ${after} after a loss of power with the policy ${policy}`, async (t) => {
    const service = await open(t)
    if (policy) t.equal((await service.ask('PATCH', system, { PowerRestorePolicy: policy })).status, 200)
    if (before === 'Off') await perform(service, 'forceOff', 'Off')
    await remembered(service, before === 'On')
    await losePower(service)
    if (after === 'On' && service.power.state !== 'On') await watch(service.power).next('On')
    t.equal(service.power.state, after)
    t.equal((await told(service)).includes(restored(policy ?? 'LastState')), after === 'On')
    await remembered(service, after === 'On')
    await service.restart()
    t.equal(service.power.state, after, 'and after a restart of the service')
  })
}

t.test('a restart of the service alone switches nothing on', async (t) => {
  const service = await open(t)
  await service.ask('PATCH', system, { PowerRestorePolicy: 'AlwaysOn' })
  await perform(service, 'forceOff', 'Off')
  await service.restart()
  t.equal(service.power.state, 'Off')
})

t.test('an interruption of the standby supply is a loss of power', async (t) => {
  const service = await open(t)
  await service.ask('PATCH', system, { PowerRestorePolicy: 'AlwaysOn' })
  await perform(service, 'forceOff', 'Off')
  const target = `${system}Actions/Oem/Vendor/VendorComputerSystemExt.SystemReset/`
  t.equal((await service.ask('POST', target, { ResetType: 'AuxCycle' })).status, 200)
  await service.service.restarted
  await service.restart()
  if (service.power.state !== 'On') await watch(service.power).next('On')
  t.ok((await told(service)).includes(restored('AlwaysOn')))
})

t.test('pending changes are applied before the host is on again', async (t) => {
  const service = await open(t)
  await remembered(service, true)
  await service.ask('PATCH', `${system}Bios/Settings/`, { Attributes: { QuietBoot: false } })
  await losePower(service)
  if (service.power.state !== 'On') await watch(service.power).next('On')
  t.equal((await service.ask('GET', `${system}Bios/`)).json.Attributes.QuietBoot, false)
})

t.test('an off that the controller does not outlive is the loss of power itself', async (t) => {
  const service = await open(t, { powerLossTime: 3600 })
  await remembered(service, true)
  await perform(service, 'forceOff', 'Off')
  t.equal(service.service.store.get('hostPower', '1')?.on, true)
  await service.restart()
  t.equal(service.service.store.get('hostPower', '1')?.on, false, 'unless the service ends in order')
})

t.test('an off that an on follows does not count when the service ends', async (t) => {
  const service = await open(t, { powerLossTime: 3600 })
  await perform(service, 'forceOff', 'Off')
  await perform(service, 'on', 'On')
  await service.restart()
  t.equal(service.service.store.get('hostPower', '1')?.on, true)
})

t.test('a host is switched on after its delay, unless it is switched off before', async (t) => {
  const service = await open(t)
  await perform(service, 'forceOff', 'Off')
  await service.ask('PATCH', `${system}Bios/Settings/`, { Attributes: { QuietBoot: false } })
  t.equal((await service.ask('PATCH', system, { PowerOnDelaySeconds: 240 })).status, 200)
  const { seen, next } = watch(service.power)
  await service.power.perform('on')
  // The firmware's turn would come by then.
  await service.service.store.commit({})
  const off = next('Off')
  await service.power.perform('forceOff')
  await off
  t.same(seen, ['PoweringOn', 'PoweringOff', 'Off'])
  await service.power.perform('on')
  t.equal((await service.ask('GET', system)).json.PowerState, 'PoweringOn')
  await service.ask('PATCH', system, { PowerOnDelaySeconds: 0 })
  await service.restart()
  if (service.power.state !== 'On') await watch(service.power).next('On')
  t.equal((await service.ask('GET', `${system}Bios/`)).json.Attributes.QuietBoot, false)
})

/** A host and its policy, in the hands of a test, with timers that it ends. */
async function host(t: Test, stored: Writes, supplyFailed = false, error?: Error) {
  const store = await Store.open(`${t.testdir()}/store`, defaults.store)
  t.teardown(() => store.close())
  await store.commit(stored)
  const changes = new Listeners<{ type: string; state: PowerState }>()
  const power = { state: 'Off' as PowerState, supplyFailed, on: changes.add.bind(changes) }
  const sent: string[] = []
  const emit = async ({ message }: Event) => void sent.push([message.key, ...message.args].join(' '))
  const perform = async ({ operation }: { operation: string }) => {
    if (error !== undefined) throw error
    sent.push(operation)
  }
  const devices = { power: new Map([['1', power]]) }
  const restore = new PowerRestore(store, { perform } as never, devices as never, { emit } as never, 20_000)
  const held = heldTimers(t)
  return {
    ...{ store, restore, sent },
    isOn: () => store.get('hostPower', '1')?.on,
    becomes(state: PowerState, type = 'state') {
      power.state = state
      changes.emit({ type, state })
      // It is stored before this commit.
      return store.commit({})
    },
    ...held
  }
}

t.test('an off counts once the controller has outlived it, unless an on follows', async (t) => {
  const { store, restore, isOn, becomes, timers, cleared } = await host(t, { hostPower: { 1: { on: true } } })
  await becomes('Off')
  await becomes('PoweringOn')
  t.match([timers(), cleared(), isOn()], [[[Function, 20_000]], [1], true])
  await becomes('Off', 'boot')
  t.same(timers(), [])
  await becomes('Off')
  const [[settle] = []] = timers()
  settle?.()
  await store.commit({})
  t.equal(isOn(), false)
  await becomes('On')
  t.same([isOn(), cleared()], [true, []], 'a timer that has run out is forgotten')
  await restore.close()
  t.equal(isOn(), true, 'as is one that an on has ended')
})

t.test('after a stop of the service the off of a host is not followed', async (t) => {
  const { restore, isOn, becomes, timers, cleared } = await host(t, { hostPower: { 1: { on: true } } })
  await becomes('Off')
  timers()
  await restore.close()
  t.same([cleared(), isOn()], [[1], false])
  await becomes('On')
  await becomes('Off')
  t.same([timers(), isOn()], [[], false])
})

t.test('a host of which nothing is remembered stays off after a loss of power', async (t) => {
  const { restore, sent, store } = await host(t, { powerRestore: { 1: { policy: 'LastState' } } }, true)
  await restore.open()
  t.same([sent, store.keys('hostPower')], [[], []])
})

t.test('a host that cannot be switched on is reported, and one without a known policy stays off', async (t) => {
  for (const [policy, expected] of [
    ['AlwaysOn', ['MgmtEvents.ServerPowerRestored 1 AlwaysOn', 'MgmtEvents.ServerFailed 1 the supply is gone']],
    [null, []]
  ] as const) {
    await t.test(String(policy), async (t) => {
      const stored = { hostPower: { 1: { on: true } }, powerRestore: { 1: { policy } } }
      const { restore, sent, isOn } = await host(t, stored, true, new Error('the supply is gone'))
      await restore.open()
      t.same(sent, expected)
      t.equal(isOn(), policy !== null)
      await restore.close()
    })
  }
})
