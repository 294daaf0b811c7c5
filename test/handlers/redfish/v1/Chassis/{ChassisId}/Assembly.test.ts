import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { GET, privileges } from '#handlers/redfish/v1/Chassis/{ChassisId}/Assembly.ts'
import { GET as getChassis } from '#handlers/redfish/v1/Chassis/{ChassisId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Chassis/1/Assembly'
const params = { ChassisId: '1' }
const board = sim as Board

t.test('the boards of a chassis are shown as they are labelled', async (t) => {
  const { Assemblies, 'Assemblies@odata.count': count } = GET(context({ uri, params }))
  t.equal(count, 2)
  t.same(Assemblies?.[1], {
    '@odata.id': `${uri}/#/Assemblies/1`,
    MemberId: '1',
    Model: '24 bays, small form factor',
    Name: 'Drive backplane',
    PartNumber: 'P41838-001',
    PhysicalContext: 'Backplane',
    Producer: 'Vendor',
    ProductionDate: '2025-01-30T00:00:00Z',
    SerialNumber: 'PWCMK0ARHJ22Q7',
    Version: 'A'
  })
})

t.test('members that a label does not give are null', async (t) => {
  const rack = { ...board.chassis[1]!, assemblies: [{ name: 'Riser', context: 'SystemBoard' }] as const }
  const [riser] = GET(context({ params, board: { ...board, chassis: { 1: rack } } })).Assemblies ?? []
  t.match(riser, { Name: 'Riser', Model: null, SerialNumber: null, ProductionDate: null })
})

t.test('a chassis without assemblies has no such resource, and does not link it', async (t) => {
  const params = { ChassisId: 'enclosurechassis' }
  t.same(await refusal(() => GET(context({ params }))), missing)
  t.notOk('Assembly' in getChassis(context({ params })))
  t.same(getChassis(context({ uri: '/c', params: { ChassisId: '1' } })).Assembly, { '@odata.id': '/c/Assembly/' })
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
