import { child, flag, integer, resource, status } from '#data/resource'
import { collectionFunctions } from '#data/telemetry'
import { formatDuration, type Get, list } from '#runtime/contract'

export const schema = resource('TelemetryService.v1_3_3', 'Metrics and their reports', {
  MaxReports: integer,
  MetricDefinitions: child('MetricDefinitions'),
  MetricReportDefinitions: child('MetricReportDefinitions'),
  MetricReports: child('MetricReports'),
  MinCollectionInterval: { type: 'string', format: 'duration', nullable: true, readonly: true },
  ServiceEnabled: flag,
  Status: status,
  SupportedCollectionFunctions: list({ type: 'string', enum: collectionFunctions })
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ configuration }) => ({
  Name: 'Telemetry service',
  MaxReports: configuration.limits.metricReportDefinitions,
  MinCollectionInterval: formatDuration(configuration.sensors.interval),
  ServiceEnabled: true,
  SupportedCollectionFunctions: collectionFunctions
})
