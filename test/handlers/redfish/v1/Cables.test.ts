import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { GET } from '#handlers/redfish/v1/Cables/{CableId}.ts'
import { GET as list } from '#handlers/redfish/v1/Cables.ts'
import { GET as root } from '#handlers/redfish/v1.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Cables'
const { cables, ...plain } = sim
const board = plain as unknown as Board
const localAddress = '192.0.2.1'

t.test('the cables of a board are a collection', async (t) => {
  t.same(list(context({ uri })).Members, [{ '@odata.id': `${uri}/1/` }, { '@odata.id': `${uri}/2/` }])
  t.match(root(context({ localAddress })), { Cables: { '@odata.id': '/redfish/v1/Cables/' } })
})

t.test('a cable says what it is, and what it connects', async (t) => {
  t.match(GET(context({ params: { CableId: '1' } })), {
    CableType: 'Ethernet',
    LengthMeters: cables['1'].lengthMeters,
    Links: {
      DownstreamChassis: [{ '@odata.id': '/redfish/v1/Chassis/enclosurechassis/' }],
      DownstreamPorts: [],
      UpstreamChassis: [{ '@odata.id': '/redfish/v1/Chassis/1/' }],
      UpstreamPorts: [{ '@odata.id': '/redfish/v1/Chassis/1/NetworkAdapters/nic-1/Ports/1/' }]
    }
  })
  t.same(await refusal(() => GET(context({ params: { CableId: '3' } }))), missing)
})

t.test('a board without cables does not link them', async (t) => {
  t.notOk('Cables' in root(context({ board, localAddress })))
  t.same(await refusal(() => list(context({ uri, board }))), missing)
  t.same(await refusal(() => GET(context({ board, params: { CableId: '1' } }))), missing)
})
