// own process: it starts message buses and services on them

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { durablePower } from '#hal/durable-power.ts'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import type { OpenbmcPowerOptions } from '#hal/openbmc/power.ts'
import type { Power } from '#hal/power.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { powerContract, watch } from '#test/hal/contracts/power.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { held } from '#test/hal/held.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const { power } = openbmcDevices()

/** The power of a simulated host, once the bus has told its state. */
async function opened(t: Test, bus: TestBus, more: Partial<OpenbmcPowerOptions> = {}) {
  const warnings: string[] = []
  const device = held((beforeBoot) =>
    power({ name: 'power-1', socket: bus.socket, warn: (text) => warnings.push(text), beforeBoot, ...more })
  )
  t.teardown(() => device.close())
  await known(device)
  return Object.assign(device, { warnings })
}

/** Resolves when a state is known. */
const known = (device: Power) => reached(device, (state) => state !== undefined)

const host = '/xyz/openbmc_project/state/host0'

/** Asks for a transition of the host, as another program does. */
const requestOf = (bus: TestBus) => (transition: string) =>
  bus.busctl(
    ...['set-property', 'xyz.openbmc_project.State.Host', host, 'xyz.openbmc_project.State.Host'],
    ...['RequestedHostTransition', 's', `xyz.openbmc_project.State.Host.Transition.${transition}`]
  )

/** Resolves when a state is reached, also one that a listener leaves at once. */
const isOver = (device: Power, state: string | undefined) => reached(device, (each) => each === state)

function reached(device: Power, isIt: (state: string | undefined) => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (isIt(device.state)) return resolve()
    const stop = device.on((event) => {
      if (event.type !== 'state' || !isIt(event.state)) return
      stop()
      resolve()
    })
  })
}

powerContract(t, 'openbmc', async (power) => {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus, { power })
  await daemons.add('State.BMC', '/xyz/openbmc_project/state/chassis_system0', { 'State.Chassis': {} })
  return opened(t, bus)
})

t.test('what other programs do with the host is seen as what is done from here', async (t) => {
  const bus = await TestBus.start(t)
  // The test makes the steps: two that come close to one another would be seen as one.
  const daemons = await OpenbmcSimulator.start(t, bus, { step: 3600 })
  const device = await opened(t, bus)
  const { seen, next } = watch(device)
  const request = requestOf(bus)
  const chassis = '/xyz/openbmc_project/state/chassis0'
  const supply = (state: string) => daemons.set(chassis, 'State.Chassis', 'CurrentPowerState', state)
  const becomes = async (state: string, shown: string) => {
    await daemons.set(host, 'State.Host', 'CurrentHostState', state)
    await isOver(device, shown)
  }
  request('Off')
  await becomes('TransitioningToOff', 'PoweringOff')
  await daemons.set(host, 'State.Host', 'CurrentHostState', 'Off')
  await supply('TransitioningToOff')
  await supply('Off')
  await isOver(device, 'Off')
  request('On')
  await supply('TransitioningToOn')
  await isOver(device, 'PoweringOn')
  await supply('On')
  await becomes('TransitioningToRunning', 'PoweringOn')
  await becomes('Running', 'On')
  t.same(seen, ['PoweringOff', 'Off', 'PoweringOn', 'boot powerOn', 'On'])
  seen.length = 0
  request('GracefulWarmReboot')
  await becomes('TransitioningToOff', 'PoweringOff')
  await becomes('Off', 'PoweringOn')
  await becomes('TransitioningToRunning', 'PoweringOn')
  await becomes('Running', 'On')
  t.same(seen, ['PoweringOff', 'PoweringOn', 'boot powerOn', 'On'])
  seen.length = 0
  const reset = next('boot reset')
  await daemons.set(host, 'State.Boot.Progress', 'BootProgress', 'PrimaryProcInit')
  await reset
  t.same(seen, ['boot reset'], 'the host has reset itself')
  const failed = next('failure')
  await daemons.set(host, 'State.Host', 'CurrentHostState', 'Quiesced')
  await failed
  t.equal(device.state, 'On')
})

