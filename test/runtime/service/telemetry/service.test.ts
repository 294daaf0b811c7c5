import t from 'tap'
import { samplesTaken } from '#runtime/store/revisions.ts'
import { as, openFixture, password } from '#test/runtime/service.ts'

const telemetry = '/redfish/v1/TelemetryService/'
const cpu = `${telemetry}MetricReportDefinitions/CPUUtilization/`

/** Waits for what the service does by itself; its own timers do not keep this process alive. */
async function awaited<T>(happening: Promise<T>): Promise<T> {
  const alive = setInterval(() => undefined, 1000)
  try {
    return await happening
  } finally {
    clearInterval(alive)
  }
}

t.test('a Periodic report is queued only for its subscribers', async (t) => {
  const { service, ask, sleep, close } = await openFixture(({ sensors }) => {
    sensors.interval = 1
  })
  t.teardown(close)
  const subscribe = (definition: string) =>
    ask('POST', '/redfish/v1/EventService/Subscriptions/', {
      Destination: 'https://127.0.0.1:1/reports',
      EventFormatType: 'MetricReport',
      MetricReportDefinitions: [definition]
    })
  const answer = await subscribe(cpu)
  t.equal(answer.status, 201, answer.text)
  t.equal((await subscribe(`${telemetry}MetricReportDefinitions/FanSpeed/`)).status, 201)
  const queued = new Promise<string>((resolve) => {
    service.store.on('report', resolve)
  })
  const Schedule = { RecurrenceInterval: 'PT1S' }
  t.equal((await ask('PATCH', cpu, { MetricReportDefinitionType: 'Periodic', Schedule })).status, 200)
  sleep(10)
  const { text, to } = service.store.get('report', await awaited(queued))!
  t.same(to, [answer.headers.location?.split('/').at(-2)])
  const report = JSON.parse(text)
  const { '@odata.etag': _, '@odata.context': __, ...shown } = (await ask('GET', report['@odata.id'])).json
  t.match(report, shown, 'it is what a GET shows')
  t.equal(report.MetricReportDefinition['@odata.id'], cpu)
  t.match(report.MetricValues[0].MetricValue, /^\d+$/)
})

t.test(
  'the entity tag of a report moves with the report, that of temperatures with them, but If-Match only with their thresholds',
  async (t) => {
    const { ask, service, sensors, close } = await openFixture((configuration) => {
      configuration.sensors.interval = 1
    })
    t.teardown(close)
    const sampled = () =>
      new Promise<void>((resolve) => {
        service.store.revisions.onMoved((path) => {
          if (path === samplesTaken) resolve()
        })
      })
    const tag = async (uri: string) => (await ask('GET', uri)).headers.etag
    const report = `${telemetry}MetricReports/Temperature/`
    const thermal = '/redfish/v1/Chassis/1/Thermal/'
    const before = [await tag(report), await tag(thermal)]
    sensors['1']!.faults.stuckAt = { 2: 88 }
    await awaited(sampled())
    t.not(await tag(report), before[0])
    t.not(await tag(thermal), before[1])
    const shown = (await ask('GET', thermal)).json.Temperatures[1].ReadingCelsius
    t.equal(shown, 88)
    t.equal((await ask('GET', report)).json.MetricValues[1].MetricValue, '88')
    const body = { SensorNumber: 2, ThresholdValue: 60, AlertType: 'Critical' }
    const target = `${thermal}Actions/Oem/Vendor/VendorThermalExt.SetUserTempThreshold/`
    const guarded = { ...as('admin', password), 'if-match': before[1]! }
    t.equal((await ask('POST', target, body, guarded)).status, 200)
    t.equal((await ask('POST', target, { ...body, ThresholdValue: 61 }, guarded)).status, 412)
  }
)
