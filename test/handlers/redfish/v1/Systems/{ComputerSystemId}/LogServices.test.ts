import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { GET, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Systems/1/LogServices'

const logs = ({ Members }: ReturnType<typeof GET>) => Members.map((each) => each['@odata.id'])

t.test('there are the log of events, the SEL, and POST codes', async (t) => {
  const params = { ComputerSystemId: '1' }
  t.same(logs(GET(context({ uri, params }))), [`${uri}/SystemLog/`, `${uri}/SEL/`, `${uri}/PostCodes/`])
})

t.test('a board without POST codes does not link them', async (t) => {
  const { postCodes, ...system } = sim.systems['1']
  const board = { ...sim, systems: { 1: system } } as unknown as Board
  t.ok(postCodes)
  t.same(logs(GET(context({ uri, board, params: { ComputerSystemId: '1' } }))), [`${uri}/SystemLog/`, `${uri}/SEL/`])
})

t.test('a missing parent is 404', async (t) => {
  t.same(await refusal(() => GET(context({ uri, params: { ComputerSystemId: '2' } }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
