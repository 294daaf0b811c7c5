// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import type { Subscription } from '#data/events'
import type { Firmware, FirmwareState } from '#hal/firmware.ts'
import type { Power, PowerEvent } from '#hal/power.ts'
import { simIndicator } from '#hal/sim/indicators.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { event } from '#runtime/contract'
import { Events } from '#runtime/service/events/events.ts'
import type { Devices } from '#runtime/service/machine/machine.ts'
import { Store } from '#runtime/store/store.ts'

const time = '2025-06-01T12:00:00.000Z'
const system = '/redfish/v1/Systems/1'

/** The events of a host and a chassis, and what they leave in the store. */
async function open(t: Test) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const power = new Listeners<PowerEvent>()
  const indicator = simIndicator()
  const events = new Events(store, sim as Board, configuration, () => Date.parse(time))
  const host = { on: (listener: (event: PowerEvent) => void) => power.add(listener) } as Power
  const [firmware, bios] = [new Listeners<FirmwareState>(), new Listeners<FirmwareState>()]
  const slots = (told: Listeners<FirmwareState>) =>
    ({ state: firmwareState('1.0', 0), on: told.add.bind(told) }) as unknown as Firmware
  events.watch({
    power: new Map([['1', host]]),
    indicators: new Map([['1', indicator]]),
    firmware: new Map([
      ['Manager-1', slots(firmware)],
      ['BIOS-1', slots(bios)]
    ])
  } as unknown as Devices)
  const records = () => store.keys('event').map((key) => store.get('event', key))
  return {
    ...{ store, events, indicator, firmware, bios, records },
    /** The host says something; settles when it is stored. */
    async say(change: PowerEvent) {
      power.emit(change)
      await store.commit({})
    },
    told: () => records().map((each) => [each?.messageId.split('.').at(-1), ...(each?.args ?? [])].join(' ')),
    /** The logs that have entries, and how many. */
    logs() {
      const keys = store.keys('logEntry').map((key) => key.replace(/\/\d+$/, ''))
      return [...new Set(keys)].map((log) => `${log}: ${keys.filter((each) => each === log).length}`)
    }
  }
}

/** A component with two slots, the first of which runs. */
const firmwareState = (version: string, next: number): FirmwareState => ({
  slots: [{ version: '1.0' }, { version }],
  running: 0,
  next,
  committed: true
})

for (const [title, change, expected, entries] of [
  ['a boot', { type: 'boot', cause: 'powerOn' }, ['ServerBootStarted 1'], 1],
  ['a reset', { type: 'boot', cause: 'reset' }, ['ServerReset 1'], 1],
  ['an NMI', { type: 'nmi' }, ['NonMaskableInterrupt 1'], 1],
  ['a request to shut down that is ignored', { type: 'ignored', time: 300_000 }, ['ShutdownIgnored 1 300'], 1],
  ['a crash', { type: 'panic' }, ['ServerCrashed 1'], 1],
  ['a failure', { type: 'failure', reason: 'it is gone' }, ['ServerFailed 1 it is gone'], 1],
  ['power on', { type: 'state', state: 'On' }, ['ServerPoweredOn 1', 'PowerStateChanged On'], 1],
  ['power off', { type: 'state', state: 'Off' }, ['ServerPoweredOff 1', 'PowerStateChanged Off'], 1],
  ['a transition', { type: 'state', state: 'PoweringOn' }, ['PowerStateChanged PoweringOn'], 0],
  ['a state that the host does not tell', { type: 'state', state: undefined }, [], 0],
  ['a power cycle of the controller', { type: 'auxCycle' }, [], 0]
] as const) {
  t.test(`${title} is told as events of its system, and in its log`, async (t) => {
    const { say, told, records, logs } = await open(t)
    await say(change)
    t.same(told(), expected)
    for (const record of records()) t.match(record, { origin: system, created: time, to: [] })
    t.same(logs(), entries === 0 ? [] : [`Systems/1/SEL: ${entries}`, `Systems/1/SystemLog: ${entries}`])
  })
}

