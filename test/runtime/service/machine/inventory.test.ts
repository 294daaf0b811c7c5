import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { changedParts } from '#runtime/service/machine/inventory.ts'

const board = sim as unknown as Board

t.test('other parts are events of the systems and chassis that have them', async (t) => {
  const [system, chassis] = [board.systems[1]!, board.chassis[1]!]
  const { '1': first, ...rest } = board.systems
  const { '1': _, ...others } = board.chassis
  const changed = (now: Partial<Board>) =>
    changedParts(board, { ...board, ...now }).map(({ message, origin }) => `${message.key} ${origin}`)
  t.same(changed({}), [])
  t.same(changed({ systems: { ...rest, 1: { ...first!, memory: {} } } }), [
    'ResourceEvent.ResourceChanged /redfish/v1/Systems/1'
  ])
  t.same(changed({ systems: { ...board.systems, blade: system }, chassis: { ...others, tray: chassis } }), [
    'ResourceEvent.ResourceCreated /redfish/v1/Systems/blade',
    'ResourceEvent.ResourceRemoved /redfish/v1/Chassis/1',
    'ResourceEvent.ResourceCreated /redfish/v1/Chassis/tray'
  ])
})
