import { metricDefinition, metrics } from '#data/telemetry'
import { formatDuration, type Get, notFound, type Schema } from '#runtime/contract'

export const schema = metricDefinition satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'MetricDefinitionId'> = ({ params, machine, configuration }) => {
  const metric = metrics(machine.board).find(({ id }) => id === params.MetricDefinitionId) ?? notFound()
  return {
    Name: metric.name,
    Implementation: metric.implementation,
    IsLinear: true,
    MaxReadingRange: metric.maximum,
    MetricDataType: 'Decimal',
    MetricProperties: metric.properties.map(({ uri }) => uri),
    MetricType: 'Gauge',
    MinReadingRange: metric.minimum,
    SensingInterval: formatDuration(configuration.sensors.interval),
    Units: metric.units
  }
}