t.test('a crash is a condition of its system until the next boot, and the log entry is then resolved', async (t) => {
  const { store, say } = await open(t)
  const entry = 'Systems/1/SystemLog/0000000001'
  const crash = () => store.get('condition', `${system}#crash`)
  await say({ type: 'panic' })
  const begun = { origin: system, created: time, severity: 'Critical', args: ['1'], entry }
  t.match(crash(), begun)
  t.equal(store.get('logEntry', entry)?.resolved, null)
  await say({ type: 'panic' })
  t.match(crash(), begun, 'it began once')
  await say({ type: 'boot', cause: 'reset' })
  t.equal(crash(), undefined)
  t.equal(store.get('logEntry', entry)?.resolved, time)
  await say({ type: 'boot', cause: 'reset' })
  t.same(
    store.get('logEntry', 'Systems/1/SystemLog/0000000003')?.resolved,
    undefined,
    'other entries are no conditions'
  )
})

t.test('the end of a crash leaves alone an entry that is no longer in the log', async (t) => {
  const { store, say } = await open(t)
  const key = (number: number) => `Systems/1/SystemLog/000000000${number}`
  await say({ type: 'panic' })
  await say({ type: 'nmi' })
  await store.commit({ logEntry: { [key(1)]: null } })
  await say({ type: 'boot', cause: 'reset' })
  t.equal(store.get('condition', `${system}#crash`), undefined)
  const entries = () => store.keys('logEntry').filter((each) => each.startsWith('Systems/1/SystemLog/'))
  t.same(entries(), [key(2), key(3)])
  const limits = { events: 9, logEntries: 1 }
  const short = new Events(store, sim as Board, { limits }, () => Date.parse(time))
  await short.emit({ ...event('MgmtEvents.ServerCrashed', system, '1'), raises: 'crash' })
  const [crashed] = entries()
  t.equal(store.get('condition', `${system}#crash`)?.entry, crashed)
  await short.emit({ ...event('MgmtEvents.ServerReset', system, '1'), clears: 'crash' })
  t.equal(entries().length, 1, 'that of the reset took its place')
  t.equal(store.get('logEntry', crashed!), undefined)
})

t.test('an indicator that changes is an event of its chassis, in no log', async (t) => {
  const { store, indicator, records, logs } = await open(t)
  await indicator.set('Lit')
  await store.commit({})
  t.match(records(), [{ messageId: /IndicatorChanged$/, args: ['Lit'], origin: '/redfish/v1/Chassis/1' }])
  t.same(logs(), [])
})

t.test('firmware that another program changes is an event of each member of the inventory that shows it', async (t) => {
  const { store, firmware, bios, records } = await open(t)
  const inventory = '/redfish/v1/UpdateService/FirmwareInventory'
  for (const [state, expected] of [
    [firmwareState('1.0', 0), []],
    [firmwareState('1.1', 0), [`${inventory}/Manager-1-B`]],
    [firmwareState('1.1', 1), [`${inventory}/Manager-1-A`, `${inventory}/Manager-1-B`]],
    [firmwareState('1.1', 1), []]
  ] as const) {
    const before = records().length
    firmware.emit(state)
    await store.commit({})
    const told = records().slice(before)
    t.same(
      told.map((each) => each?.origin),
      expected,
      JSON.stringify(state)
    )
  }
  const before = records().length
  bios.emit(firmwareState('1.1', 0))
  await store.commit({})
  const told = records().slice(before)
  t.match(told, [{ origin: `${inventory}/BIOS-1-B` }])
})

t.test('an event that is about no system is in the log of the manager', async (t) => {
  const { events, logs } = await open(t)
  await events.emit(event('MgmtEvents.AccountLocked', '/redfish/v1/AccountService/Accounts/1', 'ann'))
  t.same(logs(), ['Managers/1/EventLog: 1'])
})

t.test('events are logged even while the event service is disabled, but not kept for subscribers', async (t) => {
  const { store, say, told, logs } = await open(t)
  await store.commit({ eventService: { settings: { enabled: false } } })
  await say({ type: 'nmi' })
  t.same([told(), logs()], [[], ['Systems/1/SEL: 1', 'Systems/1/SystemLog: 1']])
})

