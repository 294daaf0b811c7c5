import { logEntry, logEntryKey, logId, logPath, showLogEntry } from '#data/logs'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = logEntry satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

type Path = 'ComputerSystemId' | 'LogServiceId' | 'LogEntryId'

export const GET: Get<typeof schema, Path> = ({ params, machine, state }) => {
  machine.system(params.ComputerSystemId)
  if (params.LogServiceId !== logId('Systems')) notFound()
  const key = logEntryKey(logPath('Systems', params.ComputerSystemId), params.LogEntryId) ?? notFound()
  return showLogEntry(state.get('logEntry', key) ?? notFound())
}
