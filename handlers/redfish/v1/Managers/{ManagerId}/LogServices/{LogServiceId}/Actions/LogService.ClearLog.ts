import { entry, logId, logPath } from '#data'
import { changed, clearLog, notFound, type Parameters, type Post } from '#runtime'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ManagerId' | 'LogServiceId'> = ({ params, machine, state, caller, now }) => {
  entry(machine.board.managers, params.ManagerId) ?? notFound()
  if (params.LogServiceId !== logId('Managers')) notFound()
  return changed(clearLog(state, logPath('Managers', params.ManagerId), now().toISOString(), caller.user))
}
