import t from 'tap'
import { type Board, boardFaults, boardSchema, entry } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import type { Property } from '#runtime/schema'
import { withoutVariables } from './without-variables.ts'

const board = sim as Board
const system = board.systems['1']!
const rack = board.chassis['1']!

t.test('the simulated board is sound and has eight boot options or more', async (t) => {
  t.same(boardFaults(board), [])
  t.ok(system.bootOptions!.length >= 8)
})

t.test('a power mode that the standard does not have is named', async (t) => {
  const powerMode = { attribute: 'PowerPolicy', modes: { Turbo: 'x', PowerSaving: 'y' } }
  const faults = boardFaults({ ...board, systems: { 1: { ...system, powerMode } } })
  t.same(faults, ['systems/1/powerMode: Turbo is not a power mode'])
})

t.test('a system without variables says nothing of what is in them', async (t) => {
  t.same(boardFaults(withoutVariables(board)), [])
  const { nvram: _, ...none } = system
  t.same(boardFaults({ ...board, systems: { 1: none } }), [
    'systems/1/attributeRegistry needs nvram or bios',
    'systems/1/bootOptions needs nvram',
    'systems/1/factoryKeys needs nvram'
  ])
  const { attributeRegistry: __, ...unset } = system
  t.same(boardFaults({ ...board, systems: { 1: unset } }), [
    'systems/1/biosDevices needs attributeRegistry',
    'systems/1/powerMode needs attributeRegistry'
  ])
})

t.test('a host that is not simulated promises no reset or erasure of a drive that no device does', async (t) => {
  const real = { ...system, power: { type: 'gpio' } }
  const of = (drives: object) =>
    boardFaults({ ...board, systems: { 1: { ...real, drives } } }).filter((each) => each.includes('/nvme/drives/1/'))
  const storage = 'systems/1/storage/nvme/drives/1'
  const resets = `${storage}/resets: no device of this host resets a drive`
  t.same(of({}), [resets, `${storage}/sanitization: the host has no device in drives/nvme/1 that erases it`])
  t.same(of({ 'nvme/1': { type: 'qemu', machine: 'vm-1' } }), [resets])
})

t.test('a member that is missing is named, wherever it is', async (t) => {
  const { manager: _, ...old } = system
  t.same(boardFaults({ ...board, systems: { '1': old } }), ['systems/1/manager is missing'])
  t.same(boardFaults({ ...board, managers: undefined }), ['managers is missing'])
  const [option] = system.bootOptions!
  const bootOptions = [option, { ...option, uefiDevicePath: undefined }]
  t.same(boardFaults({ ...board, systems: { '1': { ...system, bootOptions } } }), [
    'systems/1/bootOptions/1/uefiDevicePath is missing'
  ])
  const { bay, ...supply } = rack.powerSupplies[0]!
  t.type(bay, 'number')
  t.same(boardFaults({ ...board, chassis: { ...board.chassis, '1': { ...rack, powerSupplies: [supply] } } }), [
    'chassis/1/powerSupplies/0/bay is missing'
  ])
})

t.test('a member of another type is named, with the expected type', async (t) => {
  const wrong = { ...system, name: 7, chassis: '1', processors: [], trustedModule: 'yes' }
  t.same(boardFaults({ ...board, systems: { '1': wrong } }), [
    'systems/1/name is not a string',
    'systems/1/processors is not an object',
    'systems/1/trustedModule is not an object',
    'systems/1/chassis is not an array'
  ])
  for (const file of [null, [], 'board', 7]) t.same(boardFaults(file), ['it is not an object'])
})

t.test('an undeclared member is named, at any depth', async (t) => {
  const cpu = { ...system.processors['1']!, croes: 4 }
  t.same(boardFaults({ ...board, systems: { '1': { ...system, processors: { 'CPU 1': cpu } } } }), [
    'systems/1/processors/CPU 1/croes is not known'
  ])
  const chassis = { ...board.chassis, '1': { ...rack, contanedBy: 'enclosure' } }
  t.same(boardFaults({ ...board, colour: 'blue', chassis }), [
    'chassis/1/contanedBy is not known',
    'colour is not known'
  ])
})

