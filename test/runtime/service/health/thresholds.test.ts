import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import type { Condition } from '#data/health'
import { boardSensors, type SensorThresholds, type TemperatureThreshold } from '#data/sensors'
import type { PowerState } from '#hal/power.ts'
import { simSensors } from '#hal/sim/sensors.ts'
import type { Event } from '#runtime/contract'
import { effectiveThresholds, Thresholds } from '#runtime/service/health/thresholds.ts'
import { Store } from '#runtime/store/store.ts'

const board = sim as unknown as Board
const sensors = '/redfish/v1/Chassis/1/Sensors'
const processor = `${sensors}/2`

/** The readings of a chassis under watch. @param settling seconds */
async function watched(
  t: Test,
  thresholds: Record<string, TemperatureThreshold> = {},
  settling = 0,
  condition: Record<string, Condition> = {},
  sensorThreshold: Record<string, SensorThresholds> = {}
) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  await store.commit({ temperatureThreshold: thresholds, condition, sensorThreshold })
  const told: Event[] = []
  const events = {
    async emit(...happened: Event[]) {
      t.not(happened.length, 0)
      told.push(...happened)
    }
  }
  const device = simSensors({ sensors: boardSensors(board.chassis['1']!) })
  const { on } = device
  let polled: Parameters<typeof on>[0] = () => {}
  Object.assign(device, {
    on(listener: typeof polled) {
      polled = listener
      return on(listener)
    }
  })
  let seconds = 0
  let power: PowerState = 'On'
  const machine = { board, power: () => power }
  const clock = { elapsed: () => seconds * 1000 }
  new Thresholds(store, machine, events, clock, settling).watch({ sensors: new Map([['1', device]]) })
  /** The events when a sensor has this reading, after so many seconds more. */
  const reads = async (sensor: number, reading: number, after = 0) => {
    device.faults.stuckAt = { ...device.faults.stuckAt, [sensor]: reading }
    seconds += after
    await device.poll()
    return told.splice(0)
  }
  return {
    device,
    reads,
    /** The events when a client sets the thresholds of a sensor so, or gives them back to the board. */
    async set(thresholds: SensorThresholds | null, key = '1/2') {
      await store.commit({ sensorThreshold: { [key]: thresholds } })
      return told.splice(0).map(({ message, clears }) => [message.key.split('.').at(-1), ...message.args, clears])
    },
    /** The events of a poll after so many seconds that changes no reading. */
    quiet(after = 0) {
      seconds += after
      polled(new Set())
      return told.splice(0).map(({ message }) => message.key.split('.').at(-1))
    },
    /** The events of the start. */
    first: told.splice(0),
    power(state: PowerState) {
      power = state
    },
    /** The events when processor 1 has this temperature in degrees. */
    async at(degrees: number, after = 0) {
      return (await reads(2, degrees, after)).map(({ message, origin }) => {
        t.equal(origin, processor)
        return [message.key, ...message.args]
      })
    }
  }
}

const property = `${processor}/#/Reading`

t.test(
  'a user threshold sends one event when it is exceeded, and one when the temperature is normal again',
  async (t) => {
    const { at } = await watched(t, { '1/2/Warning': { effective: 60, pending: null } })
    t.same(await at(59), [])
    t.same(await at(60), [
      ['MgmtEvents.TemperatureThresholdExceeded', 'Processor 1', '60', 'Warning', '60'],
      ['ResourceEvent.ResourceWarningThresholdExceeded', property, '60']
    ])
    t.same(await at(64), [])
    t.same(await at(59), [], 'a temperature that hovers about it is not told again and again')
    t.same(await at(60), [])
    t.same(await at(57), [
      ['MgmtEvents.TemperatureThresholdCleared', 'Processor 1', '57', 'Warning'],
      ['ResourceEvent.ResourceWarningThresholdCleared', property, '57']
    ])
    t.equal((await at(61)).length, 2)
  }
)

