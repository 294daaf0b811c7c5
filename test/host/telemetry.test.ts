import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { type Json, type Server, start } from './server.ts'

const telemetry = '/redfish/v1/TelemetryService/'
const definitions = `${telemetry}MetricReportDefinitions/`
const reports = `${telemetry}MetricReports/`
const thermal = '/redfish/v1/Chassis/1/Thermal/'
const setThreshold = `${thermal}Actions/Oem/Vendor/VendorThermalExt.SetUserTempThreshold/`
const configuration = { sensors: { interval: 1 } }

/** Where a metric property leads: its resource, and in that the place that its fragment names. */
async function follow(server: Server, uri: string): Promise<unknown> {
  const [path = '', pointer = ''] = uri.split('#')
  const { status, json } = await server.get(path)
  if (status !== 200) throw new Error(`${path}: ${status}`)
  return pointer
    .slice(1)
    .split('/')
    .reduce((within: Json, name) => within?.[name], json)
}

onBothHosts(async (t, host) => {
  const server = await start(t, host, { configuration })
  const get = async (path: string) => (await server.get(path)).json
  const ids = async (path: string) => (await get(path)).Members.map((each: Json) => each['@odata.id'])

  t.test('everything is reached from the service root, and each metric has the path of its definition', async (t) => {
    t.equal((await get('/redfish/v1/')).TelemetryService['@odata.id'], telemetry)
    const { MetricDefinitions, MetricReportDefinitions, MetricReports } = await get(telemetry)
    for (const uri of await ids(MetricDefinitions['@odata.id'])) {
      const { MetricProperties } = await get(uri)
      t.ok(MetricProperties.length > 0, uri)
      for (const property of MetricProperties) t.equal(typeof (await follow(server, property)), 'number', property)
    }
    for (const uri of await ids(MetricReportDefinitions['@odata.id'])) {
      t.equal((await server.get((await get(uri)).MetricReport['@odata.id'])).status, 200, uri)
    }
    t.equal((await ids(MetricReports['@odata.id'])).length, 7)
  })

  t.test('OnRequest: a report has the present readings', async (t) => {
    const { MetricValues, ReportSequence } = await get(`${reports}PowerConsumption/`)
    t.match(MetricValues, [{ MetricId: 'PowerConsumption', MetricValue: /^\d+$/, Timestamp: /Z$/ }])
    const later = await server.until(
      () => server.get(`${reports}PowerConsumption/`),
      ({ json }) => json.ReportSequence !== ReportSequence
    )
    t.ok(Number(later.json.ReportSequence) > Number(ReportSequence))
  })

  t.test('with the host off the machine cools down and draws little', async (t) => {
    const reset = (ResetType: string) =>
      server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType })
    await reset('ForceOff')
    const off = await server.until(
      () => server.get('/redfish/v1/Chassis/1/Power/'),
      ({ json }) => json.PowerControl[0].PowerConsumedWatts < 20
    )
    t.ok(off.json.PowerControl[0].PowerConsumedWatts > 0)
    t.equal(await follow(server, '/redfish/v1/Chassis/1/Sensors/41/#/Reading'), 0)
    await reset('On')
    await server.until(
      () => server.get('/redfish/v1/Chassis/1/Power/'),
      ({ json }) => json.PowerControl[0].PowerConsumedWatts > 100
    )
  })

  t.test('a definition is created, changed, and deleted with its report', async (t) => {
    const Metrics = [{ MetricId: 'FanSpeed', CollectionFunction: 'Maximum', CollectionDuration: 'PT10S' }]
    const body = { Id: 'Fans', MetricReportDefinitionType: 'OnRequest', Metrics }
    const answer = await server.post(definitions, body)
    t.same([answer.status, answer.headers.location], [201, `${definitions}Fans/`])
    t.equal((await get(`${reports}Fans/`)).MetricValues.length, 6)
    const Schedule = { RecurrenceInterval: 'P7DT', InitialStartTime: '2025-06-01T12:00:00Z' }
    t.equal(
      (await server.patch(`${definitions}Fans/`, { MetricReportDefinitionType: 'Periodic', Schedule })).status,
      200
    )
    t.match(await get(`${definitions}Fans/`), { MetricReportDefinitionType: 'Periodic', Schedule })
    t.same((await get(`${reports}Fans/`)).MetricValues, [], 'it is not due yet')
    t.equal((await server.delete(`${definitions}Fans/`)).status, 200)
    for (const uri of [`${definitions}Fans/`, `${reports}Fans/`]) t.equal((await server.get(uri)).status, 404, uri)
  })

  t.test('Periodic: one report after the other', async (t) => {
    const Schedule = { RecurrenceInterval: 'PT1S' }
    await server.patch(`${definitions}IOBandwidth/`, { MetricReportDefinitionType: 'Periodic', Schedule })
    const seen: number[] = []
    while (seen.length < 2) {
      const last = seen.at(-1) ?? 0
      const { json } = await server.until(
        () => server.get(`${reports}IOBandwidth/`),
        ({ json }) => Number(json.ReportSequence) > last
      )
      t.equal(json.MetricValues.length, 1)
      seen.push(Number(json.ReportSequence))
    }
    await server.patch(`${definitions}IOBandwidth/`, { MetricReportDefinitionType: 'OnRequest' })
  })

  t.test('durations and times of every broken form are refused, all at once', async (t) => {
    const before = (await server.get(`${definitions}FanSpeed/`)).text
    for (const RecurrenceInterval of [
      'P',
      'PT',
      'P1',
      '1D',
      '-P1D',
      'P0D',
      'PT0.1S',
      `P${'9'.repeat(30)}D`,
      'P1W',
      ''
    ]) {
      const answer = await server.patch(`${definitions}FanSpeed/`, { Schedule: { RecurrenceInterval } })
      t.equal(answer.status, 400, RecurrenceInterval)
      t.match(messagesOf(answer), [/PropertyValue(FormatError|OutOfRange)/], RecurrenceInterval)
    }
    const answer = await server.patch(`${definitions}FanSpeed/`, {
      MetricReportDefinitionType: 'Always',
      Schedule: { RecurrenceInterval: 'P1', InitialStartTime: 'noon' },
      Metrics: [{ MetricId: 7 }],
      Status: {}
    })
    t.same(messagesOf(answer), [
      'Base.PropertyValueNotInList(Always, MetricReportDefinitionType)',
      'Base.PropertyValueFormatError(P1, RecurrenceInterval)',
      'Base.PropertyValueFormatError(noon, InitialStartTime)',
      'Base.PropertyValueTypeError(7, MetricId)',
      'Base.PropertyNotWritable(Status)'
    ])
    t.equal((await server.get(`${definitions}FanSpeed/`)).text, before)
  })

  t.test('bad parameters of SetUserTempThreshold are named, each of them', async (t) => {
    const refused = async (body: Json) => messagesOf(await server.post(setThreshold, body))
    const at = (...rest: string[]) => rest.map((each) => `${each}VendorThermalExt.SetUserTempThreshold)`)
    t.same(
      await refused({ SensorNumber: '2', ThresholdValue: -1, AlertType: 'Fatal' }),
      at(
        'Base.ActionParameterValueTypeError(2, SensorNumber, ',
        'Base.ActionParameterValueOutOfRange(-1, ThresholdValue, ',
        'Base.ActionParameterValueNotInList(Fatal, AlertType, '
      )
    )
    const good = { SensorNumber: 2, ThresholdValue: 40, AlertType: 'Warning' }
    t.same(await refused({ ...good, SensorNumber: 99 }), at('Base.ActionParameterValueNotInList(99, SensorNumber, '))
    t.same(
      await refused({ ...good, ThresholdValue: 200 }),
      at('Base.ActionParameterValueOutOfRange(200, ThresholdValue, ')
    )
  })

  t.test('thresholds of a sensor are set with PATCH, in order only', async (t) => {
    const sensor = '/redfish/v1/Chassis/1/Sensors/4/'
    const set = (Reading: number | null) => server.patch(sensor, { Thresholds: { UpperCaution: { Reading } } })
    t.same(messagesOf(await set(85)), [
      'Base.PropertyValueConflict(Thresholds/UpperCaution/Reading, Thresholds/UpperCritical/Reading)'
    ])
    t.equal((await set(84)).status, 200)
    t.match((await server.get(sensor)).json.Thresholds, {
      UpperCaution: { Reading: 84 },
      UpperCritical: { Reading: 85 }
    })
    t.match((await server.get(thermal)).json.Temperatures[3], {
      UpperThresholdNonCritical: 84,
      UpperThresholdCritical: 85
    })
    t.equal((await set(null)).status, 200)
    t.equal((await server.get(sensor)).json.Thresholds.UpperCaution.Reading, null)
  })

  t.test(
    'a threshold of a user is in effect after a reset of the controller, and logged when it is exceeded',
    async (t) => {
      const first = await start(t, host, { configuration })
      const body = { SensorNumber: 2, ThresholdValue: 10, AlertType: 'Warning' }
      const answer = await first.post(setThreshold, body)
      t.same([answer.status, messagesOf(answer)], [200, ['Mgmt.SystemResetRequired()']], 'a threshold is accepted')
      const { Oem, Temperatures } = (await first.get(thermal)).json
      t.same(Oem.Vendor.WarningUserTempThresholds, [
        { PendingThresholdValue: 10, SensorNumber: 2, ThresholdValue: null }
      ])
      t.equal(Temperatures[1].Status.Health, 'OK', 'and has no effect before a reset of the controller')
      await first.patch(`${definitions}CPUUtilization/`, { Schedule: { RecurrenceInterval: 'PT7M' } })
      const { ReportSequence } = (await first.get(`${reports}FanSpeed/`)).json

      await first.post('/redfish/v1/Managers/1/Actions/Manager.Reset/', { ResetType: 'ForceRestart' })
      const after = await first.until(
        () => first.get(thermal),
        ({ json }) => json.Oem.Vendor.WarningUserTempThresholds[0].ThresholdValue === 10
      )
      t.equal(after.json.Oem.Vendor.WarningUserTempThresholds[0].PendingThresholdValue, null, 'then it is in effect')
      t.equal(after.json.Temperatures[1].Status.Health, 'Warning')
      const log = await first.until(
        () => first.get('/redfish/v1/Managers/1/LogServices/EventLog/Entries/?$expand=.'),
        ({ json }) => json.Members.some((each: Json) => each.MessageId.endsWith('.TemperatureThresholdExceeded'))
      )
      t.match(
        log.json.Members.find((each: Json) => each.MessageId.endsWith('.TemperatureThresholdExceeded')),
        { Severity: 'Warning', MessageArgs: ['Processor 1', /^\d+$/, 'Warning', '10'] },
        'and exceeded, which is logged'
      )
      const { Schedule } = (await first.get(`${definitions}CPUUtilization/`)).json
      t.equal(Schedule.RecurrenceInterval, 'PT7M', 'definitions outlive the reset')
      t.ok(Number((await first.get(`${reports}FanSpeed/`)).json.ReportSequence) > Number(ReportSequence))
    }
  )
})
