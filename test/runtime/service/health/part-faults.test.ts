import t, { type Test } from 'tap'
import type { PartFault } from '#hal/sensors.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { openFixture } from '#test/runtime/service.ts'

const system = '/redfish/v1/Systems/1'
const chassis = '/redfish/v1/Chassis/1'
const log = (owner: string, name: string) => `/redfish/v1/${owner}/1/LogServices/${name}/Entries/`

async function opened(t: Test) {
  const fixture = await openFixture((configuration) => Object.assign(configuration, { eraseTime: 0.02 }))
  t.teardown(() => fixture.close())
  const get = async (uri: string) => (await fixture.ask('GET', `${uri}/`)).json
  const poll = async () => {
    await fixture.sensors['1']!.poll()
    // The commit of what it found is before this one.
    await fixture.service.store.commit({})
    await fixture.service.store.commit({})
  }
  return {
    ...fixture,
    ...{ get, poll },
    rollup: async (uri: string) => (await get(uri)).Status.HealthRollup,
    async fails(parts: Record<string, PartFault>) {
      fixture.sensors['1']!.faults.parts = parts
      await poll()
    },
    /** Polls until a fault that is over counts as over. */
    async settles() {
      await poll()
      fixture.sleep(10)
      await poll()
      await poll()
    },
    entries: async (uri: string, key: string) =>
      (await fixture.ask('GET', uri)).json.Members.filter((each: { MessageId: string }) => each.MessageId.endsWith(key))
  }
}

t.test('a drive that fails degrades its volume, and all that it is in', async (t) => {
  const { ask, fails, get, rollup, settles, entries } = await opened(t)
  await fails({ 'drives/slot3/1': 'failed' })
  t.match((await get(`${system}/Storage/slot3/Drives/1`)).Status, {
    Health: 'Critical',
    Conditions: [{ MessageArgs: ['1'] }]
  })
  t.match((await get(`${system}/Storage/slot3/Volumes/1`)).Status, { Health: 'Warning' })
  t.match((await get(`${system}/Storage/slot3/Volumes/2`)).Status, { Health: 'OK' })
  for (const uri of [`${system}/Storage/slot3`, system, chassis]) t.equal(await rollup(uri), 'Critical', uri)
  t.same((await get('/redfish/v1/TaskService/Tasks')).Members, [], 'a volume is not rebuilt onto a failed drive')
  t.match(await entries(log('Systems', 'SystemLog'), '.DriveFailure'), [{ Resolved: false, Severity: 'Critical' }])
  await fails({})
  t.equal(await rollup(system), 'Critical', 'for the settling time')
  await settles()
  t.equal((await get(`${system}/Storage/slot3/Drives/1`)).Status.Health, 'OK')
  t.equal(await rollup(system), 'Warning', 'until the volume is rebuilt')
  t.match(await entries(log('Systems', 'SystemLog'), '.DriveFailure'), [{ Resolved: true }])
  t.equal((await entries(log('Systems', 'SystemLog'), '.DriveOK')).length, 1)
  const [task] = (await get('/redfish/v1/TaskService/Tasks')).Members
  t.match(await ask('GET', task['@odata.id']), { json: { Name: 'Rebuild of volume 1 of storage slot3' } })
  while ((await ask('GET', task['@odata.id'])).json.TaskState !== 'Completed') await sleep(1)
  await settles()
  t.equal(await rollup(system), 'OK')
  t.match(await entries(log('Systems', 'SystemLog'), '.VolumeDegraded'), [{ Resolved: true }])
  t.equal((await entries(log('Systems', 'SystemLog'), '.VolumeRebuilt')).length, 1)
})

