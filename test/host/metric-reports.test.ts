import { Subscriber } from '#test/runtime/service/events/subscriber.ts'
import { makeSigner } from './certificates.ts'
import { onBoards } from './on-boards.ts'

const definitions = '/redfish/v1/TelemetryService/MetricReportDefinitions/'
const reports = '/redfish/v1/TelemetryService/MetricReports/'

onBoards(async (t, board) => {
  const { certificate: cert, key } = makeSigner(t, { subject: '/CN=subscriber' })

  t.test('reports are pushed to their subscribers while they are Periodic, and no longer', async (t) => {
    const server = await board.start(t, { configuration: { sensors: { interval: 1 } } })
    const subscriber = await Subscriber.open(t, { cert, key })
    const subscribed = await server.post('/redfish/v1/EventService/Subscriptions/', {
      Destination: subscriber.uri,
      Context: 'rack 7',
      EventFormatType: 'MetricReport',
      MetricReportDefinitions: [`${definitions}FanSpeed/`, `${definitions}PowerConsumption/`]
    })
    t.equal(subscribed.status, 201, subscribed.text)
    const periodic = async (id: string, MetricReportDefinitionType: string) => {
      const Schedule = { RecurrenceInterval: 'PT1S' }
      const { status, text } = await server.patch(`${definitions}${id}/`, { MetricReportDefinitionType, Schedule })
      if (status !== 200) throw new Error(text)
    }
    await periodic('MemoryBandwidth', 'Periodic')
    await periodic('FanSpeed', 'Periodic')
    const told = []
    for (let n = 0; n < 2; n++) told.push((await subscriber.next()).json)
    const report = {
      '@odata.id': `${reports}FanSpeed/`,
      '@odata.type': /^#MetricReport\.v\d+_\d+_\d+\.MetricReport$/,
      Context: 'rack 7',
      MetricReportDefinition: { '@odata.id': `${definitions}FanSpeed/` }
    }
    t.match(told, [report, report], 'the one without a subscription is not among them')
    t.ok(Number(told[1].ReportSequence) > Number(told[0].ReportSequence))
    t.ok(told[0].MetricValues.length > 0)

    await periodic('FanSpeed', 'OnRequest')
    await periodic('PowerConsumption', 'Periodic')
    const after: string[] = []
    while (after.filter((id) => id === 'PowerConsumption').length < 3) after.push((await subscriber.next()).json.Id)
    t.notOk(after.slice(after.indexOf('PowerConsumption')).includes('FanSpeed'), after.join())
  })
})
