// own process: it starts what was built
// needs: openssl
import t from 'tap'
import { followPage } from './tours.ts'

t.test('the examples of health work as printed', async (t) => {
  const { printed, times } = await followPage(t, 'docs/health.md')
  t.equal(times('Base.1.12.Success'), 3, printed)
  t.equal(times('.TemperatureThresholdExceeded"'), 2, 'the condition of the sensor, and in the system')
  t.match(printed, /"State":"Enabled","Health":"Warning","HealthRollup":"Warning"/, 'the sensor')
  t.match(printed, /"State":"Enabled","Health":"OK","HealthRollup":"Warning"/, 'the system')
})
