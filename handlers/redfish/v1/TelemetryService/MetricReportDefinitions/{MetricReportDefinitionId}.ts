import {
  changeReportDefinition,
  metricReportDefinition,
  metrics,
  reportDefinition,
  showReportDefinition
} from '#data/telemetry'
import { changed, type Delete, type Get, notFound, type Patch, type Schema } from '#runtime/contract'

export const schema = metricReportDefinition satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv', DELETE: 'MgmtConfigPriv' } as const

type Path = 'MetricReportDefinitionId'

export const GET: Get<typeof schema, Path> = ({ params, machine, state }) => {
  const id = params.MetricReportDefinitionId
  return showReportDefinition(id, reportDefinition(state, machine.board, id) ?? notFound())
}

export const PATCH: Patch<typeof schema, Path> = ({ params, body, machine, state, configuration }) => {
  const id = params.MetricReportDefinitionId
  const present = reportDefinition(state, machine.board, id) ?? notFound()
  const definition = changeReportDefinition(present, body, machine.board, configuration)
  return changed({ metricReportDefinition: { [id]: definition } })
}

/** One that ships leaves a record that it is gone. */
export const DELETE: Delete<Path> = ({ params, machine, state }) => {
  const id = params.MetricReportDefinitionId
  const present = reportDefinition(state, machine.board, id) ?? notFound()
  const ships = metrics(machine.board).some((metric) => metric.id === id)
  return changed({ metricReportDefinition: { [id]: ships ? { ...present, removed: true } : null } })
}
