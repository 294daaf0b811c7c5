import t from 'tap'
import { type Board, boardFaults, entry } from '#data'
import sim from '../../data/boards/sim.json' with { type: 'json' }

const board = sim as Board
const system = board.systems['1']!
const rack = board.chassis['1']!

t.test('the simulated board is sound and has eight boot options or more', async (t) => {
  t.same(boardFaults(board), [])
  t.ok(system.bootOptions.length >= 8)
})

t.test('a link to what is not there is a fault', async (t) => {
  const chassis = { ...board.chassis, '1': { ...rack, systems: ['7'], containedBy: 'attic' } }
  t.same(boardFaults({ ...board, chassis }), [
    'chassis/1/systems names 7, which is not there',
    'chassis/1/containedBy names attic, which is not there'
  ])
  t.same(boardFaults({ ...board, systems: { '1': { ...system, manager: 'constructor' } } }), [
    'systems/1/manager names constructor, which is not there'
  ])
})

t.test('factory keys that are no signature lists of a default database are faults', async (t) => {
  const factoryKeys = { PKDefault: 'AAAA', KEKDefault: 'A', dbDefault: '', db: '', constructor: '' }
  t.same(boardFaults({ ...board, systems: { '1': { ...system, factoryKeys } } }), [
    'systems/1/factoryKeys: PKDefault is not made of EFI signature lists',
    'systems/1/factoryKeys: KEKDefault is not base64',
    'systems/1/factoryKeys: db is not a default database',
    'systems/1/factoryKeys: constructor is not a default database'
  ])
})

t.test('boot options that break UEFI’s rules or one another’s are faults', async (t) => {
  const [first] = system.bootOptions
  const bootOptions = [
    { ...first!, reference: 'Boot1' },
    { ...first!, structuredName: 'HD.Attic.1', uefiDevicePath: 'Fv()' },
    { ...first!, uefiDevicePath: 'Fv()' }
  ]
  t.same(boardFaults({ ...board, systems: { '1': { ...system, bootOptions } } }), [
    'systems/1/bootOptions: Boot1 is not a boot option of UEFI',
    'systems/1/bootOptions: HD.Attic.1 is not a boot name',
    'systems/1/bootOptions: Boot0000 stands twice',
    'systems/1/bootOptions: App.Emb.1.1 stands twice',
    'systems/1/bootOptions: Fv() stands twice'
  ])
})

t.test('volumes that their controller cannot make are faults', async (t) => {
  const nvme = system.storage.nvme!
  const volumes = { '1': { name: 'System', raidType: 'RAID1', drives: ['1', '9'] } } as const
  const storage = { nvme: { ...nvme, volumes } }
  t.same(boardFaults({ ...board, systems: { '1': { ...system, storage } } }), [
    'systems/1/storage/nvme/volumes/1 names 9, which is not there',
    'systems/1/storage/nvme/volumes/1 is RAID1, which its controller does not make'
  ])
})

t.test('sensors that share a number, and slots with a card that is not there, are faults', async (t) => {
  const [slot] = rack.pcieSlots
  const fans = [{ number: 1, name: 'Fan 1', reading: 20, standby: 0 }]
  const chassis = { ...board.chassis, '1': { ...rack, fans, pcieSlots: [{ ...slot!, device: 'gpu-1' }] } }
  t.same(boardFaults({ ...board, chassis }), [
    'chassis/1: sensor 1 stands twice',
    'chassis/1/pcieSlots names gpu-1, which is not there'
  ])
})

t.test('network ports have MAC addresses', async (t) => {
  const port = { name: 'Port', mac: '8c:12:c2:0a:41:50', speedMbps: 1000, linkUp: true }
  const ethernetInterfaces = { '1': port }
  const managers = { '1': { ...board.managers['1']!, ethernetInterfaces } }
  const systems = { '1': { ...system, ethernetInterfaces } }
  t.same(boardFaults({ ...board, systems, managers }), [
    'systems/1/ethernetInterfaces/1: 8c:12:c2:0a:41:50 is not a MAC address',
    'managers/1/ethernetInterfaces/1: 8c:12:c2:0a:41:50 is not a MAC address'
  ])
})

t.test('names that objects inherit are in no inventory', async (t) => {
  t.equal(entry(board.systems, '1'), system)
  for (const id of ['constructor', '__proto__', 'toString', '']) t.equal(entry(board.systems, id), undefined)
})
