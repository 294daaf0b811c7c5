import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import {
  GET,
  PATCH,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Drives/{DriveId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const drive = (DriveId: string, StorageId = 'slot3', ComputerSystemId = '1') =>
  GET(context({ params: { ComputerSystemId, StorageId, DriveId } }))

t.test('a drive shows its model, its location and its volumes', async (t) => {
  t.match(drive('3'), {
    CapacityBytes: 2400476553216,
    MediaType: 'HDD',
    PhysicalLocation: { PartLocation: { ServiceLabel: 'Bay 7' } },
    Protocol: 'SAS',
    Links: { Volumes: [{ '@odata.id': '/redfish/v1/Systems/1/Storage/slot3/Volumes/2/' }] }
  })
  t.match(drive('1', 'nvme'), { MediaType: 'SSD', Protocol: 'NVMe', Links: { Volumes: [] } })
})

t.test('volumes that clients made are on it as well', async (t) => {
  const params = { ComputerSystemId: '1', StorageId: 'slot3', DriveId: '6' }
  const volumes = { '7': { name: 'Scratch', raidType: 'RAID0', drives: ['6'] } } as const
  const { Links } = GET(context({ params, tables: { storage: { '1/slot3': { volumes } } } }))
  t.same(Links?.Volumes, [{ '@odata.id': '/redfish/v1/Systems/1/Storage/slot3/Volumes/7/' }])
})

t.test('a drive offers the ways in which it is reset and erases itself', async (t) => {
  t.match(drive('6').Actions?.['#Drive.Reset'], {
    'ResetType@Redfish.AllowableValues': ['ForceRestart', 'PowerCycle']
  })
  t.match(drive('6').Actions?.['#Drive.SecureErase'], {
    'SanitizationType@Redfish.AllowableValues': ['CryptographicErase', 'Overwrite']
  })
})

t.test('a drive is starting during its reset', async (t) => {
  const erasure = { 1: { system: '1', parts: ['reset/slot3/6'], done: 0, hostRuns: true } }
  const status = (DriveId: string) =>
    GET(context({ params: { ComputerSystemId: '1', StorageId: 'slot3', DriveId }, tables: { erasure } })).Status
  t.same([status('6'), status('5')], [{ State: 'Starting' }, undefined])
})

t.test('its locator is switched', async (t) => {
  const params = { ComputerSystemId: '1', StorageId: 'slot3', DriveId: '6' }
  t.equal(drive('6').LocationIndicatorActive, false)
  const tables = { drive: { '1/slot3/6': { locating: true } } }
  t.equal(GET(context({ params, tables })).LocationIndicatorActive, true)
  t.match(await PATCH(context({ params, body: { LocationIndicatorActive: true } })), {
    status: 200,
    writes: { drive: { '1/slot3/6': { locating: true } } }
  })
  t.same(
    await refusal(() =>
      PATCH(context({ params: { ...params, DriveId: '7' }, body: { LocationIndicatorActive: true } }))
    ),
    missing
  )
})

t.test('a drive without locator, resets and sanitization shows none of them', async (t) => {
  const board = structuredClone(sim) as Board
  const params = { ComputerSystemId: '1', StorageId: 'slot3', DriveId: '6' }
  for (const name of ['locator', 'resets', 'sanitization'])
    Reflect.deleteProperty(board.systems[1]!.storage.slot3!.drives[6]!, name)
  t.match(GET(context({ board, params })), { LocationIndicatorActive: undefined, Actions: undefined })
  t.same(await refusal(() => PATCH(context({ board, params, body: { LocationIndicatorActive: true } }))), {
    status: 400,
    messages: [['Base.PropertyNotWritable', 'LocationIndicatorActive']]
  })
})

t.test('there is no other', async (t) => {
  for (const [id, storage, system] of [['7'], ['6', 'nvme'], ['1', 'slot4'], ['1', 'slot3', '2']] as const) {
    t.same(await refusal(() => drive(id, storage, system)), missing)
  }
})

t.test('reading takes LoginPriv, the locator MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' })
})
