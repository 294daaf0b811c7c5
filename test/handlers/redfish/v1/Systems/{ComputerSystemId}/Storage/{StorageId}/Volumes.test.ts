import t from 'tap'
import { GET, POST, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Volumes.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Systems/1/Storage/slot3/Volumes'
const params = { ComputerSystemId: '1', StorageId: 'slot3' }
const drives = (...ids: string[]) => ({
  Drives: ids.map((id) => ({ '@odata.id': `/redfish/v1/Systems/1/Storage/slot3/Drives/${id}/` }))
})
type Level = 'RAID0' | 'RAID1' | 'RAID5' | 'RAID6' | 'RAID10'
const empty = { storage: { '1/slot3': { volumes: {} } } }
const make = (RAIDType: Level, ...ids: string[]) =>
  POST(context({ uri, params, tables: empty, body: { RAIDType, Links: drives(...ids) } }))

t.test('there are the volumes of the factory until clients change them', async (t) => {
  t.same(GET(context({ uri, params })).Members, [{ '@odata.id': `${uri}/1/` }, { '@odata.id': `${uri}/2/` }])
  t.same(GET(context({ uri, params, tables: empty })).Members, [])
})

t.test('a volume is made beside those that are there', async (t) => {
  const body = { RAIDType: 'RAID0' as const, DisplayName: 'Scratch', Links: drives('6') }
  const outcome = await POST(context({ uri, params, body }))
  t.match(outcome, { status: 201, location: `${uri}/3`, messages: [{ key: 'Base.Created' }] })
  t.match(outcome.writes, {
    storage: {
      '1/slot3': {
        volumes: {
          1: { name: 'System' },
          2: { name: 'Data' },
          3: { name: 'Scratch', raidType: 'RAID0', drives: ['6'] }
        }
      }
    }
  })
  t.notOk('rebuildRate' in (outcome.writes?.storage?.['1/slot3'] ?? {}), 'other settings stay')
})

t.test('a volume without a name has its number', async (t) => {
  t.match((await make('RAID1', '5', '6')).writes?.storage?.['1/slot3'], { volumes: { 1: { name: 'Volume 1' } } })
})

t.test('each level takes the drives that it can be made of', async (t) => {
  for (const [level, count, fits] of [
    ['RAID0', 1, true],
    ['RAID1', 1, false],
    ['RAID1', 2, true],
    ['RAID1', 3, false],
    ['RAID5', 2, false],
    ['RAID5', 3, true],
    ['RAID6', 3, false],
    ['RAID6', 4, true],
    ['RAID10', 4, true],
    ['RAID10', 5, false],
    ['RAID10', 6, true]
  ] as const) {
    const ids = ['1', '2', '3', '4', '5', '6'].slice(0, count)
    if (fits) t.equal((await make(level, ...ids)).status, 201, `${level} of ${count}`)
    else {
      const messages = [['Base.PropertyValueIncorrect', 'Drives', `${count} drives`]]
      t.same(await refusal(() => make(level, ...ids)), { status: 400, messages })
    }
  }
})

t.test('a drive can be named once', async (t) => {
  const messages = [['Base.PropertyValueIncorrect', 'Drives', '2 drives']]
  t.same(await refusal(() => make('RAID1', '1', '1')), { status: 400, messages })
})

t.test('a drive of another storage is 400 and named', async (t) => {
  const other = '/redfish/v1/Systems/1/Storage/nvme/Drives/1'
  const body = { RAIDType: 'RAID0' as const, Links: { Drives: [{ '@odata.id': other }] } }
  const messages = [['Base.InvalidURI', other]]
  t.same(await refusal(() => POST(context({ uri, params, body }))), { status: 400, messages })
  t.match(await refusal(() => make('RAID0', 'constructor')), { status: 400 })
})

t.test('a drive that is in a volume is taken', async (t) => {
  const body = { RAIDType: 'RAID0' as const, Links: drives('1') }
  const taken = { status: 409, messages: [['Base.ResourceInUse']] }
  t.same(await refusal(() => POST(context({ uri, params, body }))), taken)
})

t.test('a controller makes no more volumes than it can hold', async (t) => {
  const body = { RAIDType: 'RAID0' as const, Links: drives('6') }
  const { configuration } = context()
  const full = { ...configuration, limits: { ...configuration.limits, volumes: 2 } }
  const messages = [['Base.CreateLimitReachedForResource']]
  t.same(await refusal(() => POST(context({ uri, params, body, configuration: full }))), { status: 409, messages })
})

t.test('a controller that hands drives through makes no volumes', async (t) => {
  const params = { ComputerSystemId: '1', StorageId: 'nvme' }
  const body = { RAIDType: 'RAID0' as const, Links: drives('1') }
  const messages = [['Base.PropertyValueNotInList', 'RAID0', 'RAIDType']]
  t.same(await refusal(() => POST(context({ uri, params, body }))), { status: 400, messages })
  t.same(GET(context({ uri, params })).Members, [])
})

t.test('volumes of an unknown storage are 404', async (t) => {
  const body = { RAIDType: 'RAID0' as const, Links: drives('1') }
  for (const params of [
    { ComputerSystemId: '1', StorageId: 'slot4' },
    { ComputerSystemId: '2', StorageId: 'slot3' }
  ]) {
    t.same(await refusal(() => GET(context({ params }))), missing)
    t.same(await refusal(() => POST(context({ uri, params, body }))), missing)
  }
})

t.test('making one takes the privilege for storage', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', POST: 'HostStorageConfigPriv' })
})

