import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Actions/Storage.ResetToDefaults.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1', StorageId: 'slot3' }
const volumes = { '7': { name: 'Scratch', raidType: 'RAID0', drives: ['6'] } } as const
const tables = { storage: { '1/slot3': { volumes, rebuildRate: 80 } } }

t.test('a reset of everything leaves no volume and the settings of the factory', async (t) => {
  t.match(await POST(context({ params, tables, body: { ResetType: 'ResetAll' } })), {
    status: 200,
    messages: [{ key: 'Base.Success' }],
    writes: { storage: { '1/slot3': { volumes: {}, rebuildRate: 30 } } },
    events: [{ message: { key: 'StorageDevice.ControllerResetToDefaults', args: ['slot3', 'ResetAll'] } }]
  })
})

t.test('a reset that preserves volumes resets the settings alone', async (t) => {
  const { writes } = await POST(context({ params, tables, body: { ResetType: 'PreserveVolumes' } }))
  t.same(writes, { storage: { '1/slot3': { volumes, rebuildRate: 30 } } })
})

t.test('the volumes of the factory are preserved too', async (t) => {
  const { writes } = await POST(context({ params, body: { ResetType: 'PreserveVolumes' } }))
  t.same(Object.keys(writes?.storage?.['1/slot3']?.volumes ?? {}), ['1', '2'])
})

t.test('a reset of an unknown resource is 404', async (t) => {
  for (const params of [
    { ComputerSystemId: '1', StorageId: 'slot4' },
    { ComputerSystemId: '2', StorageId: 'slot3' }
  ]) {
    t.same(await refusal(() => POST(context({ params, body: { ResetType: 'ResetAll' } }))), missing)
  }
})

t.test('it takes the privilege for storage', async (t) => {
  t.same(privileges, { POST: 'HostStorageConfigPriv' })
})
