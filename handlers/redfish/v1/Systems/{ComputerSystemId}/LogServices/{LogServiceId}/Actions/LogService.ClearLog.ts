import { entry } from '#data/board'
import { clearLog, logId, logPath } from '#data/logs'
import { changed, event, notFound, type Parameters, type Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ComputerSystemId' | 'LogServiceId'> = ({ params, machine, state, caller }) => {
  entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  if (params.LogServiceId !== logId('Systems')) notFound()
  const events = [event('MgmtEvents.LogCleared', `/redfish/v1/Systems/${params.ComputerSystemId}`, caller.user)]
  return { ...changed(clearLog(state, logPath('Systems', params.ComputerSystemId))), events }
}
