import { clearLog, logId, logPath } from '#data/logs'
import { systemUri } from '#data/system'
import { changed, event, notFound, type Parameters, type Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ComputerSystemId' | 'LogServiceId'> = ({ params, machine, state, caller }) => {
  machine.system(params.ComputerSystemId)
  if (params.LogServiceId !== logId('Systems')) notFound()
  const events = [event('MgmtEvents.LogCleared', systemUri(params.ComputerSystemId), caller.user)]
  return { ...changed(clearLog(state, logPath('Systems', params.ComputerSystemId))), events }
}
