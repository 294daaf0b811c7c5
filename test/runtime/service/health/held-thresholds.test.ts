// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import { HalError } from '#hal/errors.ts'
import type { ThresholdName } from '#hal/sensors.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { type Event, MessageError } from '#runtime/contract'
import { attachThresholds } from '#runtime/service/health/held-thresholds.ts'
import { Store } from '#runtime/store/store.ts'

type Readings = { [N in ThresholdName]?: number }

/** A program that holds thresholds of the chassis 1, and no chassis 2 has any. */
async function open(t: Test, readings: Record<number, Readings>, stored: Record<string, object> = {}) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  await store.commit({ sensorThreshold: stored })
  const changes = new Listeners<number>()
  const written: unknown[] = []
  const faults: { next?: 'EINVAL' | 'ENODEV' } = {}
  const held = {
    sensors: Object.keys(readings).map(Number),
    get: (sensor: number) => readings[sensor],
    async set(sensor: number, name: ThresholdName, reading: number) {
      if (faults.next !== undefined) throw new HalError(faults.next, 'it is away')
      written.push([sensor, name, reading])
      readings[sensor] = { ...readings[sensor], [name]: reading }
    },
    on: (listener: (sensor: number) => void) => changes.add(listener)
  }
  const told: string[] = []
  const emit = async ({ message, origin }: Event) => void told.push(`${message.key} ${origin}`)
  const sensors = new Map<string, object>([
    ['1', { thresholds: held }],
    ['2', { thresholds: { ...held, sensors: [] } }],
    ['3', {}]
  ])
  const { close } = attachThresholds(store, { emit }, sim as unknown as Board, { sensors } as never)
  return {
    ...{ store, written, faults, close },
    told: () => told.splice(0),
    /** Another program sets a threshold. */
    change(sensor: number, name: ThresholdName, reading: number) {
      readings[sensor] = { ...readings[sensor], [name]: reading }
      changes.emit(sensor)
    }
  }
}

t.test('thresholds that another program holds are those of the sensors, until the service ends', async (t) => {
  const { store, close, change } = await open(
    t,
    { 2: { UpperCaution: 70 } },
    { '1/3': { UpperCritical: { reading: 9 } } }
  )
  t.same([...store.keys('sensorThreshold')].sort(), ['1/2', '1/3'])
  t.same(store.get('sensorThreshold', '1/2'), { UpperCaution: { reading: 70 } })
  t.same(store.get('sensorThreshold', '1/3'), { UpperCritical: { reading: 9 } }, 'those of other sensors stay')
  close()
  change(2, 'UpperCaution', 75)
  t.same(store.keys('sensorThreshold'), ['1/3'])
})

t.test('a change by another program is an event of the sensor, and a repetition is not', async (t) => {
  const { store, change, told, close } = await open(t, { 2: { UpperCaution: 70 }, 999: {} })
  change(2, 'UpperCaution', 70)
  t.same(told(), [])
  change(2, 'UpperCaution', 75)
  t.same(store.get('sensorThreshold', '1/2'), { UpperCaution: { reading: 75 } })
  t.same(told(), ['ResourceEvent.ResourceChanged /redfish/v1/Chassis/1/Sensors/2'])
  change(999, 'UpperCaution', 1)
  t.same(told(), ['ResourceEvent.ResourceChanged /redfish/v1/Chassis/1/Sensors/999'], 'its number is its name')
  close()
  change(2, 'UpperCaution', 80)
  t.same(told(), [])
})

t.test('of what a client sets, only readings that differ are written', async (t) => {
  const { store, written, told } = await open(t, { 2: { UpperCaution: 70, UpperCritical: 80 } })
  const wish = { UpperCaution: { reading: 70 }, UpperCritical: { reading: 85 }, UpperFatal: { dwell: 3 } }
  await store.commit({ sensorThreshold: { '1/2': wish } })
  t.same(written, [[2, 'UpperCritical', 85]])
  t.same(store.get('sensorThreshold', '1/2'), { UpperCaution: { reading: 70 }, UpperCritical: { reading: 85 } })
  t.same(told(), [], 'the commit has an event of its own')
  await store.commit({ sensorThreshold: { '1/2': null } })
  t.equal(written.length, 1, 'they cannot be removed')
})

t.test('a threshold that its program refuses, or does not set because it is away, is an error', async (t) => {
  const { store, faults } = await open(t, { 2: { UpperCaution: 70 } })
  for (const [code, status] of [
    ['EINVAL', 409],
    ['ENODEV', 503]
  ] as const) {
    faults.next = code
    const commit = store.commit({ sensorThreshold: { '1/2': { UpperCaution: { reading: 75 } } } })
    const error = await commit.catch((error: unknown) => error)
    t.equal(error instanceof MessageError && error.status, status, code)
  }
  t.same(store.get('sensorThreshold', '1/2'), { UpperCaution: { reading: 70 } })
})

t.test('thresholds that no program holds are stored by the service', async (t) => {
  const { store, written, close } = await open(t, {})
  await store.commit({ sensorThreshold: { '1/2': { UpperCaution: { reading: 75 } } } })
  t.same(store.get('sensorThreshold', '1/2'), { UpperCaution: { reading: 75 } })
  t.same(written, [])
  close()
})
