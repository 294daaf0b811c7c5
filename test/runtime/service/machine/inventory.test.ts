import t from 'tap'
import type { Board } from '#data/board'
import openbmc from '#data/boards/openbmc.json' with { type: 'json' }
import sim from '#data/boards/sim.json' with { type: 'json' }
import type { FoundChassis, FoundParts, FoundSensor } from '#hal/inventory.ts'
import { changedParts, withInventory } from '#runtime/service/machine/inventory.ts'

const board = openbmc as Board
const usual = sim as unknown as Board
const nothing: FoundParts = {
  ...{ system: {}, processors: {}, memory: {}, storage: {}, cables: {}, parts: {}, chassis: {} }
}
const empty: FoundChassis = {
  ...{ name: 'Rack', supplies: [], fans: [], sensors: [], pcieDevices: {}, pcieSlots: [], inputs: {}, parts: {} }
}

t.test('words that are not known are null, not those of other boards', (t) => {
  const module = { location: 'A0', socket: 1, slot: 1, capacityMiB: 1024 }
  const socket = { socket: 'CPU0', cores: 4, threads: 8 }
  const { systems } = withInventory(board, {
    ...nothing,
    processors: {
      a: { ...socket, manufacturer: 'Intel(R) Corporation' },
      b: { ...socket, manufacturer: 'Ampere(R)' },
      c: { ...socket, family: 'POWER10' },
      d: { ...socket, manufacturer: 'Example', family: 'Farm' }
    },
    memory: { a: { ...module, type: 'DDR4', moduleType: 'UDIMM', errorCorrection: 'NoECC' }, b: { ...module } },
    storage: {
      s: {
        name: 'Storage',
        controller: { model: 'SC' },
        drives: {
          a: { bay: '1', capacityBytes: 1, protocol: 'SAS', medium: 'SSD' },
          b: { bay: '2', capacityBytes: 1, protocol: 'FC', medium: 'SMR' }
        }
      }
    }
  })
  const { processors, memory, storage } = systems.system!
  t.same(
    Object.values(processors).map(({ architecture }) => architecture),
    ['x86', 'ARM', 'Power', null]
  )
  t.match(memory.a, { type: 'DDR4', moduleType: 'UDIMM', errorCorrection: 'NoECC' })
  t.match(memory.b, { type: null, moduleType: null, errorCorrection: null })
  t.match(storage.s?.drives, { a: { medium: 'SSD', protocol: 'SAS' }, b: { medium: null } })
  t.notOk('protocol' in storage.s!.drives.b!)
  t.match(storage.s?.controller, { model: 'SC', protocols: [] })
  t.same(storage.s?.volumes, {})
  t.end()
})

t.test('a board without a system or without a chassis has no pattern for parts, and stays as it is', (t) => {
  for (const lacks of [{ systems: {} }, { chassis: {} }]) {
    const bare = { ...board, ...lacks }
    t.equal(withInventory(bare, nothing), bare)
  }
  t.end()
})

t.test('the sensors of the first chassis watch the parts of the system, those of each chassis its own', (t) => {
  const own = (id: string) => ({ ...empty, parts: { [`chassis/${id}`]: { object: id } } })
  const { chassis, cables } = withInventory(board, {
    ...nothing,
    parts: { 'memory/a': { object: 'a' } },
    cables: { k: { name: 'Cable', upstream: 'Rack' }, l: { name: 'Loose' } },
    chassis: { Board: { ...own('Board'), containedBy: 'Rack' }, Rack: { ...own('Rack'), type: 'RackMount' } }
  })
  t.same(Object.keys(chassis), ['Rack', 'Board'])
  const watched = (id: string) => Object.keys((chassis[id]!.sensors as { parts?: object }).parts ?? {})
  t.same(watched('Rack'), ['memory/a', 'chassis/Rack'])
  t.same(watched('Board'), ['chassis/Board'])
  t.same(cables, { k: { name: 'Cable', upstream: { chassis: 'Rack' } }, l: { name: 'Loose' } })
  t.equal(withInventory(board, nothing).cables, undefined, 'what a machine does not have is absent')
  t.end()
})

