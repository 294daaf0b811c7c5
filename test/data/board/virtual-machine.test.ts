import t from 'tap'
import { type Board, boardFaults, withMachine } from '#data/board'
import qemu from '#data/boards/qemu.json' with { type: 'json' }
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'

const board = qemu as Board
const settings = configuration.machine
const systemOf = (changed: object = {}) => withMachine(board, { ...settings, ...changed }).systems['1']!
const targets = (changed?: object) =>
  systemOf(changed).bootOptions!.map(({ reference, alias }) => `${reference} ${alias}`)

t.test('the board is sound', async (t) => {
  t.same(boardFaults(board), [])
})

t.test('a machine without settings is that of the board file', async (t) => {
  const { power, memory, processors, ethernetInterfaces } = systemOf()
  t.match(power, { type: 'qemu', machine: 'vm-1', uuid: board.systems['1']!.uuid, disk: undefined })
  t.same(memory, board.systems['1']!.memory)
  t.same(processors, board.systems['1']!.processors)
  t.same(ethernetInterfaces, {}, 'it has no network')
})

t.test('settings change the machine and its inventory', async (t) => {
  const { power, memory, processors, ethernetInterfaces } = systemOf({
    memory: 2048,
    cpus: 2,
    disk: '/srv/disk.qcow2',
    diskFormat: 'qcow2',
    network: 'user,model=virtio-net-pci'
  })
  t.match(power, { memory: 2048, cpus: 2, disk: '/srv/disk.qcow2', diskFormat: 'qcow2', mac: '52:54:00:12:34:56' })
  t.equal(memory.dimm0?.capacityMiB, 2048)
  t.match(systemOf({ diskSize: 64 }), {
    power: { disk: 'disk-1.img', diskSize: 64 },
    drives: { 'disk/1': {} },
    storage: { disk: { drives: { '1': { capacityBytes: 67_108_864 } } } }
  })
  t.match(processors['1'], { cores: 2, threads: 2 })
  t.same(Object.keys(ethernetInterfaces), ['1'])
})

t.test('code that it names is not written by updates, as the machine’s own is', async (t) => {
  t.match(systemOf(), { power: { firmware: 'bios-1.fd' }, firmware: { type: 'flash', path: 'bios-1.fd' } })
  const named = systemOf({ firmware: '/srv/OVMF.fd' })
  t.match(named, { power: { firmware: '/srv/OVMF.fd' } })
  t.equal(named.firmware, undefined)
})

t.test('the devices of the machine have boot options, numbered as by the firmware', async (t) => {
  t.same(targets(), ['Boot0000 BiosSetup', 'Boot0001 Cd', 'Boot0002 UefiShell'])
  t.same(targets({ disk: 'disk.img' }), ['Boot0000 BiosSetup', 'Boot0001 Cd', 'Boot0002 Hdd', 'Boot0003 UefiShell'])
  const network = targets({ network: 'user' })
  t.equal(network.length, 8)
  t.same([network[2], network.at(-1)], ['Boot0002 Pxe', 'Boot0007 UefiShell'])
})

t.test('a system that is no virtual machine is left alone', async (t) => {
  t.same(withMachine(sim as Board, { ...settings, memory: 64 }), sim)
})
