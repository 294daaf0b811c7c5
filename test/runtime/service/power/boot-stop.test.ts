import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Power } from '#hal/power.ts'
import { BootStop } from '#runtime/service/power/boot-stop.ts'
import { watch } from '#test/hal/contracts/power.ts'
import { openFixture } from '#test/runtime/service.ts'

const system = '/redfish/v1/Systems/1/'

/** A host that is off, and part of whose memory may be at fault. */
async function opened(t: Test) {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const { ask } = fixture
  const reset = (ResetType: string) => ask('POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType })
  const fails = async (parts: NonNullable<(typeof fixture.sensors)[string]['faults']['parts']>) => {
    fixture.sensors['1']!.faults.parts = parts
    for (let polls = 0; polls < 3; polls++) {
      await fixture.sensors['1']!.poll()
      fixture.sleep(30)
    }
  }
  const log = async () =>
    (await ask('GET', `${system}LogServices/SystemLog/Entries/`)).json.Members.map((each: { MessageId: string }) =>
      each.MessageId.split('.').at(-1)
    )
  return {
    ...{ fixture, reset, fails, log },
    stops: (StopBootOnFault: string) => ask('PATCH', system, { Boot: { StopBootOnFault } }),
    next: (state: 'On' | 'Off') => watch(fixture.power).next(state),
    /** Settles when the log says that a boot is held. */
    async held() {
      while (!(await log()).includes('ServerBootStopped')) await pause(2)
    }
  }
}

const broken = { 'memory/proc1dimm1': 'uncorrectable' } as const

t.test('a host with a critical fault is held before its boot until the fault is over', async (t) => {
  const { fixture, reset, fails, stops, next, held, log } = await opened(t)
  t.equal((await fixture.ask('GET', system)).json.Boot.StopBootOnFault, 'Never')
  t.equal((await stops('AnyFault')).status, 200)
  const off = next('Off')
  await reset('ForceOff')
  await off
  await fails(broken)
  await reset('On')
  await held()
  t.equal(fixture.power.state, 'PoweringOn')
  const on = next('On')
  await fails({})
  await on
  while ((await log()).at(-1) !== 'ServerPoweredOn') await pause(2)
  t.same((await log()).slice(-3), ['PartOK', 'ServerBootStarted', 'ServerPoweredOn'])
})

t.test('a client ends the stop, and a warning stops nothing', async (t) => {
  const { fixture, reset, fails, stops, next, held, log } = await opened(t)
  await stops('AnyFault')
  await fails({ 'memory/proc1dimm1': 'correctable' })
  await reset('ForceRestart')
  while (!(await log()).includes('ServerReset')) await pause(2)
  const off = next('Off')
  await reset('ForceOff')
  await off
  await fails(broken)
  await reset('On')
  await held()
  const on = next('On')
  await stops('Never')
  await on
  t.equal(fixture.power.state, 'On')
})

t.test('a host that is held can be switched off', async (t) => {
  const { reset, fails, stops, next, held, log } = await opened(t)
  await stops('AnyFault')
  const off = next('Off')
  await reset('ForceOff')
  await off
  await fails(broken)
  await reset('On')
  await held()
  const again = next('Off')
  await reset('ForceOff')
  await again
  await fails({})
  t.notOk((await log()).includes('ServerBootStarted'))
})

t.test('the stop of a host that is switched off ends, though the fault is still there', async (t) => {
  const { fixture, reset, fails, stops, next } = await opened(t)
  const { power, service } = fixture
  await stops('AnyFault')
  await fails(broken)
  // The commit of the fault is before this one.
  await service.store.commit({})
  let listening = 0
  const on: Power['on'] = (listener) => {
    const end = power.on(listener)
    listening += 1
    return () => {
      listening -= 1
      end()
    }
  }
  const host = {
    get state() {
      return power.state
    },
    on
  }
  const devices = { power: new Map([['1', host as Power]]) }
  const stop = new BootStop(service.store, service.hardware.board, devices, { emit: async () => undefined })
  let end: string | undefined
  stop.over('1').catch((error: Error) => {
    end = error.message
  })
  await new Promise(setImmediate)
  t.equal(listening, 1)
  const off = next('Off')
  await reset('ForceOff')
  await off
  await new Promise(setImmediate)
  t.equal(end, 'the host is switched off')
  t.equal(listening, 0)
})

t.test('a stop that is over before its event is stored holds no host', async (t) => {
  const { fixture, fails, stops } = await opened(t)
  const { store, hardware } = fixture.service
  await stops('AnyFault')
  await fails(broken)
  await store.commit({})
  const host: Pick<Power, 'state' | 'on'> = { state: 'PoweringOn', on: () => () => undefined }
  const devices = { power: new Map([['1', host as Power]]) }
  const over = (meanwhile: () => Promise<unknown>) =>
    new BootStop(store, hardware.board, devices, { emit: async () => void (await meanwhile()) }).over('1').then(
      () => 'boots',
      (error: Error) => error.message
    )
  const isOff = async () => void Object.assign(host, { state: 'Off' })
  t.equal(await over(isOff), 'the host is switched off')
  t.equal(await over(() => store.commit({ system: { 1: { bootStop: 'Never' } } })), 'boots')
})

t.test('a host that crashed boots again: the crash is over then', async (t) => {
  const { fixture, reset, stops, log } = await opened(t)
  await stops('AnyFault')
  fixture.power.faults.panics = true
  await reset('ForceRestart')
  while (!(await log()).includes('ServerCrashed')) await pause(2)
  fixture.power.faults.panics = false
  await reset('ForceRestart')
  while ((await log()).filter((each: string) => each === 'ServerReset').length < 2) await pause(2)
  t.notOk((await log()).includes('ServerBootStopped'))
})
