import { logId, logService, showLogService } from '#data/logs'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = logService satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId' | 'LogServiceId'> = ({ params, uri, machine, configuration }) => {
  machine.manager(params.ManagerId)
  if (params.LogServiceId !== logId('Managers')) notFound()
  return showLogService(uri, 'Event log of the controller', configuration.limits.logEntries)
}
