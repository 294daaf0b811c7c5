import { collection, isListed, type MetricReportDefinition, reportDefinition, reportDefinitionIds } from '#data'
import { type Get, members, type Schema } from '#runtime'

export const schema = collection('MetricReport') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, machine, state }) => {
  const definition = (id: string) => reportDefinition(state, machine.board, id) as MetricReportDefinition
  const ids = reportDefinitionIds(state, machine.board).filter((id) => isListed(definition(id)))
  return { Name: 'Metric reports', ...members(uri, ids) }
}
