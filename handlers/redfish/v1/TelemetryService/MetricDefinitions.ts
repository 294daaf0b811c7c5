import { collection, metrics } from '#data'
import { type Get, members, type Schema } from '#runtime'

export const schema = collection('MetricDefinition') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, machine }) => {
  const ids = metrics(machine.board).map(({ id }) => id)
  return { Name: 'Metric definitions', ...members(uri, ids) }
}
