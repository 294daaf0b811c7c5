import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Chassis/{ChassisId}/Sensors/{SensorId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const readings = { '1/2': 54, '1/21': 27, '1/31': 148, '1/41': 33.5 }
const show = (SensorId: string) => GET(context({ params: { ChassisId: '1', SensorId }, readings }))

t.test('a sensor shows its reading with its units', async (t) => {
  const ok = { State: 'Enabled', Health: 'OK' }
  const fan = { Name: 'Fan 1', Reading: 27, ReadingType: 'Percent', ReadingUnits: '%', Status: ok }
  t.match(show('2'), { Name: 'Processor 1', Reading: 54, ReadingType: 'Temperature', ReadingUnits: 'Cel', Status: ok })
  t.match(show('21'), fan)
  t.match(show('31'), { Reading: 148, ReadingType: 'Power', ReadingUnits: 'W' })
  t.match(show('41'), { Name: 'Processor utilization', Reading: 33.5, ReadingType: 'Percent', ReadingUnits: '%' })
})

t.test('one that cannot be read says so', async (t) => {
  t.match(show('3'), { Reading: null, Status: { State: 'UnavailableOffline', Health: null } })
})

t.test('one that is not there is not there', async (t) => {
  for (const id of ['9', '02', 'toString', '']) t.same(await refusal(() => show(id)), missing, id)
  t.same(await refusal(() => GET(context({ params: { ChassisId: '2', SensorId: '2' } }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
