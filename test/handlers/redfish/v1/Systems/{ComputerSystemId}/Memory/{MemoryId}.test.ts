import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { GET, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Memory/{MemoryId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('a memory module shows its model and its location', async (t) => {
  t.match(GET(context({ params: { ComputerSystemId: '1', MemoryId: 'proc2dimm3' } })), {
    CapacityMiB: 32768,
    DeviceLocator: 'PROC 2 DIMM 3',
    MemoryLocation: { Socket: 2, Slot: 3 },
    MemoryDeviceType: 'DDR5',
    OperatingSpeedMhz: 4800,
    SerialNumber: /^[0-9A-F]{8}$/
  })
})

t.test('a type that is not known is null, and a label at the place goes before its name', async (t) => {
  const module = sim.systems[1].memory.proc2dimm3
  const more = { type: null, moduleType: 'UDIMM', errorCorrection: 'NoECC', serviceLabel: 'B7', sparePartNumber: 'S-1' }
  const system = { ...sim.systems[1], memory: { a: { ...module, ...more } } }
  const board = { ...sim, systems: { ...sim.systems, 1: system } } as unknown as Board
  t.match(GET(context({ board, params: { ComputerSystemId: '1', MemoryId: 'a' } })), {
    BaseModuleType: 'UDIMM',
    ErrorCorrection: 'NoECC',
    MemoryDeviceType: null,
    SparePartNumber: 'S-1',
    Location: { PartLocation: { ServiceLabel: 'B7' } }
  })
})

t.test('there is no other', async (t) => {
  for (const params of [
    { ComputerSystemId: '1', MemoryId: 'PROC2DIMM3' },
    { ComputerSystemId: '2', MemoryId: 'proc1dimm1' }
  ])
    t.same(await refusal(() => GET(context({ params }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
