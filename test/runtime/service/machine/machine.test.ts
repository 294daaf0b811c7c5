import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { Console } from '#hal/console.ts'
import { simStore } from '#hal/edk2/devices.ts'
import { HalError, halErrorCodes } from '#hal/errors.ts'
import type { Power } from '#hal/power.ts'
import { simFirmware } from '#hal/sim/firmware.ts'
import { simIndicator } from '#hal/sim/indicators.ts'
import { simPort } from '#hal/sim/ports.ts'
import { simPower } from '#hal/sim/power.ts'
import { simSensors } from '#hal/sim/sensors.ts'
import { attribute } from '#hal/uefi/attributes.ts'
import { globalGuid } from '#hal/uefi/variables.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { Log } from '#runtime/base/log.ts'
import { readBoard } from '#runtime/command/board-file.ts'
import type { MessageError } from '#runtime/contract'
import { type Devices, explain, Hardware } from '#runtime/service/machine/machine.ts'
import { openDocuments } from '#runtime/store/documents.ts'
import { Revisions } from '#runtime/store/revisions.ts'
import { watch } from '#test/hal/contracts/power.ts'

const vendorGuid = '12345678-1234-1234-1234-123456789abc'
const documents = openDocuments(readFileSync('dist/documents.bin'))
const board = readBoard('sim', documents)

/** A machine with one simulated device of each kind, and the paths that have moved. */
function open(t: Test, more: Partial<Devices> = {}) {
  const directory = t.testdir()
  const power = simPower({ onTime: 0, offTime: 0 })
  const indicator = simIndicator()
  const sensors = simSensors({ sensors: [{ number: 1, kind: 'fan', on: 40, standby: 0 }] })
  const port = simPort()
  const firmware = simFirmware({ writeTime: 0 })
  const nvram = simStore({ directory, name: 'nvram' })
  const output = new Listeners<Uint8Array>()
  const console: Console = { write: () => {}, on: (listener) => output.add(listener), close: async () => {} }
  for (const device of [power, indicator, sensors, port, firmware, nvram]) t.teardown(() => device.close())
  const revisions = new Revisions(1)
  const devices = {
    power: new Map([['1', power]]),
    indicators: new Map([['1', indicator]]),
    nvram: new Map([['1', nvram]]),
    sensors: new Map([['1', sensors]]),
    powerLimits: new Map(),
    eventLogs: new Map(),
    media: new Map(),
    ports: new Map([['1/1', port]]),
    firmware: new Map([['BIOS-1', firmware]]),
    consoles: new Map([['1', console]]),
    postCodes: new Map(),
    bios: new Map(),
    bootOverrides: new Map(),
    networks: new Map(),
    watchdogs: new Map(),
    dumps: new Map(),
    drives: new Map(),
    ...more
  }
  const machine = new Hardware(board, devices, { revisions, log: new Log(1000) }, documents)
  const moved: string[] = []
  revisions.onMoved((path) => moved.push(path))
  const say = (text: string) => output.emit(Buffer.from(text, 'latin1'))
  return { machine, revisions, moved, say, power, indicator, sensors, port, firmware, nvram }
}

const devicePaths = ['power/1', 'bootProgress/1', 'nvram/1', 'indicator/1', 'readings/1', 'firmware/BIOS-1', 'port/1/1']

t.test('no device is older than the start of the service', async (t) => {
  const { revisions } = open(t)
  t.same(
    devicePaths.map((path) => revisions.of(path)),
    devicePaths.map(() => 2 ** 32)
  )
})

t.test('a device that changes moves its own revision and no other', async (t) => {
  const { machine, revisions, moved, say, power, indicator, sensors, port, firmware } = open(t)
  const before = devicePaths.map((path) => revisions.of(path))
  for (const [title, change, expected] of [
    ['an NMI changes nothing', () => power.perform('nmi'), []],
    [
      'off',
      async () => {
        const off = watch(power).next('Off')
        await power.perform('forceOff')
        await off
      },
      ['power/1', 'power/1', 'bootProgress/1']
    ],
    ['a boot', async () => say('BdsDxe: starting Boot0001 "UEFI Disk"\n'), ['bootProgress/1']],
    ['an indicator', () => indicator.set('Lit'), ['indicator/1']],
    ['sensors', () => sensors.poll(), ['readings/1', 'readings/1/polls']],
    [
      'sensors that show what they showed',
      async () => {
        sensors.faults.stale = true
        await sensors.poll()
      },
      ['readings/1/polls']
    ],
    ['a port', async () => port.plug(false), ['port/1/1']],
    ['firmware', () => firmware.commit(), ['firmware/BIOS-1']]
  ] as const) {
    await change()
    t.same(moved.splice(0), expected, title)
  }
  t.equal(machine.bootProgress('1'), 'OSBootStarted')
  const after = devicePaths.map((path) => revisions.of(path))
  t.same(
    devicePaths.filter((_, index) => before[index] === after[index]),
    ['nvram/1']
  )
})

