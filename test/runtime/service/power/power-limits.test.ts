import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import { sleep } from '#runtime/base/sleep.ts'
import { PowerLimits } from '#runtime/service/power/power-limits.ts'
import { Store } from '#runtime/store/store.ts'
import { openFixture } from '#test/runtime/service.ts'

const chassis = '/redfish/v1/Chassis/1'
const control = `${chassis}/Controls/PowerLimit`
const log = '/redfish/v1/Managers/1/LogServices/EventLog/Entries/'

async function opened(t: Test) {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const get = async (uri: string) => (await fixture.ask('GET', `${uri}/`)).json
  const settle = async () => {
    // The commit of what a poll found is before these.
    await fixture.service.store.commit({})
    await fixture.service.store.commit({})
  }
  return {
    ...{ fixture, get },
    limit: async (body: object) => fixture.ask('PATCH', `${chassis}/Power/`, { PowerControl: [{ PowerLimit: body }] }),
    async draws(watts: number, seconds = 0) {
      fixture.sensors['1']!.faults.stuckAt = { 31: watts / 2, 32: watts / 2 }
      fixture.sleep(seconds)
      await fixture.sensors['1']!.poll()
      await settle()
    },
    health: async (uri = control) => (await get(uri)).Status.HealthRollup,
    told: async (key: string) =>
      (await fixture.ask('GET', log)).json.Members.filter((each: { MessageId: string }) => each.MessageId.endsWith(key))
  }
}

t.test('one limit shows in three places, is taken by the board, and outlives a restart', async (t) => {
  const { fixture, get, limit } = await opened(t)
  const shown = async () => {
    const { PowerLimit } = (await get(`${chassis}/Power`)).PowerControl[0]
    const { PowerLimitWatts } = await get(`${chassis}/EnvironmentMetrics`)
    const { SetPoint, ControlMode, Status } = await get(control)
    t.same([PowerLimitWatts.SetPoint, PowerLimitWatts.ControlMode], [SetPoint, ControlMode])
    t.same(Status.State, ControlMode === 'Disabled' ? 'Disabled' : 'Enabled')
    t.same([PowerLimitWatts.AllowableMin, PowerLimitWatts.AllowableMax], [150, 1600])
    return [PowerLimit.LimitInWatts, SetPoint, ControlMode, fixture.powerLimits['1']!.watts]
  }
  t.same(await shown(), [null, 1600, 'Disabled', undefined])
  t.equal((await limit({ LimitInWatts: 400 })).status, 200)
  t.same(await shown(), [400, 400, 'Automatic', 400])
  const metrics = (body: object) => fixture.ask('PATCH', `${chassis}/EnvironmentMetrics/`, { PowerLimitWatts: body })
  t.equal((await metrics({ SetPoint: 300 })).status, 200)
  t.same(await shown(), [300, 300, 'Automatic', 300])
  await fixture.restart()
  t.same(await shown(), [300, 300, 'Automatic', 300], 'after a restart')
  t.equal((await fixture.ask('PATCH', `${control}/`, { ControlMode: 'Disabled' })).status, 200)
  t.same(await shown(), [null, 300, 'Disabled', undefined])
  t.equal((await metrics({ ControlMode: 'Automatic' })).status, 200)
  t.same(await shown(), [300, 300, 'Automatic', 300])
  t.equal((await limit({ LimitInWatts: null })).status, 200)
  t.same(await shown(), [null, 300, 'Disabled', undefined])
  await limit({ LimitInWatts: 250, LimitException: 'HardPowerOff', CorrectionInMs: 500 })
  t.equal((await fixture.ask('POST', `${control}/Actions/Control.ResetToDefaults/`, {})).status, 200)
  t.same(await shown(), [null, 1600, 'Disabled', undefined])
  t.match((await get(`${chassis}/Power`)).PowerControl[0].PowerLimit, {
    LimitException: 'LogEventOnly',
    CorrectionInMs: 10_000
  })
})

t.test('a limit that cannot be held is a condition with one event, and one when it is held again', async (t) => {
  const { fixture, limit, draws, health, told } = await opened(t)
  await limit({ LimitInWatts: 400, CorrectionInMs: 5000 })
  await draws(500)
  await draws(500, 4)
  t.equal(await health(), 'OK', 'for the time that it may be above')
  await draws(400, 2)
  await draws(500, 2)
  await draws(500, 4)
  t.equal(await health(), 'OK', 'that time begins anew')
  await draws(500, 1)
  for (const uri of [control, chassis, `${chassis}/PowerSubsystem`, '/redfish/v1/Systems/1'])
    t.equal(await health(uri), 'Warning', uri)
  await draws(500, 60)
  t.match(await told('.PowerLimitExceeded'), [
    { MessageArgs: ['1', '500', '400'], Severity: 'Warning', Resolved: false }
  ])
  const { faults } = fixture.sensors['1']!
  faults.unreadable = [31, 32]
  await draws(500)
  await draws(500, 60)
  t.equal(await health(), 'Warning', 'while the power is unknown')
  faults.unreadable = []
  t.equal(fixture.power.state, 'On')
  await draws(400, 60)
  t.equal(await health(), 'Warning', 'until it is over for the settling time')
  await draws(400, 9)
  t.equal(await health(), 'Warning')
  await draws(400, 1)
  t.equal(await health(), 'OK')
  t.match(await told('.PowerLimitExceeded'), [{ Resolved: true }])
  t.equal((await told('.PowerLimitHeld')).length, 1)
})

