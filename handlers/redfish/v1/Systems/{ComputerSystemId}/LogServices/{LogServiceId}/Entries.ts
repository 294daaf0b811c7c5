import { logEntries, logId, logPath, showLogEntries } from '#data/logs'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = logEntries satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** Oldest first. */
export const GET: Get<typeof schema, 'ComputerSystemId' | 'LogServiceId'> = ({ params, uri, machine, state }) => {
  machine.system(params.ComputerSystemId)
  if (params.LogServiceId !== logId('Systems')) notFound()
  const log = logPath('Systems', params.ComputerSystemId)
  return { Name: 'Log entries', Members: showLogEntries(uri, log, state) }
}
