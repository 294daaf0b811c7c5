import t from 'tap'
import { type Board, Inventory } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { missing, refusal } from '#test/handlers/context.ts'

const board = sim as Board
const inventory = new Inventory(board)

t.test('the parts of a board are found by id', async (t) => {
  t.equal(inventory.system('1'), board.systems['1'])
  t.equal(inventory.chassis('enclosurechassis'), board.chassis.enclosurechassis)
  t.equal(inventory.manager('1'), board.managers['1'])
  t.equal(inventory.storage('1', 'nvme'), board.systems['1']?.storage.nvme)
})

t.test('anything else is 404', async (t) => {
  for (const id of ['9', '', 'constructor', '__proto__']) {
    t.same(await refusal(() => inventory.system(id)), missing)
    t.same(await refusal(() => inventory.chassis(id)), missing)
    t.same(await refusal(() => inventory.manager(id)), missing)
    t.same(await refusal(() => inventory.storage('1', id)), missing)
    t.same(await refusal(() => inventory.storage(id, 'nvme')), missing)
  }
})