t.test('sensors whose devices hold the same thresholds share one object for them', (t) => {
  const [both, upper] = [['LowerCritical', 'UpperCritical'], ['UpperCritical']] as const
  const sensor = (number: number, kind: FoundSensor['kind'], held: FoundSensor['held']) => ({
    ...{ number, id: `s${number}`, name: `Sensor ${number}`, kind, held }
  })
  const sensors = [sensor(1, 'temperature', both), sensor(2, 'voltage', both), sensor(3, 'voltage', upper)]
  const { chassis } = withInventory(board, { ...nothing, chassis: { Rack: { ...empty, sensors } } })
  const { temperatures, measurements } = chassis.Rack!
  const [first, second, third] = [...temperatures, ...(measurements ?? [])].map(({ thresholds }) => thresholds)
  t.same([first, third], [{ held: both }, { held: upper }])
  t.equal(second, first)
  t.end()
})

t.test('a chassis that was found has the parts that were found, and none of the board file', (t) => {
  const sensor = (number: number, kind: FoundSensor['kind']): FoundSensor => ({
    ...{ number, id: `s${number}`, name: `Sensor ${number}`, kind, held: [] }
  })
  const rack = {
    ...{ ...empty, type: 'RackMount', inputs: { s1: { object: 'o' } } },
    sensors: [sensor(1, 'temperature'), sensor(2, 'voltage')],
    fans: [{ id: 'fan0', name: 'Fan', speed: sensor(3, 'fan') }],
    supplies: [
      { id: 'a', name: 'A', power: sensor(4, 'power') },
      { id: 'b', name: 'B' }
    ]
  }
  const parts = {
    Inner: { ...empty, type: 'RackMount', containedBy: 'Rack' },
    Odd: { ...empty, type: 'Blob' },
    Rack: rack
  }
  const { chassis, managers, systems } = withInventory(usual, { ...nothing, chassis: parts as never })
  t.same(Object.keys(chassis), ['Odd', 'Rack', 'Inner'], 'the outermost are first')
  for (const each of [...Object.values(managers), systems[1]!]) t.same(each.chassis, ['Odd', 'Rack', 'Inner'])
  t.equal(chassis.Odd?.type, usual.chassis[1]!.type, 'a type that is not known is that of the file')
  t.match(chassis.Rack, {
    type: 'RackMount',
    temperatures: [{ id: 's1', reading: 0, standby: 0 }],
    measurements: [{ id: 's2', reading: 0, standby: 0 }],
    fans: [{ id: 's3', fanId: 'fan0' }],
    powerSupplies: [{ id: 'a', output: { id: 's4' } }, { id: 'b' }],
    sensors: { inputs: { s1: { object: 'o' } } }
  })
  const { temperatures, measurements, loads, powerSupplies } = chassis.Rack!
  t.same([temperatures.length, measurements?.length, loads], [1, 1, []])
  t.notOk('output' in powerSupplies[1]!)
  t.equal(withInventory(usual, nothing).chassis, usual.chassis)
  t.end()
})

t.test('other parts are events of the systems and chassis that have them', async (t) => {
  const [system, chassis] = [usual.systems[1]!, usual.chassis[1]!]
  const { '1': first, ...rest } = usual.systems
  const { '1': _, ...others } = usual.chassis
  const changed = (now: Partial<Board>) =>
    changedParts(usual, { ...usual, ...now }).map(({ message, origin }) => `${message.key} ${origin}`)
  t.same(changed({}), [])
  t.same(changed({ systems: { ...rest, 1: { ...first!, memory: {} } } }), [
    'ResourceEvent.ResourceChanged /redfish/v1/Systems/1'
  ])
  t.same(changed({ systems: { ...usual.systems, blade: system }, chassis: { ...others, tray: chassis } }), [
    'ResourceEvent.ResourceCreated /redfish/v1/Systems/blade',
    'ResourceEvent.ResourceRemoved /redfish/v1/Chassis/1',
    'ResourceEvent.ResourceCreated /redfish/v1/Chassis/tray'
  ])
})
