import { clearLog, logId, logPath } from '#data/logs'
import { managerUri } from '#data/manager'
import { changed, event, notFound, type Parameters, type Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ManagerId' | 'LogServiceId'> = ({ params, machine, state, caller }) => {
  machine.manager(params.ManagerId)
  if (params.LogServiceId !== logId('Managers')) notFound()
  const events = [event('MgmtEvents.LogCleared', managerUri(params.ManagerId), caller.user)]
  return { ...changed(clearLog(state, logPath('Managers', params.ManagerId))), events }
}
