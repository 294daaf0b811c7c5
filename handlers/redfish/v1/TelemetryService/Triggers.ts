import { collection } from '#data/resource'
import { blankTrigger, changeTrigger, triggerBody } from '#data/telemetry'
import { created, fail, type Get, members, type Parameters, type Post } from '#runtime/contract'

export const schema = collection('Triggers')

export const body = triggerBody satisfies Parameters

export const privileges = { GET: 'LoginPriv', POST: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema> = ({ uri, state }) => ({
  Name: 'Triggers',
  ...members(uri, state.keys('trigger'))
})

export const POST: Post<typeof body> = ({ uri, body, machine, state, configuration, random }) => {
  const { Id: id = random(8), Name: name = id, MetricType: type, TriggerActions, ...settings } = body
  const { DiscreteTriggerCondition: condition = null, ...writable } = settings
  const blank = { ...blankTrigger, name, type, condition, actions: [...new Set(TriggerActions)] }
  const trigger = changeTrigger(blank, writable, { state, board: machine.board, configuration })
  if (state.get('trigger', id) !== undefined) fail(409, 'Base.ResourceAlreadyExists', 'Triggers', 'Id', id)
  if (state.keys('trigger').length >= configuration.limits.triggers) fail(409, 'Base.CreateLimitReachedForResource')
  return created(`${uri}/${encodeURIComponent(id)}`, { trigger: { [id]: trigger } })
}
