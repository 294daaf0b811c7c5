// own process: it starts what was built
import t from 'tap'
import { followPage } from './tours.ts'

t.test('the tour of events and telemetry works as printed', async (t) => {
  const { times } = await followPage(t, 'docs/tours/events.md')
  t.equal(times('"MessageId":"ResourceEvent.1.3.ResourceChanged"'), 1, 'the change is told once')
  t.equal(times('"MessageId":"ResourceEvent.1.3.TestMessage"'), 2, 'the test comes again to whom it was not told')
  t.equal(times('"Context":"rack 3"'), 1)
  t.equal(times('Base.1.12.Success'), 4)
  t.equal(times('"MessageId":"Telemetry.1.0.TriggerNumericAboveUpperWarning"'), 2, 'both metrics, in the log')
  t.equal(times('"@odata.type":"#MetricReportCollection.'), 1)
  t.ok(times('"MetricReportDefinition":{') > 7, 'a report of each metric, and one over the stream')
})