t.test('a threshold that a client sets, moves or removes counts at once', async (t) => {
  const { at, set, device } = await watched(t)
  const exceeded = (limit: string) => [
    ['TemperatureThresholdExceeded', 'Processor 1', '65', 'UpperCaution', limit, undefined],
    ['ResourceWarningThresholdExceeded', property, '65', undefined]
  ]
  const cleared = (reading: string) => [
    ['TemperatureThresholdCleared', 'Processor 1', reading, 'UpperCaution', 'UpperCaution'],
    ['ResourceWarningThresholdCleared', property, reading, undefined]
  ]
  await at(65)
  t.same(await set({ UpperCaution: { reading: 70 } }), [])
  t.same(await set({ UpperCaution: { reading: 60 } }), exceeded('60'))
  t.same(await set({ UpperCaution: { reading: 62 } }), [], 'it is exceeded as before')
  t.same(await set({ UpperCaution: { reading: 80 } }), cleared('65'))
  t.same(await set({ UpperCaution: { reading: 64 } }), exceeded('64'))
  t.same(await set({ UpperCaution: { reading: 1 } }, '1/99'), [], 'there is no such sensor')
  t.same(await set({ UpperCaution: { reading: 1 } }, '9/2'), [], 'there is no such chassis')
  t.same(await set(null), cleared('65'))
  t.same(await set({ UpperCaution: { reading: 60 } }), exceeded('60'))
  device.faults.unreadable = [2]
  await device.poll()
  t.same(await set(null), cleared('60'), 'without a reading that of the threshold is shown')
})

t.test('a threshold that is removed while its reading is beyond it for too short a time has no event', async (t) => {
  const { at, set } = await watched(t)
  await at(65)
  t.same(await set({ UpperCaution: { reading: 60, dwell: 5 } }), [])
  t.same(await set(null), [])
  t.same(await at(65, 6), [])
  t.same(await set({ UpperCaution: { reading: 60, dwell: 5 } }), [])
  t.same(await set({ UpperCaution: { reading: 90 } }, '1/3'), [], 'that of another sensor changes nothing of it')
  t.equal((await at(65, 5)).length, 2)
})

t.test(
  'a poll that changes no reading counts for those that wait, and for all once the host is switched',
  async (t) => {
    const limits = { '1/2': { UpperCaution: { reading: 60, dwell: 5 }, LowerCritical: { reading: 30 } } }
    const { at, quiet, power } = await watched(t, {}, 0, {}, limits)
    await at(65)
    t.same(quiet(4), [])
    t.same(quiet(1), ['TemperatureThresholdExceeded', 'ResourceWarningThresholdExceeded'])
    power('Off')
    await at(25)
    t.same(quiet(), [])
    power('On')
    t.same(quiet(), ['SensorCriticalThresholdExceeded', 'ResourceErrorThresholdExceeded'])
  }
)

t.test('the settling time begins when the reading is back, however long it was beyond', async (t) => {
  const { at, quiet } = await watched(t, {}, 10, {}, { '1/2': { UpperCaution: { reading: 60, dwell: 5 } } })
  await at(65)
  t.equal(quiet(5).length, 2)
  t.same(await at(50), [])
  t.same(await at(50, 9), [])
  t.equal((await at(50, 1)).length, 2)
})

t.test('a limit that is neither for heat nor for a slow fan has the messages of any sensor', async (t) => {
  const upper = { UpperCaution: { reading: 80 } }
  const limits = { '1/41': upper, '1/21': upper, '1/2': { LowerCritical: { reading: 5 } } }
  const { reads } = await watched(t, {}, 0, {}, limits)
  const told = async (sensor: number, reading: number) => (await reads(sensor, reading))[0]?.message.key
  t.equal(await told(41, 85), 'MgmtEvents.SensorThresholdExceeded')
  t.equal(await told(41, 40), 'MgmtEvents.SensorThresholdCleared')
  await reads(21, 85)
  t.equal((await reads(21, 85, 6))[0]?.message.key, 'MgmtEvents.SensorThresholdExceeded')
  t.equal(await told(2, 4), 'MgmtEvents.SensorCriticalThresholdExceeded')
})

t.test(
  'a threshold that a sensor is below on standby counts only while the host is on, and others always',
  async (t) => {
    const { at, power } = await watched(t, {}, 0, {}, { '1/2': { LowerCritical: { reading: 30 } } })
    for (const [state, degrees, expected] of [
      ['Off', 25, undefined],
      ['On', 25, 'MgmtEvents.SensorCriticalThresholdExceeded'],
      ['Off', 25, 'MgmtEvents.SensorThresholdCleared'],
      ['Off', 96, 'MgmtEvents.TemperatureCriticalThresholdExceeded']
    ] as const) {
      power(state)
      t.equal((await at(degrees))[0]?.[0], expected, `${state}, ${degrees} degrees`)
    }
  }
)

