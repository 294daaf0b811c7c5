import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { inventory, targetUris } from '#data/updates'
import { GET } from '#handlers/redfish/v1/UpdateService/FirmwareInventory/{SoftwareInventoryId}.ts'
import { GET as list } from '#handlers/redfish/v1/UpdateService/FirmwareInventory.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const slots = { slots: [{ version: '1.0' }, { version: undefined }], running: 0, next: 0, committed: true }
const uri = '/redfish/v1/UpdateService/FirmwareInventory'
const held = (SoftwareInventoryId: string, loader?: string) =>
  context({ params: { SoftwareInventoryId }, firmware: { 'Manager-1': { ...slots, loader } } })

t.test('a boot loader that says its version is a member that takes no update', async (t) => {
  const given = held('Manager-1-BootLoader', '2025.01-3')
  t.match(GET(given), {
    Name: 'Boot loader of Management controller',
    Version: '2025.01-3',
    VersionScheme: 'OEM',
    Active: true,
    Updateable: false,
    SoftwareId: 'sim-bootloader',
    RelatedItem: [{ '@odata.id': '/redfish/v1/Managers/1' }]
  })
  const ids = ['Manager-1-A', 'Manager-1-B', 'Manager-1-BootLoader', 'BIOS-1']
  t.same(
    inventory(given.machine).map(({ id }) => id),
    ids
  )
  t.same(
    list({ ...given, uri }).Members,
    ids.map((id) => ({ '@odata.id': `${uri}/${id}/` }))
  )
  t.notOk(targetUris(given.machine).some((uri) => uri.includes('BootLoader')))
})

t.test('the lowest supported version is the newer of those of the board and of installed images', async (t) => {
  const lowest = (id: string, board?: string, image?: string) => {
    const managers = { 1: { ...sim.managers[1], ...(board && { minimumVersion: board }) } }
    const given = {
      board: { ...sim, managers } as Board,
      params: { SoftwareInventoryId: id },
      firmware: { 'Manager-1': { ...slots, loader: '2025.01-3' } },
      tables: { minimumVersion: image === undefined ? {} : { 'Manager-1': { version: image } } }
    }
    return GET(context(given)).LowestSupportedVersion
  }
  for (const id of ['Manager-1-A', 'Manager-1-B']) {
    t.equal(lowest(id), null)
    t.equal(lowest(id, '1.9'), '1.9')
    t.equal(lowest(id, undefined, '1.10'), '1.10')
    t.equal(lowest(id, '1.9', '1.10'), '1.10')
    t.equal(lowest(id, '1.10', '1.9'), '1.10')
  }
  t.equal(lowest('Manager-1-BootLoader', '1.9'), null)
  t.equal(lowest('BIOS-1', '1.9'), null)
})

t.test('a component without a version is not a member', async (t) => {
  t.same(await refusal(() => GET(held('Manager-1-BootLoader'))), missing)
})

t.test('a component that is written in place is Updating, and Critical after an interruption', async (t) => {
  const firmware = { 'BIOS-1': { slots: [{ version: undefined }], running: 0, next: 0, committed: true } }
  const params = { SoftwareInventoryId: 'BIOS-1' }
  const cut = GET(context({ params, firmware }))
  t.match(cut, { Version: null, Status: { State: 'UnavailableOffline', Health: 'Critical' } })
  const update = { stage: 'Writing', component: 'BIOS-1', targets: [], allowed: [], applyTime: 'Immediate' } as const
  const task = { name: '', state: 'Running', user: '', percent: 0, messages: [], startedAt: '', endedAt: '' } as const
  const tables = { update: { 7: update }, task: { 7: task } }
  t.match(GET(context({ params, firmware, tables })), { Status: { State: 'Updating' } })
})
