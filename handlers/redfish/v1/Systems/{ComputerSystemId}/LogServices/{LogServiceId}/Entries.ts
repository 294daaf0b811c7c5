import { entry, logEntries, logId, logPath, showLogEntries } from '#data'
import { type Get, notFound, type Schema } from '#runtime'

export const schema = logEntries satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** Oldest first. */
export const GET: Get<typeof schema, 'ComputerSystemId' | 'LogServiceId'> = ({ params, uri, machine, state }) => {
  entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  if (params.LogServiceId !== logId('Systems')) notFound()
  const log = logPath('Systems', params.ComputerSystemId)
  return { Name: 'Log entries', Members: showLogEntries(uri, log, state) }
}
