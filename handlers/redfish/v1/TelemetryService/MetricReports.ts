import { collection } from '#data/resource'
import { isListed, type MetricReportDefinition, reportDefinition, reportDefinitionIds } from '#data/telemetry'
import { type Get, members } from '#runtime/contract'

export const schema = collection('MetricReport')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, machine, state }) => {
  const definition = (id: string) => reportDefinition(state, machine.board, id) as MetricReportDefinition
  const ids = reportDefinitionIds(state, machine.board).filter((id) => isListed(definition(id)))
  return { Name: 'Metric reports', ...members(uri, ids) }
}