t.test('a boot that ends says whether an operating system starts', async (t) => {
  const { machine, say } = open(t)
  const ends: unknown[] = []
  const stop = machine.onBootEnd((end) => ends.push(end))
  say('BdsDxe: starting Boot0001 "UEFI Disk"\nBdsDxe: No bootable option or device was found.\n')
  stop()
  say('BdsDxe: starting Boot0001 "UEFI Disk"\n')
  t.same(ends, [
    { system: '1', isFailed: false },
    { system: '1', isFailed: true }
  ])
})

t.test('a power cycle of the controller is told, and no other event is', async (t) => {
  const { machine, power } = open(t)
  let cycles = 0
  machine.onAuxCycle(() => cycles++)
  const off = watch(power).next('Off')
  await power.perform('forceOff')
  await off
  t.equal(cycles, 0)
  const cycled = watch(power).next('auxCycle')
  await power.perform('auxCycle')
  await cycled
  t.equal(cycles, 1)
})

t.test('the power is settled in a final state with nothing under way', async (t) => {
  for (const [power, expected] of [
    [{ state: 'On' }, true],
    [{ state: 'Off' }, true],
    [{ state: 'PoweringOn' }, false],
    [{ state: 'PoweringOff' }, false],
    [{ state: 'On', isUnderWay: true }, false],
    [{ state: 'Off', isUnderWay: true }, false],
    [{ state: 'Off', isUnderWay: false }, true]
  ] as const) {
    const held = { on: () => () => {}, ...power } as unknown as Power
    t.equal(open(t, { power: new Map([['1', held]]) }).machine.isSettled('1'), expected, JSON.stringify(power))
  }
})

t.test('the state of a machine is that of its devices', async (t) => {
  const { machine, nvram, port, firmware, sensors } = open(t)
  const attributes = attribute.nonVolatile | attribute.bootService
  const named = (name: string, guid: string) => ({ name, guid, attributes, data: Uint8Array.of(1) })
  await nvram.acquire()
  await nvram.set([named('Timeout', globalGuid), named('Timeout', vendorGuid), named('Lang', globalGuid)])
  t.same([...machine.variables('1', globalGuid)].sort(), ['Lang', 'Timeout'])
  t.same(machine.variables('1', vendorGuid), ['Timeout'])
  t.match(machine.variable('1', 'Lang', globalGuid), named('Lang', globalGuid))
  t.equal(machine.variable('1', 'Lang', vendorGuid), undefined)
  t.same(machine.nvram('1'), { health: nvram.health, space: nvram.space })
  await sensors.poll()
  t.type(machine.reading('1', 1), 'number')
  t.equal(machine.reading('1', 2), undefined)
  t.same(machine.firmware('BIOS-1'), firmware.state)
  t.equal(machine.firmware('BIOS-2'), undefined)
  t.equal(machine.port('1', '1'), port.state)
  t.same([machine.power('1'), machine.watchdog('1'), machine.noticesPowerLoss('1')], ['On', { warns: true }, true])
  t.throws(() => machine.power('2'), RangeError)
})

t.test('parts count nothing unless the sensors say that they do', async (t) => {
  const { machine, sensors } = open(t)
  t.equal(machine.counts('1', 'links', 'nic-1/1'), true)
  const { counts, ...others } = sensors
  t.equal(open(t, { sensors: new Map([['1', others]]) }).machine.counts('1', 'links', 'nic-1/1'), false)
})

t.test('a log or a store of dumps moves its revision when it is known or away, and not with each entry', async (t) => {
  for (const kind of ['eventLogs', 'dumps'] as const) {
    const listeners = new Listeners<void>()
    const entries: { entries: Map<number, object> | undefined; isAvailable: boolean } = {
      entries: undefined,
      isAvailable: false
    }
    const held = Object.assign(entries, { on: listeners.add.bind(listeners) })
    const { machine, revisions, moved } = open(t, { [kind]: new Map([['1', held]]) } as never)
    const path = kind === 'dumps' ? 'dumps/1' : 'eventLog/1'
    t.equal(revisions.of(path), 2 ** 32)
    for (const [change, known, isMoved] of [
      [{}, 'unknown', false],
      [{ entries: new Map(), isAvailable: true }, 'current', true],
      [{ entries: new Map([[1, {}]]) }, 'current', false],
      [{ isAvailable: false }, 'last', true],
      [{}, 'last', false]
    ] as const) {
      Object.assign(held, change)
      listeners.emit()
      t.equal(kind === 'dumps' ? machine.dumps('1') : machine.eventLog('1'), known)
      t.same(moved.splice(0), isMoved ? [path] : [])
    }
  }
})

t.test('a power limit that another program holds moves the revision of its range', async (t) => {
  const listeners = new Listeners<void>()
  const range = { minimum: 100, maximum: 200 }
  const limits = { 1: { range, shared: { on: listeners.add.bind(listeners) } }, 2: { range } }
  const { machine, revisions, moved } = open(t, { powerLimits: new Map(Object.entries(limits)) as never })
  t.same([revisions.of('powerRange/1'), revisions.of('powerRange/2')], [2 ** 32, 2 ** 32])
  listeners.emit()
  t.same(moved, ['powerRange/1'])
  t.same([machine.powerRange('1'), machine.powerRange('3')], [range, undefined])
})

