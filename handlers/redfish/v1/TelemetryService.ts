import { flag, integer, reference, resource, status } from '#data/resource'
import { collectionFunctions } from '#data/telemetry'
import { formatDuration, type Get, link, type Schema } from '#runtime/contract'

export const schema = {
  title: '#TelemetryService.v1_3_3.TelemetryService',
  description: 'Metrics and their reports',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    MaxReports: integer,
    MetricDefinitions: reference,
    MetricReportDefinitions: reference,
    MetricReports: reference,
    MinCollectionInterval: { type: 'string', format: 'duration', nullable: true, readonly: true },
    ServiceEnabled: flag,
    Status: status,
    SupportedCollectionFunctions: {
      type: 'array',
      items: { type: 'string', enum: collectionFunctions },
      readonly: true
    }
  }
} as const satisfies Schema

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
