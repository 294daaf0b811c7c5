import { changeTrigger, reportDefinition, showTrigger, triggerSchema } from '#data/telemetry'
import { changed, type Delete, type Get, notFound, type Patch, type Schema } from '#runtime/contract'

export const schema = triggerSchema satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv', DELETE: 'MgmtConfigPriv' } as const

/** Definitions that have been deleted since are not linked. */
export const GET: Get<typeof schema, 'TriggersId'> = ({ params, machine, state, configuration }) => {
  const trigger = state.get('trigger', params.TriggersId) ?? notFound()
  const reports = trigger.reports.filter((id) => reportDefinition(state, machine.board, id) !== undefined)
  return showTrigger({ ...trigger, reports }, configuration.health.settleTime)
}

export const PATCH: Patch<typeof schema, 'TriggersId'> = ({ params, body, machine, state, configuration }) => {
  const id = params.TriggersId
  const present = state.get('trigger', id) ?? notFound()
  const sources = { state, board: machine.board, configuration }
  return changed({ trigger: { [id]: changeTrigger(present, body, sources) } })
}

export const DELETE: Delete<'TriggersId'> = ({ params, state }) => {
  const id = params.TriggersId
  if (state.get('trigger', id) === undefined) notFound()
  return changed({ trigger: { [id]: null }, triggered: { [id]: null } })
}
