import { entry, logId, logPath } from '#data'
import { changed, clearLog, notFound, type Parameters, type Post } from '#runtime'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ComputerSystemId' | 'LogServiceId'> = ({
  params,
  machine,
  state,
  caller,
  now
}) => {
  entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  if (params.LogServiceId !== logId('Systems')) notFound()
  return changed(clearLog(state, logPath('Systems', params.ComputerSystemId), now().toISOString(), caller.user))
}
