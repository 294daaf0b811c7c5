import t from 'tap'
import { GET, privileges } from '#handlers/console/default.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('it is the console of the first system', async (t) => {
  const given = context({})
  t.same(GET(given), { console: Object.keys(given.machine.board.systems)[0] })
  const { board } = given.machine
  t.same(await refusal(() => GET(context({ board: { ...board, systems: {} } }))), missing)
  t.same(privileges, { GET: 'RemoteConsolePriv' })
})