t.test('what other programs hold of a machine is not the own service’s', async (t) => {
  const { machine: own } = open(t)
  const times: number[] = []
  const { machine } = open(t, {
    bios: new Map([['1', { state: undefined }]]) as never,
    networks: new Map([['1', { setClock: async (time: number) => void times.push(time) }]]) as never,
    watchdogs: new Map([['1', {}]]) as never,
    consoles: new Map([['1', { on: () => () => undefined, sendBreak: async () => undefined }]]) as never
  })
  const shown = (each: typeof machine) => [
    ...[each.ownsBios('1'), each.setsClock('1'), each.hasBreak('1'), each.watchdog('1')]
  ]
  t.same(shown(own), [true, false, false, { warns: true }])
  t.same(shown(machine), [false, true, true, { warns: false }])
  t.equal(own.setClock('1', 7), undefined)
  await machine.setClock('1', 7)
  t.same(times, [7])
  t.match(own.attributeRegistry('1'), { Id: board.systems['1']!.attributeRegistry })
  const untold = await Promise.resolve('1')
    .then((system) => machine.attributeRegistry(system))
    .catch((error: unknown) => error)
  t.match(untold, { status: 404 }, 'until its firmware has told it')
  const { machine: known } = open(t, { bios: new Map([['1', { state: {} }]]) as never })
  t.match(known.attributeRegistry('1'), { Id: board.systems['1']!.attributeRegistry })
})

t.test('a host notices a loss of power if its supply or its policy is told', async (t) => {
  for (const [power, expected] of [
    [{}, false],
    [{ supplyFailed: false }, true],
    [{ restore: { state: undefined } }, true]
  ] as const) {
    const held = { on: () => () => {}, hasWatchdog: false, ...power } as unknown as Power
    const { machine } = open(t, { power: new Map([['1', held]]) })
    t.equal(machine.noticesPowerLoss('1'), expected, JSON.stringify(power))
    t.equal(machine.watchdog('1'), undefined)
  }
})

t.test('a command reaches its device, whose failure is an answer', async (t) => {
  const { machine, power, indicator } = open(t)
  const status = (command: Parameters<typeof machine.perform>[0]) =>
    machine.perform(command).then(
      () => 'done',
      (error) => error.status
    )
  t.equal(await status({ kind: 'indicator', chassis: '1', state: 'Blinking' }), 'done')
  t.equal(machine.indicator('1'), 'Blinking')
  t.equal(await status({ kind: 'power', system: '1', operation: 'on' }), 409)
  power.faults.failNext = 'EIO'
  t.equal(await status({ kind: 'power', system: '1', operation: 'nmi' }), 503)
  indicator.faults.failNext = 'EIO'
  t.equal(await status({ kind: 'indicator', chassis: '1', state: 'Off' }), 503)
  t.equal(machine.indicator('1'), 'Blinking')
})

t.test('a break and a power limit reach their devices', async (t) => {
  const done: unknown[] = []
  const { machine, port, sensors } = open(t, {
    consoles: new Map([['1', { on: () => () => undefined, sendBreak: async () => void done.push('break') }]]) as never,
    powerLimits: new Map([['1', { set: async (watts?: number) => void done.push(watts) }]]) as never
  })
  await machine.perform({ kind: 'sendBreak', system: '1' })
  await machine.perform({ kind: 'limitPower', chassis: '1', watts: 300 })
  await machine.perform({ kind: 'limitPower', chassis: '1', watts: null })
  t.same(done, ['break', 300, undefined])
  t.same(machine.portCounters('1', '1'), port.counters())
  t.same(machine.counters('1', 'links', 'nic-1/1'), sensors.counters?.('links', 'nic-1/1'))
})

t.test('each failure of a device has a status, and the time after which a client may try again', async (t) => {
  const answer = (error: HalError) => {
    const { status, headers, messages } = explain(error, { kind: 'power' }, new Log(1000)) as MessageError
    return [status, headers['Retry-After'], ...messages.map(({ key }) => key)]
  }
  const unavailable = ['Base.ServiceTemporarilyUnavailable', 'Mgmt.DeviceFailed']
  t.same(Object.fromEntries(halErrorCodes.map((code) => [code, answer(new HalError(code, 'power: on'))])), {
    EBUSY: [503, '5', 'Base.ServiceTemporarilyUnavailable'],
    EINVAL: [409, undefined, 'Mgmt.InvalidOperationForSystemState'],
    EIO: [503, '30', ...unavailable],
    ETIMEDOUT: [503, '15', ...unavailable],
    ENODEV: [503, '60', ...unavailable],
    ENOSPC: [503, '60', ...unavailable],
    EROFS: [503, '60', ...unavailable],
    EACCES: [503, '60', ...unavailable]
  })
  for (const [left, seconds] of [
    [0, '1'],
    [1001, '2']
  ] as const)
    t.equal(answer(new HalError('EBUSY', 'power: on', { left }))[1], seconds)
})
