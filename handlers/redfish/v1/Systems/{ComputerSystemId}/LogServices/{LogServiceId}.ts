import { entry, logId, logService, showLogService } from '#data'
import { type Get, notFound, type Schema } from '#runtime'

export const schema = logService satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'LogServiceId'> = ({
  params,
  uri,
  machine,
  configuration
}) => {
  entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  if (params.LogServiceId !== logId('Systems')) notFound()
  return showLogService(uri, 'System log of the host', configuration.limits.logEntries)
}