t.test('a value outside its enumeration is named, with the allowed values', async (t) => {
  t.same(boardFaults({ ...board, chassis: { ...board.chassis, '1': { ...rack, type: 'Sledgehammer' } } }), [
    'chassis/1/type is Sledgehammer, not one of RackMount, Blade, Enclosure'
  ])
  const places = declared(boardSchema({}), board).filter(({ property }) => 'enum' in property)
  t.ok(places.length > 50)
  for (const { path } of places)
    t.match(boardFaults(changed(path, 'Sledgehammer')), [`${path} is Sledgehammer, not one of `])
})

t.test('numbers that no machine has are faults', async (t) => {
  for (const [path, value, wanted] of [
    ['systems/1/processors/1/cores', 1.5, 'is not an integer from 0'],
    ['systems/1/processors/1/cores', -1, 'is -1, not an integer from 0'],
    ['systems/1/uuid', 'x', 'is x, which is not a uuid']
  ] as const) {
    t.same(boardFaults(changed(path, value)), [`${path} ${wanted}`])
  }
})

t.test('a board file may name its schema for an editor', async (t) => {
  t.same(boardFaults({ ...board, $schema: './board.schema.json' }), [])
  t.same(boardFaults({ ...board, $schema: 7 }), ['$schema is not a string'])
})

t.test('every member of the simulated board that is not optional is missed', async (t) => {
  const places = declared(boardSchema({}), board).filter(({ isRequired }) => isRequired)
  t.ok(places.length > 400)
  for (const { path } of places) {
    const copy = structuredClone(board) as object
    const names = path.split('/')
    const last = names.pop()!
    delete (names.reduce((value, name) => value[name as never], copy) as Record<string, unknown>)[last]
    t.ok(boardFaults(copy).includes(`${path} is missing`), path)
  }
})

t.test('an id of a part that is not there is a fault, wherever it is', async (t) => {
  const places = declared(boardSchema({}), board).filter(({ property }) => 'memberOf' in property)
  t.ok(places.length > 8)
  for (const { path } of places)
    t.same(boardFaults(changed(path, 'attic')), [`${path.replace(/\/\d+$/, '')} names attic, which does not exist`])
})

t.test('a link to an unknown part is a fault', async (t) => {
  const chassis = { ...board.chassis, '1': { ...rack, systems: ['7'], containedBy: 'attic' } }
  t.same(boardFaults({ ...board, chassis }), [
    'chassis/1/systems names 7, which does not exist',
    'chassis/1/containedBy names attic, which does not exist'
  ])
  t.same(boardFaults({ ...board, systems: { '1': { ...system, manager: 'constructor' } } }), [
    'systems/1/manager names constructor, which does not exist'
  ])
})

t.test('factory keys that are no signature lists of a default database are faults', async (t) => {
  const factoryKeys = { PKDefault: 'AAAA', KEKDefault: 'A', dbDefault: '', db: '', constructor: '' }
  t.same(boardFaults({ ...board, systems: { '1': { ...system, factoryKeys } } }), [
    'systems/1/factoryKeys: PKDefault does not consist of EFI signature lists',
    'systems/1/factoryKeys: KEKDefault is not base64',
    'systems/1/factoryKeys: db is not a default database',
    'systems/1/factoryKeys: constructor is not a default database'
  ])
})

t.test('boot options that break UEFI’s rules or one another’s are faults', async (t) => {
  const [first] = system.bootOptions!
  const bootOptions = [
    { ...first!, reference: 'Boot00FF' },
    { ...first!, structuredName: 'HD.Attic.1', uefiDevicePath: 'Fv()' },
    { ...first!, uefiDevicePath: 'Fv()' }
  ]
  t.same(boardFaults({ ...board, systems: { '1': { ...system, bootOptions } } }), [
    'systems/1/bootOptions: HD.Attic.1 is not a boot name',
    'systems/1/bootOptions: Boot0000 stands twice',
    'systems/1/bootOptions: App.Emb.1.1 stands twice'
  ])
  t.same(boardFaults(changed('systems/1/bootOptions/0/reference', 'Boot1')), [
    'systems/1/bootOptions/0/reference is Boot1, which does not match ^Boot[0-9A-F]{4}$'
  ])
})

