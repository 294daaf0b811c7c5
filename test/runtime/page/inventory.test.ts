import t from 'tap'
import { faulty, isPresent, partFrom, worstOf } from '#runtime/page/rules/inventory.ts'

t.test('a part has its place, numbers and health from wherever its kind has them', async (t) => {
  const drive = partFrom(
    {
      '@odata.id': '/d/1/',
      Name: 'Drive 1',
      Manufacturer: 'Contoso',
      Model: 'C9',
      Revision: '1.3',
      SKU: 'S-1',
      PhysicalLocation: { PartLocation: { ServiceLabel: 'Bay 1' } },
      LocationIndicatorActive: false,
      Status: { Health: 'OK', HealthRollup: 'Critical' }
    },
    '1 TB'
  )
  t.same(drive, {
    uri: '/d/1/',
    name: 'Drive 1',
    place: 'Bay 1',
    detail: '1 TB',
    model: 'Contoso C9',
    partNumber: 'S-1',
    serial: '',
    firmware: '1.3',
    health: 'Critical',
    own: 'OK',
    lit: false
  })
  const dimm = partFrom({ '@odata.id': '/m/1/', DeviceLocator: 'DIMM 1', Producer: 'Fabrikam' }, '')
  t.same(
    [dimm.name, dimm.place, dimm.model, dimm.health, dimm.lit],
    ['/m/1/', 'DIMM 1', 'Fabrikam', undefined, undefined]
  )
})

t.test('parts with a fault are found, the worst first; empty slots are no parts', async (t) => {
  const part = (name: string, Health: string) =>
    partFrom({ '@odata.id': `/${name}/`, Name: name, Status: { Health } }, '')
  const around = partFrom({ '@odata.id': '/z/', Status: { Health: 'OK', HealthRollup: 'Critical' } }, '')
  const parts = [part('a', 'OK'), part('b', 'Warning'), part('c', 'Critical'), around]
  t.same(
    faulty(parts).map(({ name }) => name),
    ['c', 'b']
  )
  t.equal(worstOf(parts.slice(0, 2)), 'Warning')
  t.equal(worstOf([]), undefined)
  t.equal(isPresent({ '@odata.id': '/s/', Status: { State: 'Absent' } }), false)
  t.equal(isPresent({ '@odata.id': '/s/' }), true)
})
