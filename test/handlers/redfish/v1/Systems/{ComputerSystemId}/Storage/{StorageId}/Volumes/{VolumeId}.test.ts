import t from 'tap'
import {
  DELETE,
  GET as get,
  privileges,
  schema
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Volumes/{VolumeId}.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const uri = '/redfish/v1/Systems/1/Storage/slot3/Volumes/2'
const params = { ComputerSystemId: '1', StorageId: 'slot3', VolumeId: '2' }

t.test('a volume says how much it holds and which drives it is on', async (t) => {
  t.match(GET(context({ uri, params })), {
    Name: 'Data',
    CapacityBytes: 2 * 2400476553216,
    RAIDType: 'RAID5',
    Links: { Drives: ['3', '4', '5'].map((id) => ({ '@odata.id': `${uri.slice(0, -10)}/Drives/${id}/` })) }
  })
})

t.test('only a redundant volume offers CheckConsistency', async (t) => {
  t.match(GET(context({ uri, params })).Actions, {
    '#Volume.CheckConsistency': {},
    '#Volume.Initialize': { 'InitializeType@Redfish.AllowableValues': ['Fast', 'Slow'] }
  })
  const volumes = { '2': { name: 'Scratch', raidType: 'RAID0', drives: ['6'] } } as const
  const { Actions } = GET(context({ uri, params, tables: { storage: { '1/slot3': { volumes } } } }))
  t.same(Object.keys(Actions ?? {}), ['#Volume.Initialize'])
})

t.test('the capacity of a volume follows from its RAID type', async (t) => {
  for (const [raidType, ids, times] of [
    ['RAID0', ['1', '2', '3'], 3],
    ['RAID1', ['1', '2'], 1],
    ['RAID6', ['1', '2', '3', '4', '5'], 3],
    ['RAID10', ['1', '2', '3', '4', '5', '6'], 3]
  ] as const) {
    const volumes = { '2': { name: 'Data', raidType, drives: ids } }
    const shown = GET(context({ uri, params, tables: { storage: { '1/slot3': { volumes } } } }))
    t.equal(shown.CapacityBytes, times * 2400476553216, raidType)
  }
})

t.test('a volume is deleted, and the others stay', async (t) => {
  const { status, writes } = await DELETE(context({ uri, params }))
  t.equal(status, 200)
  t.same(Object.keys(writes?.storage?.['1/slot3']?.volumes ?? {}), ['1'])
})

t.test('there is no other', async (t) => {
  for (const other of [
    { VolumeId: '3' },
    { VolumeId: '__proto__' },
    { StorageId: 'slot4' },
    { ComputerSystemId: '2' }
  ]) {
    t.same(await refusal(() => GET(context({ uri, params: { ...params, ...other } }))), missing)
    t.same(await refusal(() => DELETE(context({ uri, params: { ...params, ...other } }))), missing)
  }
})

t.test('deleting one takes the privilege for storage', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', DELETE: 'HostStorageConfigPriv' })
})
