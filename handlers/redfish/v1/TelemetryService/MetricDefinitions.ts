import { collection } from '#data/resource'
import { metrics } from '#data/telemetry'
import { type Get, members } from '#runtime/contract'

export const schema = collection('MetricDefinition')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, machine }) => {
  const ids = metrics(machine.board).map(({ id }) => id)
  return { Name: 'Metric definitions', ...members(uri, ids) }
}
