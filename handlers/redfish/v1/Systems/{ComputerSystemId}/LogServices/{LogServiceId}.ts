import { logId, logService, showLogService } from '#data/logs'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = logService satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'LogServiceId'> = ({
  params,
  uri,
  machine,
  configuration
}) => {
  machine.system(params.ComputerSystemId)
  if (params.LogServiceId !== logId('Systems')) notFound()
  return showLogService(uri, 'System log of the host', configuration.limits.logEntries)
}