t.test('a volume has the name and the size that a client gives it, and no more than its drives hold', async (t) => {
  const body = { RAIDType: 'RAID1', Name: 'Root', CapacityBytes: 10 ** 11, Links: drives('5', '6') } as const
  t.match((await POST(context({ uri, params, tables: empty, body }))).writes?.storage?.['1/slot3'], {
    volumes: { 1: { name: 'Root', capacityBytes: 10 ** 11, drives: ['5', '6'] } }
  })
  const CapacityBytes = 10 ** 14
  t.same(await refusal(() => POST(context({ uri, params, tables: empty, body: { ...body, CapacityBytes } }))), {
    status: 400,
    messages: [['Base.PropertyValueOutOfRange', String(CapacityBytes), 'CapacityBytes']]
  })
})

t.test('without named drives, the fewest free drives that hold the volume are used', async (t) => {
  const choose = async (RAIDType: Level, CapacityBytes?: number, tables: object = empty) => {
    const body = { RAIDType, ...(CapacityBytes && { CapacityBytes }) }
    const { writes } = await POST(context({ uri, params, tables, body }))
    return Object.values(writes?.storage?.['1/slot3']?.volumes ?? {}).at(-1)?.drives
  }
  t.same(await choose('RAID1'), ['1', '2'])
  t.same(await choose('RAID5', 5 * 10 ** 12), ['1', '2', '3', '4'])
  const one = { storage: { '1/slot3': { volumes: { 1: { name: 'a', raidType: 'RAID0', drives: ['1'] } } } } }
  t.same(await choose('RAID1', undefined, one), ['2', '3'])
  const refused = (free: string) => ({ status: 409, messages: [['Mgmt.FreeDrivesInsufficient', free]] })
  t.same(await refusal(() => choose('RAID1', 10 ** 15, one)), refused('2, 3, 4, 5, 6'), 'it says which are free')
  const all = { 1: { name: 'a', raidType: 'RAID0', drives: ['1', '2', '3', '4', '5', '6'] } }
  t.same(await refusal(() => choose('RAID0', 1, { storage: { '1/slot3': { volumes: all } } })), refused('none'))
})

t.test('other properties are accepted if their values match the result', async (t) => {
  const ironic = { Encrypted: false, VolumeType: 'Mirrored', '@Redfish.OperationApplyTime': 'Immediate' } as const
  const body = { RAIDType: 'RAID1', CapacityBytes: 10 ** 9, ...ironic } as const
  t.equal((await POST(context({ uri, params, tables: empty, body }))).status, 201)
  t.same(await refusal(() => POST(context({ uri, params, tables: empty, body: { ...body, Encrypted: true } }))), {
    status: 400,
    messages: [['Base.PropertyValueNotInList', 'true', 'Encrypted']]
  })
  const { '@Redfish.OperationApplyTimeSupport': support } = GET(context({ uri, params }))
  t.same(support, { SupportedValues: ['Immediate'] })
})
