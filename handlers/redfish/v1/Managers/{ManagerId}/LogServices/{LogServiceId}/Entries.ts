import { logEntries, logId, logPath, showLogEntries } from '#data/logs'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = logEntries satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** Oldest first. */
export const GET: Get<typeof schema, 'ManagerId' | 'LogServiceId'> = ({ params, uri, machine, state }) => {
  machine.manager(params.ManagerId)
  if (params.LogServiceId !== logId('Managers')) notFound()
  const log = logPath('Managers', params.ManagerId)
  return { Name: 'Log entries', Members: showLogEntries(uri, log, state) }
}