t.test('a warm reset that another program asks for is a boot', async (t) => {
  const bus = await TestBus.start(t)
  await OpenbmcSimulator.start(t, bus, { step: 0.1 })
  const device = await opened(t, bus)
  const { seen, next } = watch(device)
  const reset = next('boot reset')
  requestOf(bus)('ForceWarmReboot')
  await reset
  t.same(seen, ['boot reset'])
})

t.test('without its managers the state is unknown, and known again once they are back', async (t) => {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus, { without: ['State.Chassis'] })
  const early = power({ name: 'power-1', socket: bus.socket, warn: () => undefined })
  t.teardown(() => early.close())
  t.equal(early.state, undefined)
  await t.rejects(early.perform('on'), {
    code: 'ENODEV',
    message: 'power-1: on: the bus does not tell the state of the host'
  })
  await daemons.start('State.Chassis')
  await isOver(early, 'On')
  await daemons.kill('State.Host')
  await isOver(early, undefined)
  await t.rejects(early.perform('forceOff'), { code: 'ENODEV' })
  const { seen } = watch(early)
  await daemons.start('State.Host')
  await isOver(early, 'On')
  t.same(seen, ['On'], 'nothing has booted')
  await bus.stop()
  await isOver(early, undefined)
})

t.test('a manager that does not begin what it accepted is a failure, and the state is what it was', async (t) => {
  const bus = await TestBus.start(t)
  await OpenbmcSimulator.start(t, bus, { step: 3600 })
  const device = await opened(t, bus, { answerTime: 50 })
  const { seen, next } = watch(device)
  const failed = next('failure')
  await device.perform('gracefulShutdown')
  await failed
  await isOver(device, 'On')
  t.same(seen, ['PoweringOff', 'failure', 'On'])
  t.same(device.warnings, ['power-1: Off has not begun in 50 ms'])
})

t.test('a host that goes on in spite of a request to shut down has not booted', async (t) => {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus, { step: 3600 })
  const device = await opened(t, bus)
  const { seen } = watch(device)
  await device.perform('gracefulRestart')
  await daemons.set(host, 'State.Host', 'CurrentHostState', 'TransitioningToOff')
  await new Promise((resolve) => setTimeout(resolve, 100))
  await daemons.set(host, 'State.Host', 'CurrentHostState', 'Running')
  await isOver(device, 'On')
  t.same(seen, ['PoweringOff', 'On'])
})

t.test('a request that is refused is a failure', async (t) => {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus, { power: 'Off' })
  const device = await opened(t, bus)
  await daemons.fail(host, 'State.Host', 'RequestedHostTransition', 'Common.Error.Unavailable')
  const { seen, next } = watch(device)
  const failed = next('failure')
  await device.perform('on')
  await failed
  await isOver(device, 'Off')
  t.same(seen, ['PoweringOn', 'failure', 'Off'])
  t.match(device.warnings[0], /Common\.Error\.Unavailable/)
})

t.test('a state of another type is unknown', async (t) => {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus)
  const device = await opened(t, bus)
  await daemons.mistype(host, 'State.Host', 'CurrentHostState', 'u', 7)
  await isOver(device, undefined)
  await daemons.set(host, 'State.Host', 'CurrentHostState', 'Running')
  await isOver(device, 'On')
})

t.test('what the last process left under way goes on once the state is known', async (t) => {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus, { power: 'Off' })
  const options = { name: 'power-1', socket: bus.socket, warn: () => undefined, directory: t.testdir(), bootId: 'a' }
  const first = durablePower(power({ ...options, beforeBoot: () => new Promise(() => undefined) }), options)
  await known(first)
  await first.perform('on')
  await first.close()
  const second = durablePower(power(options), options)
  t.teardown(() => second.close())
  t.equal(second.state, undefined)
  await isOver(second, 'On')
  await daemons.hold()
  await second.perform('coldBoot')
  await daemons.kill('State.Chassis')
  await isOver(second, undefined)
  await daemons.release()
  const { seen, next } = watch(second)
  const on = next('boot powerOn').then(() => isOver(second, 'On'))
  await daemons.start('State.Chassis')
  await on
  t.ok(seen.includes('Off'), 'it was off before it booted')
})

