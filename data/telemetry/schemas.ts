import { flag, integer, reference, resource, status, text } from '#data/resource'
import { list, object } from '#runtime/schema'
import type { MetricReportDefinition } from './records.ts'
import { collectionFunctions, reportActions, reportTypes, reportUpdates, timeScopes } from './records.ts'
import { isListed, type MetricReport } from './telemetry.ts'
import { definitionUri, metricUri, reportUri } from './uris.ts'

/** Properties of a report definition that clients write (DSP0268, MetricReportDefinition). */
export const reportSettings = {
  AppendLimit: { type: 'integer', minimum: 1, readonly: false },
  MetricReportDefinitionEnabled: { type: 'boolean', readonly: false },
  MetricReportDefinitionType: { type: 'string', enum: reportTypes, readonly: false },
  Metrics: {
    type: 'array',
    maxItems: 32,
    items: object({
      CollectionDuration: { type: 'string', format: 'duration', nullable: true },
      CollectionFunction: { type: 'string', enum: collectionFunctions, nullable: true },
      CollectionTimeScope: { type: 'string', enum: timeScopes },
      MetricId: { type: 'string', minLength: 1, maxLength: 64 },
      MetricProperties: { type: 'array', maxItems: 32, items: { type: 'string', maxLength: 256 } }
    }),
    readonly: false
  },
  ReportActions: { type: 'array', maxItems: 2, items: { type: 'string', enum: reportActions }, readonly: false },
  ReportUpdates: { type: 'string', enum: reportUpdates, readonly: false },
  Schedule: object({
    InitialStartTime: { type: 'string', format: 'date-time', nullable: true, readonly: false },
    RecurrenceInterval: { type: 'string', format: 'duration', nullable: true, readonly: false }
  })
} as const

export const metricReportDefinition = resource(
  'MetricReportDefinition.v1_4_5',
  'Which metrics are reported, and when',
  { ...reportSettings, MetricReport: reference, Status: status }
)

export const metricReport = resource('MetricReport.v1_5_1', 'Values of metrics at a time', {
  MetricReportDefinition: reference,
  MetricValues: list(
    object({
      MetricDefinition: reference,
      MetricId: text,
      MetricProperty: text,
      MetricValue: text,
      Timestamp: { type: 'string', format: 'date-time', nullable: true, readonly: true }
    })
  ),
  'MetricValues@odata.count': integer,
  ReportSequence: text,
  Timestamp: { type: 'string', format: 'date-time', nullable: true, readonly: true }
})

export const metricDefinition = resource('MetricDefinition.v1_3_4', 'How a metric is measured', {
  Implementation: { type: 'string', enum: ['PhysicalSensor', 'Synthesized'], nullable: true, readonly: true },
  IsLinear: flag,
  MaxReadingRange: { type: 'number', nullable: true, readonly: true },
  MetricDataType: { type: 'string', enum: ['Decimal'], nullable: true, readonly: true },
  MetricProperties: list({ type: 'string' }),
  MetricType: { type: 'string', enum: ['Gauge'], nullable: true, readonly: true },
  MinReadingRange: { type: 'number', nullable: true, readonly: true },
  SensingInterval: { type: 'string', format: 'duration', nullable: true, readonly: true },
  Units: text
})

export function showReportDefinition(id: string, definition: MetricReportDefinition) {
  return {
    Id: id,
    Name: definition.name,
    AppendLimit: definition.appendLimit,
    ...(isListed(definition) && { MetricReport: { '@odata.id': `${reportUri(id)}/` } }),
    MetricReportDefinitionEnabled: definition.enabled,
    MetricReportDefinitionType: definition.type,
    Metrics: definition.metrics.map((metric) => ({
      CollectionDuration: metric.duration,
      CollectionFunction: metric.function,
      CollectionTimeScope: metric.timeScope,
      MetricId: metric.id,
      MetricProperties: metric.properties
    })),
    ReportActions: definition.actions,
    ReportUpdates: definition.updates,
    Schedule: { InitialStartTime: definition.start, RecurrenceInterval: definition.interval },
    Status: { State: definition.enabled ? 'Enabled' : 'Disabled' }
  } as const
}

/** A report; `known` are the ids of metrics. */
export function showReport(id: string, name: string, report: MetricReport, known: ReadonlySet<string>) {
  const { sequence, timestamp, values } = report
  return {
    Id: id,
    Name: name,
    Description: metricReport.description,
    MetricReportDefinition: { '@odata.id': `${definitionUri(id)}/` },
    MetricValues: values.map(({ metric, property, value, timestamp }) => ({
      ...(known.has(metric) && { MetricDefinition: { '@odata.id': `${metricUri(metric)}/` } }),
      MetricId: metric,
      MetricProperty: property,
      MetricValue: value === undefined ? null : String(value),
      Timestamp: timestamp
    })),
    'MetricValues@odata.count': values.length,
    ReportSequence: String(sequence),
    ...(timestamp !== undefined && { Timestamp: timestamp })
  }
}
