import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { GET as get, privileges, schema } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const uri = '/redfish/v1/Systems/1/Storage/slot3'
const params = { ComputerSystemId: '1', StorageId: 'slot3' }

t.test('a storage links its controllers, drives and volumes', async (t) => {
  const shown = GET(context({ uri, params }))
  t.match(shown, {
    Controllers: { '@odata.id': `${uri}/Controllers/` },
    Volumes: { '@odata.id': `${uri}/Volumes/` },
    'Drives@odata.count': 6
  })
  t.same(shown.Drives?.[0], { '@odata.id': `${uri}/Drives/1/` })
})

t.test('a storage without drives has an empty list of them', async (t) => {
  const { slot3 } = sim.systems[1].storage
  const system = { ...sim.systems[1], storage: { slot3: { ...slot3, drives: {}, volumes: {} } } }
  const board = { ...sim, systems: { 1: system } } as unknown as Board
  t.match(GET(context({ uri, params, board })), { Drives: [], 'Drives@odata.count': 0 })
})

t.test('its reset is offered with both ways', async (t) => {
  t.match(GET(context({ uri, params })).Actions?.['#Storage.ResetToDefaults'], {
    'ResetType@Redfish.AllowableValues': ['ResetAll', 'PreserveVolumes']
  })
})

t.test('there is no other', async (t) => {
  for (const params of [
    { ComputerSystemId: '1', StorageId: 'slot4' },
    { ComputerSystemId: '2', StorageId: 'slot3' }
  ]) {
    t.same(await refusal(() => GET(context({ params }))), missing)
  }
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
