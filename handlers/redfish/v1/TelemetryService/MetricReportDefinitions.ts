import { collection } from '#data/resource'
import {
  changeReportDefinition,
  defaultDefinition,
  reportDefinition,
  reportDefinitionIds,
  reportSettings
} from '#data/telemetry'
import { created, fail, type Get, members, object, type Post } from '#runtime/contract'

export const schema = collection('MetricReportDefinition')

export const body = object(['MetricReportDefinitionType', 'Metrics'], {
  ...reportSettings,
  Id: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
  Name: { type: 'string', minLength: 1, maxLength: 64 }
})

export const privileges = { GET: 'LoginPriv', POST: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema> = ({ uri, machine, state }) => ({
  Name: 'Metric report definitions',
  ...members(uri, reportDefinitionIds(state, machine.board))
})

/** A definition that ships and was deleted can be created again by its `Id`, as the client wants it. */
export const POST: Post<typeof body> = ({ uri, body, machine, state, configuration, random }) => {
  const { Id: id = random(8), Name, ...settings } = body
  const { board } = machine
  const blank = { ...defaultDefinition, name: Name ?? id, metrics: [] }
  const definition = changeReportDefinition(blank, settings, board, configuration)
  if (reportDefinition(state, board, id) !== undefined) {
    fail(409, 'Base.ResourceAlreadyExists', 'MetricReportDefinition', 'Id', id)
  }
  if (reportDefinitionIds(state, board).length >= configuration.limits.metricReportDefinitions) {
    fail(409, 'Base.CreateLimitReachedForResource')
  }
  return created(`${uri}/${encodeURIComponent(id)}`, { metricReportDefinition: { [id]: definition } })
}