t.test('each threshold of the board sends its own events in the same way', async (t) => {
  const { at } = await watched(t)
  t.same(await at(96), [
    ['MgmtEvents.TemperatureCriticalThresholdExceeded', 'Processor 1', '96', 'UpperCritical', '90'],
    ['ResourceEvent.ResourceErrorThresholdExceeded', property, '96'],
    ['MgmtEvents.TemperatureCriticalThresholdExceeded', 'Processor 1', '96', 'UpperFatal', '95'],
    ['ResourceEvent.ResourceErrorThresholdExceeded', property, '96']
  ])
  t.same(await at(91), [
    ['MgmtEvents.TemperatureThresholdCleared', 'Processor 1', '91', 'UpperFatal'],
    ['ResourceEvent.ResourceErrorThresholdCleared', property, '91']
  ])
})

t.test('a threshold that is exceeded raises a condition, and clears it', async (t) => {
  const { reads } = await watched(t)
  t.same(
    (await reads(2, 91)).map(({ raises }) => raises),
    ['UpperCritical', undefined]
  )
  t.same(
    (await reads(2, 80)).map(({ clears }) => clears),
    ['UpperCritical', undefined]
  )
})

t.test('a temperature that goes to and fro is reported once, until it is normal for the settling time', async (t) => {
  const { at } = await watched(t, {}, 10)
  const [first] = await at(91)
  t.equal(first?.[0], 'MgmtEvents.TemperatureCriticalThresholdExceeded')
  for (const degrees of [60, 92, 60, 92]) t.same(await at(degrees, 9), [], `${degrees}`)
  t.same(await at(60, 1), [])
  t.same(await at(60, 9), [])
  const [last] = await at(60, 1)
  t.equal(last?.[0], 'MgmtEvents.TemperatureThresholdCleared')
})

t.test('a fan that stands still, or is slow, is reported after the time that it has to start', async (t) => {
  const { reads } = await watched(t)
  const keys = (events: Event[]) => events.map(({ message, origin }) => [message.key, origin.split('/').at(-1)])
  await reads(21, 20)
  t.same(await reads(21, 0), [])
  t.same(keys(await reads(21, 0, 5)), [
    ['MgmtEvents.FanStopped', '21'],
    ['ResourceEvent.ResourceErrorThresholdExceeded', '21'],
    ['MgmtEvents.FanSlow', '21'],
    ['ResourceEvent.ResourceWarningThresholdExceeded', '21']
  ])
  t.same(keys(await reads(21, 3)), [
    ['MgmtEvents.FanSpeedNormal', '21'],
    ['ResourceEvent.ResourceErrorThresholdCleared', '21']
  ])
})

t.test('one that waits for a start of the controller is not watched', async (t) => {
  const { at } = await watched(t, { '1/2/Critical': { effective: null, pending: 50 } })
  t.same(await at(70), [])
})

t.test('the condition of a threshold that is no longer there ends at the start, and no other', async (t) => {
  const condition = (origin: string) => ({
    ...({ origin, created: '', severity: 'Critical', text: '', messageId: '', args: ['Old'] } as const)
  })
  const gone = `${sensors}/99`
  const { first } = await watched(t, {}, 0, {
    [`${gone}#UpperCritical`]: condition(gone),
    [`${processor}#UpperCritical`]: condition(processor),
    [`${gone}#failed`]: condition(gone)
  })
  t.match(first, [{ origin: gone, clears: 'UpperCritical', message: { key: 'MgmtEvents.PartOK', args: ['Old'] } }])
  t.equal(first.length, 1)
  await t.test('also if it is the only one', async (t) => {
    const { first } = await watched(t, {}, 0, { [`${gone}#UpperCritical`]: condition(gone) })
    t.equal(first.length, 1)
  })
  await t.test('and not that of one that is there', async (t) => {
    const { first } = await watched(t, {}, 0, { [`${processor}#UpperCritical`]: condition(processor) })
    t.same(first, [])
  })
})

t.test('an unreadable temperature neither exceeds nor clears a threshold', async (t) => {
  const { at, device } = await watched(t, { '1/2/Critical': { effective: 60, pending: null } })
  t.equal((await at(70)).length, 2)
  device.faults.unreadable = [2]
  t.same(await at(20), [])
  device.faults.unreadable = []
  t.same(await at(70), [])
})

t.test('a start of the controller applies pending thresholds, and keeps the others', async (t) => {
  const stored: Record<string, TemperatureThreshold> = {
    '1/2/Warning': { effective: 60, pending: 65 },
    '1/3/Warning': { effective: null, pending: 70 },
    '1/4/Warning': { effective: 50, pending: null }
  }
  const store = { get: (_: string, key: string) => stored[key], keys: () => Object.keys(stored) }
  t.same(effectiveThresholds(store as unknown as Store), {
    temperatureThreshold: {
      '1/2/Warning': { effective: 65, pending: null },
      '1/3/Warning': { effective: 70, pending: null }
    }
  })
})