t.test('a limit that was lifted, or that is to lead to no action, is not exceeded', async (t) => {
  const { limit, draws, health } = await opened(t)
  for (const over of [{ LimitInWatts: null }, { LimitException: 'NoAction' }]) {
    await limit({ LimitInWatts: 400, LimitException: 'LogEventOnly', CorrectionInMs: 0 })
    await draws(500)
    t.equal(await health(), 'Warning')
    await limit(over)
    await draws(500)
    await draws(500, 10)
    t.equal(await health(), 'OK', JSON.stringify(over))
  }
  await draws(500, 60)
  t.equal(await health(), 'OK')
})

t.test('only the last of several limits is watched', async (t) => {
  const { limit, draws, told } = await opened(t)
  await limit({ LimitInWatts: 400, CorrectionInMs: 0 })
  await limit({ LimitInWatts: 600 })
  await draws(500)
  t.same(await told('.PowerLimitExceeded'), [])
  await draws(601)
  t.match(await told('.PowerLimitExceeded'), [{ MessageArgs: ['1', '601', '600'] }])
})

t.test('the condition of a limit that was lifted just before a restart ends after it', async (t) => {
  const { fixture, limit, draws, health } = await opened(t)
  await limit({ LimitInWatts: 400, CorrectionInMs: 0 })
  await draws(500)
  await limit({ LimitInWatts: null })
  t.equal(await health(), 'Warning')
  await fixture.restart()
  await draws(500)
  await draws(500, 10)
  t.equal(await health(), 'OK')
})

t.test('HardPowerOff switches the host off', async (t) => {
  const { fixture, limit, draws, told } = await opened(t)
  await limit({ LimitInWatts: 400, LimitException: 'HardPowerOff', CorrectionInMs: 0 })
  await draws(400)
  t.equal(fixture.power.state, 'On')
  await draws(401)
  while (fixture.power.state !== 'Off') await sleep(1)
  t.equal((await told('.PowerLimitExceeded')).length, 1)
})

t.test('a limit that the board does not take is 503, and is set at the next start', async (t) => {
  const { fixture, limit } = await opened(t)
  fixture.powerLimits['1']!.faults.failNext = 'EIO'
  t.equal((await limit({ LimitInWatts: 400 })).status, 503)
  t.equal(fixture.powerLimits['1']!.watts, undefined)
  await fixture.restart()
  t.equal(fixture.powerLimits['1']!.watts, 400)
})

t.test('the condition of a limit that a board no longer has ends at the start', async (t) => {
  const directory = t.testdir()
  const first = await openFixture(undefined, directory)
  await first.ask('PATCH', `${control}/`, { SetPoint: 150 })
  await first.ask('PATCH', `${chassis}/Power/`, { PowerControl: [{ PowerLimit: { CorrectionInMs: 0 } }] })
  first.sensors['1']!.faults.stuckAt = { 31: 200, 32: 0 }
  await first.sensors['1']!.poll()
  await first.service.close()
  const second = await openFixture(undefined, directory, (board) => {
    const { powerLimit: _, ...others } = board.chassis['1']!
    return { ...board, chassis: { ...board.chassis, 1: others } }
  })
  t.teardown(() => second.close())
  t.match((await second.ask('GET', `${chassis}/`)).json.Status, { HealthRollup: 'OK' })
  t.equal((await second.ask('GET', `${control}/`)).status, 404)
  const { PowerControl } = (await second.ask('GET', `${chassis}/Power/`)).json
  t.same(PowerControl[0].PowerLimit, { LimitException: 'NoAction', LimitInWatts: null })
})

t.test('the power of a chassis is read once there is a limit, and that of one without sensors never', async (t) => {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const hardware = {
    perform: async () => undefined,
    powerRange: () => ({ minimum: 150, maximum: 1600 }),
    chassis: () => ({ powerSupplies: [], loads: [] })
  }
  const listeners = new Set<() => void>()
  const sensors = new Map([['1', { on: (listener: () => void) => listeners.add(listener) }]])
  const limits = new PowerLimits(store, hardware as never, { emit: async () => undefined }, { elapsed: () => 0 }, 10)
  await limits.open({ powerLimits: new Map([['1', {}]]), sensors } as never)
  t.equal(listeners.size, 0)
  await store.commit({ powerLimit: { 2: { watts: 400, enabled: true } } })
  t.equal(listeners.size, 0)
  for (const watts of [400, 500]) await store.commit({ powerLimit: { 1: { watts, enabled: true } } })
  t.equal(listeners.size, 1)
})

t.test('a limit that another program holds is not set at a start', async (t) => {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  await store.commit({ powerLimit: { 1: { watts: 400, enabled: true } } })
  const done: object[] = []
  const hardware = {
    perform: async (command: object) => void done.push(command),
    powerRange: () => ({ minimum: 150, maximum: 1600 }),
    chassis: () => ({ powerSupplies: [], loads: [] })
  }
  const sensors = new Map([['1', { on: () => () => undefined }]])
  const start = (limit: object) =>
    new PowerLimits(store, hardware as never, { emit: async () => undefined }, { elapsed: () => 0 }, 10).open({
      powerLimits: new Map([['1', limit]]),
      sensors
    } as never)
  await start({ shared: {} })
  t.same(done, [])
  await start({})
  t.same(done, [{ kind: 'limitPower', chassis: '1', watts: 400 }])
})
