import { logUri } from '#data/logs'
import { child, flag, integer, reference, resource, status } from '#data/resource'
import { collectionFunctions } from '#data/telemetry'
import { formatDuration, type Get, link, list } from '#runtime/contract'

export const schema = resource('TelemetryService.v1_3_3', 'Metrics and their reports', {
  LogService: reference,
  MaxReports: integer,
  MetricDefinitions: child('MetricDefinitions'),
  MetricReportDefinitions: child('MetricReportDefinitions'),
  MetricReports: child('MetricReports'),
  MinCollectionInterval: { type: 'string', format: 'duration', nullable: true, readonly: true },
  ServiceEnabled: flag,
  Status: status,
  SupportedCollectionFunctions: list({ type: 'string', enum: collectionFunctions }),
  Triggers: child('Triggers')
})

export const privileges = { GET: 'LoginPriv' } as const

/** The log is that of what triggers tell. */
export const GET: Get<typeof schema> = ({ configuration, machine }) => {
  const [manager] = Object.keys(machine.board.managers)
  return {
    Name: 'Telemetry service',
    ...(manager !== undefined && { LogService: link(logUri('Managers', manager)) }),
    MaxReports: configuration.limits.metricReportDefinitions,
    MinCollectionInterval: formatDuration(configuration.sensors.interval),
    ServiceEnabled: true,
    SupportedCollectionFunctions: collectionFunctions
  }
}