t.test('the rebuild of a volume goes on after a restart, and one without redundancy is not rebuilt', async (t) => {
  const fixture = await opened(t)
  const none = { 9: { name: 'Scratch', raidType: 'RAID0', drives: ['6'] } } as const
  const { volumes } = fixture.service.hardware.board.systems['1']!.storage.slot3!
  await fixture.service.store.commit({ storage: { '1/slot3': { volumes: { ...volumes, ...none }, rebuildRate: 30 } } })
  await fixture.fails({ 'drives/slot3/6': 'failed' })
  const volume = async (id: number) => (await fixture.get(`${system}/Storage/slot3/Volumes/${id}`)).Status.Health
  t.equal(await volume(9), 'Critical')
  await fixture.fails({ 'drives/slot3/3': 'failed' })
  t.equal(await volume(2), 'Warning')
  await fixture.settles()
  await fixture.fails({})
  await fixture.settles()
  t.equal(await volume(9), 'OK')
  t.equal((await fixture.get('/redfish/v1/TaskService/Tasks')).Members.length, 1, 'of volume 2 alone')
  await fixture.restart()
  await fixture.poll()
  t.equal(await volume(2), 'Warning')
  const [task] = (await fixture.get('/redfish/v1/TaskService/Tasks')).Members
  while ((await fixture.ask('GET', task['@odata.id'])).json.TaskState !== 'Completed') await sleep(1)
  await fixture.settles()
  t.equal(await volume(2), 'OK')
})

t.test('a fault that comes and goes is reported once', async (t) => {
  const { fails, entries, sleep } = await opened(t)
  for (let round = 0; round < 4; round += 1) {
    await fails({ 'memory/proc1dimm1': 'correctable' })
    sleep(9)
    await fails({})
  }
  t.equal((await entries(log('Systems', 'SystemLog'), '.MemoryErrorsCorrected')).length, 1)
})

t.test('a fault that is polled again before its event is stored is reported once', async (t) => {
  const { sensors, poll, entries, service } = await opened(t)
  const { store } = service
  const { commit } = store
  let go = () => undefined as unknown
  const stored = new Promise((resolve) => {
    go = () => resolve(undefined)
  })
  store.commit = async (...args) => {
    await stored
    return commit.apply(store, args)
  }
  sensors['1']!.faults.parts = { 'memory/proc1dimm1': 'correctable' }
  for (let polls = 0; polls < 2; polls += 1) await sensors['1']!.poll()
  store.commit = commit
  go()
  await poll()
  t.equal((await entries(log('Systems', 'SystemLog'), '.MemoryErrorsCorrected')).length, 1)
})

t.test('a fault is remembered across a restart, and not reported again', async (t) => {
  const fixture = await opened(t)
  await fixture.fails({ 'processors/2': 'failed' })
  await fixture.restart()
  t.equal(await fixture.rollup(system), 'Critical')
  await fixture.fails({ 'processors/2': 'failed' })
  t.equal((await fixture.entries(log('Systems', 'SystemLog'), '.ProcessorFailed')).length, 1)
  await fixture.fails({})
  await fixture.settles()
  t.equal(await fixture.rollup(system), 'OK')
})

t.test('a part shows its fault in the property that describes it', async (t) => {
  const { fails, get, poll, sleep } = await opened(t)
  await fails({
    'drives/slot3/2': 'predicted',
    'powerSupplies/1': 'inputLost',
    'links/nic-1/1': 'down',
    'fans/21': 'stopped',
    'fans/22': 'slow'
  })
  sleep(5)
  await poll()
  t.equal((await get(`${system}/Storage/slot3/Drives/2`)).FailurePredicted, true)
  t.match(await get(`${chassis}/NetworkAdapters/nic-1/Ports/1`), {
    LinkStatus: 'LinkDown',
    Status: { Health: 'Warning' }
  })
  const { PowerSupplies } = await get(`${chassis}/Power`)
  t.match(PowerSupplies[0], { LineInputVoltage: 0, LastPowerOutputWatts: 0, Status: { Health: 'Critical' } })
  t.match(PowerSupplies[1], { LineInputVoltage: 230, Status: { Health: 'OK' } })
  const { PowerSupplyRedundancy } = await get(`${chassis}/PowerSubsystem`)
  t.match(PowerSupplyRedundancy, [{ MinNeededInGroup: 1, Status: { Health: 'Warning' } }])
  const { Fans } = await get(`${chassis}/Thermal`)
  t.match(Fans[0], { Reading: 0, Status: { Health: 'Critical' } })
  t.match(Fans[1], { Status: { Health: 'Warning' } })
  await poll()
  const { FanRedundancy } = await get(`${chassis}/ThermalSubsystem`)
  t.match(FanRedundancy, [{ MaxSupportedInGroup: 6, MinNeededInGroup: 5, Status: { Health: 'Warning' } }])
})

