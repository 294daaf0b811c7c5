import { flag, integer, reference, resource, status } from '#data/resource'
import { collectionFunctions } from '#data/telemetry'
import { formatDuration, type Get, link, list } from '#runtime/contract'

export const schema = resource('TelemetryService.v1_3_3', 'Metrics and their reports', {
  MaxReports: integer,
  MetricDefinitions: reference,
  MetricReportDefinitions: reference,
  MetricReports: reference,
  MinCollectionInterval: { type: 'string', format: 'duration', nullable: true, readonly: true },
  ServiceEnabled: flag,
  Status: status,
  SupportedCollectionFunctions: list({ type: 'string', enum: collectionFunctions })
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, configuration }) => ({
  Name: 'Telemetry service',
  MaxReports: configuration.limits.metricReportDefinitions,
  MetricDefinitions: link(`${uri}/MetricDefinitions`),
  MetricReportDefinitions: link(`${uri}/MetricReportDefinitions`),
  MetricReports: link(`${uri}/MetricReports`),
  MinCollectionInterval: formatDuration(configuration.sensors.interval),
  ServiceEnabled: true,
  SupportedCollectionFunctions: collectionFunctions
})
