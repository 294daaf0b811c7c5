import { isListed, metricReport, metrics, reportDefinition, showReport } from '#data/telemetry'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = metricReport satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'MetricReportId'> = ({ params, machine, state, report }) => {
  const id = params.MetricReportId
  const definition = reportDefinition(state, machine.board, id) ?? notFound()
  if (!isListed(definition)) notFound()
  const known = new Set(metrics(machine.board).map((metric) => metric.id))
  return showReport(id, definition.name, report(id), known)
}
