import { entry } from '#data/board'
import { logId, logService, showLogService } from '#data/logs'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = logService satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId' | 'LogServiceId'> = ({ params, uri, machine, configuration }) => {
  entry(machine.board.managers, params.ManagerId) ?? notFound()
  if (params.LogServiceId !== logId('Managers')) notFound()
  return showLogService(uri, 'Event log of the controller', configuration.limits.logEntries)
}
