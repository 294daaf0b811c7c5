import t, { type Test } from 'tap'
import { needing } from '#test/host/every-host.ts'
import { password } from '#test/host/server.ts'
import { Board, build, missingImage } from './board.ts'

const accounts = '/redfish/v1/AccountService/Accounts/'
const events = '/redfish/v1/Managers/1/LogServices/EventLog/Entries/?$expand=.'
const eve = { UserName: 'eve', Password: 'Green-Door-4', RoleId: 'ReadOnly' }

t.setTimeout(1_700_000)

needing('the reset line of a board', missingImage, async (t) => {
  const image = build(t, { password })
  const board = await Board.start(t, image)
  await board.up()

  await t.test('held for ten seconds it restores the factory defaults', async (t) => {
    t.equal((await board.service.post(accounts, eve)).status, 201)
    const from = board.process.stdout.length
    await board.drive('FACTORY_RESET', true)
    await board.process.saying(/init: the reset line is held: the factory defaults are restored/, from)
    await board.process.saying(/^U-Boot SPL/, from)
    await board.drive('FACTORY_RESET', false)
    await board.up(from)
    await isNew(t, board)
  })

  await t.test('set when the board starts it does the same once, for as long as it is set', async (t) => {
    t.equal((await board.service.post(accounts, eve)).status, 201)
    await board.cut()
    const again = await Board.start(t, image)
    await again.drive('FACTORY_RESET', true)
    await again.process.saying(/init: the reset line is set at the start: the factory defaults are restored/)
    await again.up()
    await isNew(t, again)
    await again.cut()
  })
})

/** Only the account of the first administrator exists, and an event has the reason. */
async function isNew(t: Test, { service }: Board): Promise<void> {
  t.equal((await service.get(accounts)).json['Members@odata.count'], 1)
  t.match((await service.get(events)).text, /FactoryDefaultsRestored/)
}
