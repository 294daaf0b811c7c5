import t from 'tap'
import {
  GET,
  PATCH,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Controllers/{StorageControllerId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1', StorageId: 'slot3', StorageControllerId: '1' }

t.test('a controller shows its identity and the RAID types that it supports', async (t) => {
  t.match(GET(context({ params })), {
    ControllerRates: { RebuildRatePercent: 30 },
    Model: 'SR416i-o',
    SupportedDeviceProtocols: ['SAS', 'SATA'],
    SupportedRAIDTypes: ['RAID0', 'RAID1', 'RAID5', 'RAID6', 'RAID10']
  })
})

t.test('the rate of rebuilding is set, and the volumes stay', async (t) => {
  const { writes } = await PATCH(context({ params, body: { ControllerRates: { RebuildRatePercent: 75 } } }))
  t.same(writes, { storage: { '1/slot3': { rebuildRate: 75 } } })
  const tables = { storage: { '1/slot3': { rebuildRate: 75 } } }
  t.equal(GET(context({ params, tables })).ControllerRates?.RebuildRatePercent, 75)
})

t.test('there is no other', async (t) => {
  for (const other of [{ StorageControllerId: '2' }, { StorageId: 'slot4' }, { ComputerSystemId: '2' }]) {
    t.same(await refusal(() => GET(context({ params: { ...params, ...other } }))), missing)
    const body = { ControllerRates: { RebuildRatePercent: 75 } }
    t.same(await refusal(() => PATCH(context({ params: { ...params, ...other }, body }))), missing)
  }
})

t.test('setting it up takes the privilege for storage', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'HostStorageConfigPriv' })
})