t.test('a boot that another program asks for is held until the work before it is done', async (t) => {
  const bus = await TestBus.start(t)
  const hold = join(t.testdir({}), 'host0')
  await OpenbmcSimulator.start(t, bus, { power: 'Off', hold })
  const device = await opened(t, bus, { hold })
  t.ok(existsSync(hold), 'the host is off')
  const work = new Listeners<void>()
  const done = () => new Promise<void>((resolve) => work.add(resolve))
  const order: string[] = []
  device.beforeBoot = async () => {
    order.push('begins')
    await done()
    order.push('ends')
  }
  device.on((event) => event.type === 'boot' && order.push('boots'))
  const request = requestOf(bus)
  for (const transition of ['On', 'Reboot']) {
    request(transition)
    while (order.length === 0) await new Promise((next) => setTimeout(next, 10))
    t.equal(device.state, 'PoweringOn')
    t.ok(existsSync(hold))
    work.emit()
    await isOver(device, 'On')
    t.same(order, ['begins', 'ends', 'boots'], transition)
    t.notOk(existsSync(hold))
    order.length = 0
  }
  request('Off')
  await isOver(device, 'Off')
  t.ok(existsSync(hold))
  await device.perform('on')
  work.emit()
  await isOver(device, 'On')
  t.same(order, ['begins', 'ends', 'boots'], 'asked for here')
  t.same(device.warnings, [])
})

t.test('what a loss of power leads to is the policy of the bus, and not for this service to do', async (t) => {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus)
  const options = { name: 'power-1', socket: bus.socket, warn: () => undefined }
  const device = durablePower(power(options), { ...options, directory: t.testdir(), bootId: 'a' })
  t.teardown(() => device.close())
  const restore = device.restore as NonNullable<Power['restore']>
  const is = (policy: string | undefined) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (restore.state?.policy !== policy) return
        stop()
        resolve()
      }
      const stop = restore.on(look)
      look()
    })
  const path = '/xyz/openbmc_project/control/host0/power_restore_policy'
  const set = (word: string) => daemons.set(path, 'Control.Power.RestorePolicy', 'PowerRestorePolicy', word)
  await is('LastState')
  t.equal(device.supplyFailed, undefined)
  for (const [policy, word] of [
    ['AlwaysOn', 'AlwaysOn'],
    ['AlwaysOff', 'AlwaysOff'],
    ['LastState', 'Restore']
  ] as const) {
    await restore.set({ policy })
    t.equal(await daemons.get(path, 'Control.Power.RestorePolicy', 'PowerRestorePolicy'), word)
    t.same(restore.state, { policy })
  }
  await set('None')
  await is('AlwaysOff')
  await daemons.mistype(path, 'Control.Power.RestorePolicy', 'PowerRestorePolicy', 's', 'example.Policy.Perhaps')
  await is(undefined)
  await set('AlwaysOn')
  await is('AlwaysOn')
  await daemons.kill('Settings')
  await is(undefined)
  await t.rejects(restore.set({ policy: 'AlwaysOn' }), { code: 'ENODEV' })
})

t.test('a boot that nothing holds goes on, and one that does not come is no fault', async (t) => {
  const hold = join(t.testdir({}), 'host0')
  const quick = await TestBus.start(t)
  await OpenbmcSimulator.start(t, quick, { power: 'Off' })
  const device = await opened(t, quick, { hold })
  device.beforeBoot = () => new Promise(() => undefined)
  const { seen } = watch(device)
  requestOf(quick)('On')
  await isOver(device, 'On')
  t.same(seen, ['PoweringOn', 'boot powerOn', 'On'])
  const slow = await TestBus.start(t)
  await OpenbmcSimulator.start(t, slow, { power: 'Off', step: 3600 })
  const other = await opened(t, slow, { hold, answerTime: 50 })
  const watched = watch(other)
  const off = watched.next('Off')
  requestOf(slow)('On')
  await off
  t.same(watched.seen, ['PoweringOn', 'Off'])
  t.ok(existsSync(hold), 'it is held again')
})
