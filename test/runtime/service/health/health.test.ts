import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openFixture } from '#test/runtime/service.ts'

const chassis = '/redfish/v1/Chassis/1'
const log = '/redfish/v1/Managers/1/LogServices/EventLog/Entries/'

async function opened(t: Test) {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const { ask } = fixture
  return {
    ...fixture,
    status: async (uri: string) => (await ask('GET', uri)).json.Status,
    /** Waits until the reading of a sensor has its effect. */
    async reads(sensor: number, reading: number, health: string) {
      const device = fixture.sensors['1']!
      device.faults.stuckAt = { [sensor]: reading }
      await device.poll()
      fixture.sleep(10)
      await device.poll()
      for (;;) {
        const { json } = await ask('GET', `${chassis}/Sensors/${sensor}/`)
        if (json.Status.Health === health) return
        await pause(2)
      }
    },
    entries: async (key: string) =>
      (await ask('GET', log)).json.Members.filter(({ MessageId }: { MessageId: string }) => MessageId.endsWith(key))
  }
}

t.test('a temperature beyond its critical threshold is seen in all that it is in', async (t) => {
  const { reads, status, ask } = await opened(t)
  await reads(2, 91, 'Critical')
  for (const uri of ['/Sensors/2', '/ThermalSubsystem', ''].map((each) => `${chassis}${each}/`)) {
    t.match(await status(uri), {
      HealthRollup: 'Critical',
      Conditions: [{ MessageArgs: ['Processor 1', '91', /./, '90'] }]
    })
  }
  t.match(await status('/redfish/v1/Systems/1/'), { Health: 'OK', HealthRollup: 'Critical' })
  const { Temperatures } = (await ask('GET', `${chassis}/Thermal/`)).json
  t.same(Temperatures.map((each: { Status: { Health: string } }) => each.Status.Health).slice(0, 3), [
    'OK',
    'Critical',
    'OK'
  ])
  const root = (await ask('GET', '/redfish/v1/')).json.Oem.Vendor
  t.same(root.System, [{ Status: { Health: 'Critical', HealthRollup: 'Critical' } }], 'without the reasons')
  t.same(root.Manager[0].Status, { Health: 'OK', HealthRollup: 'OK' })
})

t.test('a condition is one log entry, which is resolved with it, also across a restart', async (t) => {
  const fixture = await opened(t)
  const { reads, entries, status, ask } = fixture
  await reads(2, 91, 'Critical')
  const [entry, ...others] = await entries('TemperatureCriticalThresholdExceeded')
  t.match(entry, { Severity: 'Critical', Resolved: false, Resolution: /./ })
  t.same(others, [])
  const [condition] = (await status(`${chassis}/`)).Conditions
  t.equal(condition.Timestamp, entry.Created)
  t.equal((await ask('GET', condition.LogEntry['@odata.id'])).json.Id, entry.Id)
  await fixture.restart()
  t.same((await status(`${chassis}/`)).Conditions, [condition])
  await fixture.reads(2, 91, 'Critical')
  t.equal((await entries('TemperatureCriticalThresholdExceeded')).length, 1, 'it is not reported again')
  await fixture.reads(2, 60, 'OK')
  t.match(await entries('TemperatureCriticalThresholdExceeded'), [{ Resolved: true, Modified: /^20/ }])
  t.same(await status(`${chassis}/`), { State: 'Enabled', Health: 'OK', HealthRollup: 'OK' })
  t.equal((await entries('TemperatureThresholdCleared')).length, 1)
})

t.test('an entry that the log no longer has is not written again', async (t) => {
  const { reads, entries, ask } = await opened(t)
  await reads(2, 91, 'Critical')
  t.equal(
    (await ask('POST', '/redfish/v1/Managers/1/LogServices/EventLog/Actions/LogService.ClearLog/', {})).status,
    200
  )
  await reads(2, 60, 'OK')
  t.same(await entries('TemperatureCriticalThresholdExceeded'), [])
})

t.test('a reading that changes leaves the answers cached that show nothing but health', async (t) => {
  const { ask, sensors, service, reads } = await opened(t)
  const uris = ['/redfish/v1', '/redfish/v1/Systems/1', chassis, `${chassis}/ThermalSubsystem`]
  for (const uri of uris) await ask('GET', `${uri}/`)
  const dropped = new Set<string>()
  service.handling.onDropped((uri) => dropped.add(uri))
  const gone = () => uris.filter((uri) => dropped.has(uri))
  sensors['1']!.faults.stuckAt = { 2: 70 }
  await sensors['1']!.poll()
  t.same(gone(), [])
  await reads(2, 91, 'Critical')
  t.same(gone(), uris)
})

t.test('a threshold that a client sets counts at once, in Thermal too, and ends with it', async (t) => {
  const { ask, status, sensors, sleep } = await opened(t)
  sensors['1']!.faults.stuckAt = { 2: 70 }
  await sensors['1']!.poll()
  const uri = `${chassis}/Sensors/2/`
  const caution = (Reading: number | null) => ask('PATCH', uri, { Thresholds: { UpperCaution: { Reading } } })
  const health = async (wanted: string) => {
    while ((await status(uri)).Health !== wanted) await pause(2)
  }
  t.equal((await caution(65)).status, 200)
  await health('Warning')
  const { Temperatures } = (await ask('GET', `${chassis}/Thermal/`)).json
  t.match(Temperatures[1], { UpperThresholdNonCritical: 65, Status: { Health: 'Warning' } })
  await caution(75)
  sleep(10)
  await sensors['1']!.poll()
  sleep(10)
  await sensors['1']!.poll()
  await health('OK')
  await caution(65)
  await health('Warning')
  await caution(null)
  await health('OK')
  const { PeakReading, LowestReading, SensorResetTime } = (await ask('GET', uri)).json
  t.ok(PeakReading === 70 && LowestReading < 70 && SensorResetTime)
})