t.test('volumes that their controller cannot make are faults', async (t) => {
  const nvme = system.storage.nvme!
  const volumes = { '1': { name: 'System', raidType: 'RAID1', drives: ['1', '9'] } } as const
  const storage = { nvme: { ...nvme, volumes } }
  t.same(boardFaults({ ...board, systems: { '1': { ...system, storage } } }), [
    'systems/1/storage/nvme/volumes/1 names 9, which does not exist',
    'systems/1/storage/nvme/volumes/1 is RAID1, which its controller does not make'
  ])
})

t.test('sensors that share a number or an id, and slots with a card that is not there, are faults', async (t) => {
  const [slot] = rack.pcieSlots
  const fans = [{ number: 1, name: 'Fan 1', reading: 20, standby: 0 }]
  const common = { id: 'P5V', name: '5 V', kind: 'voltage', reading: 5, standby: 5 } as const
  const measurements = [
    { ...common, number: 91 },
    { ...common, number: 92 }
  ]
  const chassis = { ...board.chassis, '1': { ...rack, fans, measurements, pcieSlots: [{ ...slot!, device: 'gpu-1' }] } }
  t.same(boardFaults({ ...board, chassis }), [
    'chassis/1: sensor 1 stands twice',
    'chassis/1: sensor P5V stands twice',
    'chassis/1/pcieSlots names gpu-1, which does not exist'
  ])
})

t.test('a port of a card without its function, its interface or its kind is a fault', async (t) => {
  const fibreChannel = { wwnn: '200000109B0A4161', wwpn: '100000109B0A4161', speedGbps: 32, linkUp: true }
  const ports = {
    '1': { function: 2, ethernetInterface: '1' },
    '2': { function: 0, ethernetInterface: '1', fibreChannel },
    '3': { function: 1 },
    '4': { function: 1, ethernetInterface: 'toString' }
  }
  const from = 'chassis/1/pcieDevices/nic-1/ports'
  t.same(boardFaults(changed(from, ports)), [
    `${from}/1 names function 2, which does not exist`,
    `${from}/2 is not one of ethernetInterface and fibreChannel`,
    `${from}/3 is not one of ethernetInterface and fibreChannel`,
    `${from}/4 names toString, which does not exist`
  ])
})

t.test('network ports have MAC addresses', async (t) => {
  const port = { name: 'Port', mac: '8c:12:c2:0a:41:50', speedMbps: 1000, linkUp: true }
  const systems = { '1': { ...system, ethernetInterfaces: { '1': port } } }
  t.same(boardFaults({ ...board, systems }), [
    'systems/1/ethernetInterfaces/1/mac is 8c:12:c2:0a:41:50, which does not match ^[0-9A-F]{2}(:[0-9A-F]{2}){5}$'
  ])
})

t.test('names that objects inherit are in no inventory', async (t) => {
  t.equal(entry(board.systems, '1'), system)
  for (const id of ['constructor', '__proto__', 'toString', '']) t.equal(entry(board.systems, id), undefined)
})

interface Declared {
  readonly path: string
  readonly property: Property
  readonly isRequired: boolean
}

/** Each value within another one, with its declaration. */
function declared(schema: Property, value: unknown, at: readonly string[] = []): Declared[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => {
    const path = [...at, name]
    const [property, isRequired = false] =
      schema.type === 'array'
        ? [schema.items]
        : schema.type === 'object'
          ? [entry(schema.properties, name) ?? schema.additionalProperties, schema.required?.includes(name)]
          : []
    if (property === undefined) return []
    return [{ path: path.join('/'), property, isRequired }, ...declared(property, each, path)]
  })
}

/** The simulated board with another value in one place. */
function changed(path: string, value: unknown): unknown {
  const copy = structuredClone(board) as object
  const names = path.split('/')
  const last = names.pop()!
  Object.assign(
    names.reduce((within, name) => within[name as never] as object, copy),
    { [last]: value }
  )
  return copy
}
