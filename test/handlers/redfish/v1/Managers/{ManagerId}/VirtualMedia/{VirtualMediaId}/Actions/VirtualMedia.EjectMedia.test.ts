import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Managers/{ManagerId}/VirtualMedia/{VirtualMediaId}/Actions/VirtualMedia.EjectMedia.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1', VirtualMediaId: '2' }
const medium = { image: 'https://files.example/boot.iso', inserted: true, writeProtected: true }

t.test('the drive is emptied', async (t) => {
  const tables = { virtualMedia: { '1/2': medium, '1/1': medium } }
  const { status, writes, events } = await POST(context({ params, tables, body: {} }))
  t.equal(status, 200)
  t.same(writes, { virtualMedia: { '1/2': null } })
  t.match(events, [{ message: { key: 'MgmtEvents.VirtualMediaEjected', args: ['2'] } }])
})

t.test('there is nothing to take out of an empty one', async (t) => {
  const empty = { status: 409, messages: [['Mgmt.InvalidOperationForSystemState']] }
  t.same(await refusal(() => POST(context({ params, body: {} }))), empty)
})

t.test('there is no other drive', async (t) => {
  for (const other of [{ VirtualMediaId: '3' }, { ManagerId: '2' }]) {
    t.same(await refusal(() => POST(context({ params: { ...params, ...other }, body: {} }))), missing)
  }
})

t.test('it takes the privilege for virtual media', async (t) => {
  t.same(privileges, { POST: 'VirtualMediaPriv' })
})

/** The simulated machine, which sees what is in its optical drive. */
const board = structuredClone(sim) as unknown as Board
Object.assign(board.managers['1']!.virtualMedia['2']!, { media: { type: 'sim' } })

t.test('with a host, the record is deleted once the host no longer sees the medium', async (t) => {
  const { writes, commands } = await POST(
    context({ params, tables: { virtualMedia: { '1/2': medium } }, body: {}, board })
  )
  t.equal(writes, undefined)
  t.same(commands, [{ kind: 'ejectMedia', drive: '1/2' }])
})
