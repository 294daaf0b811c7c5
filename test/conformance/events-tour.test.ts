// own process: it starts what was built
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { start } from './builds.ts'
import { bash, blocks } from './pages.ts'

t.test('the tour of events and telemetry works as printed', async (t) => {
  const [, login = ''] = blocks('README.md', 'A five-minute tour')
  const data = mkdtempSync(join(tmpdir(), 'minnow-'))
  const service = await start('dist', data, 'Tour-of-5-minutes')
  t.teardown(async () => {
    await service.stop()
    rmSync(data, { recursive: true })
  })
  const steps = [login, ...blocks('docs/tours/events.md')].join('')
  const { status, printed } = await bash(steps.replaceAll('localhost:8443', `127.0.0.1:${service.port}`))
  t.equal(status, 0, printed)
  const times = (words: string) => printed.split(words).length - 1
  t.equal(times('"MessageId":"ResourceEvent.1.3.ResourceChanged"'), 1, 'the change is told once')
  t.equal(times('"MessageId":"ResourceEvent.1.3.TestMessage"'), 2, 'the test comes again to whom it was not told')
  t.equal(times('"Context":"rack 3"'), 1)
  t.equal(times('Base.1.12.Success'), 3)
  t.equal(times('"@odata.type":"#MetricReportCollection.'), 1)
  t.ok(times('"MetricReportDefinition":{') > 7, 'a report of each metric, and one over the stream')
})
