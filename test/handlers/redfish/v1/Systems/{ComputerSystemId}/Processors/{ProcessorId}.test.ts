import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { GET, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Processors/{ProcessorId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('a processor shows its model and its socket', async (t) => {
  t.match(GET(context({ params: { ComputerSystemId: '1', ProcessorId: '2' } })), {
    Name: 'Processor 2',
    Location: { PartLocation: { ServiceLabel: 'Proc 2' } },
    Model: /32 cores/,
    ProcessorType: 'CPU',
    TotalCores: 32,
    TotalThreads: 64
  })
})

t.test('the instruction set follows from the architecture, which may be unknown', async (t) => {
  const processor = sim.systems[1].processors[2]
  const processors = { a: { ...processor, architecture: 'ARM' }, b: { ...processor, architecture: null } }
  const board = { ...sim, systems: { ...sim.systems, 1: { ...sim.systems[1], processors } } } as unknown as Board
  const shown = (id: string) => GET(context({ board, params: { ComputerSystemId: '1', ProcessorId: id } }))
  t.match(shown('a'), { ProcessorArchitecture: 'ARM', InstructionSet: 'ARM-A64' })
  t.match(shown('b'), { ProcessorArchitecture: null, InstructionSet: null })
})

t.test('there is no other', async (t) => {
  for (const params of [
    { ComputerSystemId: '1', ProcessorId: '3' },
    { ComputerSystemId: '2', ProcessorId: '1' }
  ])
    t.same(await refusal(() => GET(context({ params }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
