// own process: it starts what was built
// needs: openssl
import t from 'tap'
import { followPage } from './tours.ts'

t.test('the examples of power work as printed', async (t) => {
  const { printed, times } = await followPage(t, 'docs/power.md')
  t.equal(times('Base.1.12.Success'), 6, printed)
  t.equal(times('"AllowableMin":150'), 1, 'the control')
  t.match(printed, /"SetPoint":200,.*"Status":\{"State":"Enabled"/)
  t.equal(times('Base.1.12.PropertyValueOutOfRange'), 1, 'what the machine cannot hold')
  t.equal(times('"EnergykWh":{"DataSourceUri":"/redfish/v1/Chassis/1/Sensors/TotalEnergy/"'), 1, 'the energy')
  t.equal(times('"ReadingType":"EnergykWh"'), 1, 'its sensor')
  t.equal(times('"PowerMetrics":{'), 1, 'the interval')
  t.equal(times('"PeakReading":'), 1, 'the peak')
})
