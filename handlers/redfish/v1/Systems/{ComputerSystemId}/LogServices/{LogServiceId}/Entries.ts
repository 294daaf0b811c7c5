import { collection, entry, logId, logKeys, logNumber, logPath } from '#data'
import { type Get, members, notFound, type Schema } from '#runtime'

export const schema = collection('LogEntry') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** Oldest first. */
export const GET: Get<typeof schema, 'ComputerSystemId' | 'LogServiceId'> = ({ params, uri, machine, state }) => {
  entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  if (params.LogServiceId !== logId('Systems')) notFound()
  const keys = logKeys(state.keys('logEntry'), logPath('Systems', params.ComputerSystemId))
  return {
    Name: 'Log entries',
    ...members(
      uri,
      keys.map((key) => String(logNumber(key)))
    )
  }
}
