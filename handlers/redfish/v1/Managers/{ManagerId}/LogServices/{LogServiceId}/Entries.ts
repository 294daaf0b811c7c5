import { collection, entry, logId, logKeys, logNumber, logPath } from '#data'
import { type Get, members, notFound, type Schema } from '#runtime'

export const schema = collection('LogEntry') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** Oldest first. */
export const GET: Get<typeof schema, 'ManagerId' | 'LogServiceId'> = ({ params, uri, machine, state }) => {
  entry(machine.board.managers, params.ManagerId) ?? notFound()
  if (params.LogServiceId !== logId('Managers')) notFound()
  const keys = logKeys(state.keys('logEntry'), logPath('Managers', params.ManagerId))
  return {
    Name: 'Log entries',
    ...members(
      uri,
      keys.map((key) => String(logNumber(key)))
    )
  }
}