t.test('of any part it is known that it has failed, is unavailable, or has a lit fault lamp', async (t) => {
  const { fails, get, rollup, settles, entries } = await opened(t)
  await fails({
    'memory/proc1dimm1': 'failed',
    'fans/21': 'failed',
    'powerSupplies/1': 'unavailable',
    'chassis/1': 'lamp',
    'cores/1/core3': 'failed',
    'cores/1/core4': 'unavailable'
  })
  t.match((await get(`${system}/Memory/proc1dimm1`)).Status, { Health: 'Critical', State: 'Enabled' })
  t.match((await get(`${chassis}/ThermalSubsystem/Fans/21`)).Status, { Health: 'Critical' })
  t.match((await get(`${chassis}/PowerSubsystem/PowerSupplies/1`)).Status, {
    State: 'UnavailableOffline',
    Health: 'Warning'
  })
  t.match((await get(chassis)).Status, { Health: 'Warning', HealthRollup: 'Critical' })
  const { Status } = await get(`${system}/Processors/1`)
  t.match(
    Status.Conditions.map(({ Message }: { Message: string }) => Message),
    ['core3 has failed.', 'core4 is not available.']
  )
  t.equal(Status.State, 'Enabled', 'of the processor')
  await settles()
  const { FanRedundancy } = await get(`${chassis}/ThermalSubsystem`)
  t.match(FanRedundancy, [{ Status: { Health: 'Warning' } }])
  await fails({})
  await settles()
  await settles()
  t.equal(await rollup(system), 'OK')
  t.equal((await entries(log('Systems', 'SystemLog'), '.PartOK')).length, 3, 'of those of the system')
})

t.test('a cable that has failed counts for the chassis that it is in', async (t) => {
  const { fails, get, rollup, settles, service } = await opened(t)
  const [id = '', cable] =
    Object.entries(service.hardware.board.cables ?? {}).find(([, { upstream }]) => upstream?.chassis === '1') ?? []
  t.ok(cable)
  await fails({ [`cables/${id}`]: 'failed' })
  t.match((await get(`/redfish/v1/Cables/${id}`)).Status, { Health: 'Critical' })
  for (const uri of [chassis, system]) t.equal(await rollup(uri), 'Critical', uri)
  await fails({})
  await settles()
  t.match((await get(`/redfish/v1/Cables/${id}`)).Status, { Health: 'OK' })
})

t.test(
  'the fault of a part that is not on the board stays for five minutes: it may not have been told of yet',
  async (t) => {
    const fixture = await opened(t)
    await fixture.fails({ 'memory/proc1dimm1': 'failed' })
    const { store } = fixture.service
    const [key = ''] = store.keys('condition')
    const condition = store.get('condition', key)!
    const gone = [
      'Systems/1/Memory/x',
      'Systems/1/Storage/slot3/Drives/x',
      'Chassis/9/PCIeDevices/x',
      'Cables/x'
    ].concat(
      ...['PowerSubsystem/PowerSupplies', 'ThermalSubsystem/Fans', 'PCIeDevices'].map((each) => `Chassis/1/${each}/x`),
      'Systems/1/Processors/x'
    )
    const conditions = gone.map((each) => {
      const origin = `/redfish/v1/${each}`
      return [`${origin}#failed`, { ...condition, origin }] as const
    })
    const failed = () => store.keys('condition').filter((each) => each.endsWith('#failed'))
    await fixture.fails({})
    for (const time of ['the first time', 'when it comes again']) {
      await store.commit({ condition: Object.fromEntries(conditions) })
      await fixture.settles()
      t.same(failed().sort(), conditions.map(([each]) => each).sort(), time)
      fixture.sleep(300)
      await fixture.poll()
      await fixture.poll()
      t.same(failed(), [], time)
    }
  }
)
