import { logEntry, logEntryKey, logId, logPath, showLogEntry } from '#data/logs'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = logEntry satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

type Path = 'ManagerId' | 'LogServiceId' | 'LogEntryId'

export const GET: Get<typeof schema, Path> = ({ params, machine, state }) => {
  machine.manager(params.ManagerId)
  if (params.LogServiceId !== logId('Managers')) notFound()
  const key = logEntryKey(logPath('Managers', params.ManagerId), params.LogEntryId) ?? notFound()
  return showLogEntry(state.get('logEntry', key) ?? notFound())
}