t.test("events of the host's sensors are also in its SEL, and a condition links the manager's log", async (t) => {
  const { store, events } = await open(t)
  const origin = '/redfish/v1/Chassis/1/Sensors/3'
  const hot = event('MgmtEvents.TemperatureThresholdExceeded', origin, 'CPU 2', '81', 'UpperCaution', '80')
  const boot = event('MgmtEvents.ServerBootStarted', system, '1')
  await events.emit(boot, { ...hot, raises: 'UpperCaution' })
  t.equal(store.get('condition', `${origin}#UpperCaution`)?.entry, 'Managers/1/EventLog/0000000001')
  t.match(
    [1, 2].map((number) => store.get('logEntry', `Systems/1/SEL/000000000${number}`)),
    [{ sel: '1d006f00ffff' }, { sel: '010301575150', text: /CPU 2/, severity: 'Warning' }]
  )
})

t.test('a metric report without subscribers is not stored', async (t) => {
  const { store, events } = await open(t)
  const lines = t.capture(store.log, 'error', () => {})
  await events.report({ Id: 'Fans' }, '/redfish/v1/TelemetryService/MetricReportDefinitions/Fans')
  t.same([store.keys('report'), lines()], [[], []])
})

t.test('a metric report is kept for subscribers only while the event service is enabled', async (t) => {
  const { store, events } = await open(t)
  const reports: Partial<Subscription> = { format: 'MetricReport', metricReportDefinitions: [] }
  await store.commit({ subscription: { 1: reports as Subscription } })
  for (const [enabled, kept] of [
    [false, 0],
    [true, 1]
  ] as const) {
    await store.commit({ eventService: { settings: { enabled } } })
    await events.report({ Id: 'Fans' }, '/redfish/v1/TelemetryService/MetricReportDefinitions/Fans')
    t.equal(store.keys('report').length, kept)
  }
})

t.test('a metric report takes the place of no event that is kept', async (t) => {
  const { store, told } = await open(t)
  const limits = { events: 2, logEntries: 9 }
  const events = new Events(store, sim as Board, { limits }, () => Date.parse(time))
  store.on('event', (key) => events.backlog.follow('event', key))
  const reports: Partial<Subscription> = { format: 'MetricReport', metricReportDefinitions: [] }
  await store.commit({ subscription: { 1: reports as Subscription } })
  for (const user of ['ann', 'ben', 'eva']) await events.emit(event('MgmtEvents.LogCleared', system, user))
  const kept = ['LogCleared ben', 'LogCleared eva']
  t.same(told(), kept)
  await events.report({ Id: 'Fans' }, '/redfish/v1/TelemetryService/MetricReportDefinitions/Fans')
  t.match(store.get('report', store.keys('report')[0]!), { text: '{"Id":"Fans"}', to: ['1'] })
  t.same(told(), kept)
})

t.test('a metric report that the disk refuses is lost, and the log says which', async (t) => {
  const { store, events } = await open(t)
  t.capture(store, 'commit', async () => {
    throw new Error('the disk is full')
  })
  const lines = t.capture(store.log, 'error', () => {})
  await events.report({}, '/redfish/v1/TelemetryService/MetricReportDefinitions/Fans')
  t.match(
    lines().map(({ args }) => args),
    [['a metric report is lost', { definition: /Fans$/, cause: 'the disk is full' }]]
  )
})

t.test('an event that the disk refuses is lost, and the log says which', async (t) => {
  const { store, events } = await open(t)
  t.capture(store, 'commit', async () => {
    throw new Error('the disk is full')
  })
  const lines = t.capture(store.log, 'error', () => {})
  await events.emit(event('MgmtEvents.LogCleared', system, 'ann'))
  t.match(
    lines().map(({ args }) => args),
    [['an event is lost', { keys: ['MgmtEvents.LogCleared'], cause: 'the disk is full' }]]
  )
})
