import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { admin, type Json, start } from './server.ts'

const telemetry = '/redfish/v1/TelemetryService/'
const triggers = `${telemetry}Triggers/`
const temperature = `${telemetry}MetricReportDefinitions/Temperature/`
const sensor = '/redfish/v1/Chassis/1/Sensors/2/'
const metric = '/redfish/v1/Chassis/1/Thermal/#/Temperatures/1/ReadingCelsius'
const configuration = { sensors: { interval: 1 } }

const hot = {
  Id: 'hot',
  MetricType: 'Numeric',
  MetricProperties: [metric],
  NumericThresholds: { UpperWarning: { Reading: 1 } },
  HysteresisDuration: 'PT0S',
  TriggerActions: ['LogToLogService', 'RedfishEvent', 'RedfishMetricReport'],
  Links: { MetricReportDefinitions: [{ '@odata.id': temperature }] }
}
const named = (key: string) => (event: Json) => event.MessageId === `Telemetry.1.0.TriggerNumeric${key}`

onBothHosts(async (t, host) => {
  t.test('a trigger tells streams, logs and reports what a metric does, also after a restart', async (t) => {
    const first = await start(t, host, { configuration })
    const { Triggers, LogService } = (await first.get(telemetry)).json
    t.equal(Triggers['@odata.id'], triggers)
    const source = await EventSource.open(t, first)
    const reports = await EventSource.open(t, first, undefined, admin, "EventFormatType eq 'MetricReport'")
    const created = await first.post(triggers, hot)
    t.same([created.status, created.headers.location], [201, `${triggers}hot/`], created.text)
    t.match((await first.get(`${triggers}hot/`)).json, {
      '@odata.type': /^#Triggers\.v1_\d+_\d+\.Triggers$/,
      NumericThresholds: { UpperWarning: { Activation: 'Increasing', DwellTime: null, Reading: 1 } },
      Links: hot.Links,
      Status: { State: 'Enabled' }
    })
    const { data } = await source.find(named('AboveUpperWarning'))
    const event = data.Events.find(named('AboveUpperWarning'))
    t.match(event, {
      MessageArgs: [metric, /^\d+$/, '1', 'hot'],
      OriginOfCondition: { '@odata.id': sensor }
    })
    const report = (await reports.next())?.data
    t.match(report, { Id: 'Temperature', MetricReportDefinition: { '@odata.id': temperature } })
    const entries = async () => (await first.get(`${LogService['@odata.id']}Entries/?$expand=.`)).json.Members
    t.match((await entries()).filter(named('AboveUpperWarning')), [
      { MessageArgs: event.MessageArgs, Links: { OriginOfCondition: { '@odata.id': sensor } }, Severity: 'Warning' }
    ])

    await first.kill()
    const second = await start(t, host, { data: first.data, configuration })
    const again = await EventSource.open(t, second)
    const higher = { NumericThresholds: { UpperWarning: { Reading: 200 } } }
    t.equal((await second.patch(`${triggers}hot/`, higher)).status, 200)
    let seen = await again.next()
    while (seen && !seen.data.Events.some(named('ReadingNormal'))) {
      t.notOk(seen.data.Events.some(named('AboveUpperWarning')), 'what was told is not told again')
      seen = await again.next()
    }
    t.equal((await second.delete(`${triggers}hot/`)).status, 200)
    t.equal((await second.get(`${triggers}hot/`)).status, 404)
    t.same((await second.get(triggers)).json.Members, [])
  })

  t.test('a trigger that could never be met is refused, with all that is wrong with it', async (t) => {
    const server = await start(t, host, { configuration: { limits: { triggers: 1 } } })
    const refused = async (body: Json) => messagesOf(await server.post(triggers, { ...hot, ...body }))
    t.same(await refused({ MetricProperties: ['/redfish/v1/Chassis/1/#/Noise'], MetricIds: ['Noise'] }), [
      'Base.PropertyValueNotInList(Noise, MetricIds)',
      'Base.PropertyValueNotInList(/redfish/v1/Chassis/1/#/Noise, MetricProperties)'
    ])
    t.same(await refused({ MetricType: 'Both', TriggerActions: ['Shout'], Name: '', EventTriggers: [] }), [
      'Base.PropertyValueNotInList(Both, MetricType)',
      'Base.PropertyValueNotInList(Shout, TriggerActions)',
      'Base.StringValueTooShort(, 1)',
      'Base.PropertyUnknown(EventTriggers)'
    ])
    for (const Reading of ['NaN', 'Infinity', true, []]) {
      const messages = await refused({ NumericThresholds: { UpperWarning: { Reading } } })
      t.match(messages, [/^Base\.PropertyValueTypeError\(/], String(Reading))
    }
    const huge = JSON.stringify(hot).replace('"Reading":1', '"Reading":1e999')
    const answer = await server.post(triggers, huge)
    t.match(messagesOf(answer), [/^Base\.PropertyValueOutOfRange\(.*, Reading\)/], answer.text)
    t.equal((await server.post(triggers, hot)).status, 201)
    t.same(await refused({ Id: 'other' }), ['Base.CreateLimitReachedForResource()'])
    t.same(messagesOf(await server.patch(`${triggers}hot/`, { Wildcards: [{ Values: ['1'] }] })), [
      'Base.PropertyMissing(Name)'
    ])
    t.same(messagesOf(await server.patch(`${triggers}hot/`, { TriggerActions: [], MetricType: 'Discrete' })), [
      'Base.PropertyNotWritable(TriggerActions)',
      'Base.PropertyNotWritable(MetricType)'
    ])
  })
})
