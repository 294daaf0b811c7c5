import { localOffsetOf, timeServers } from '#data/manager'
import { resource } from '#data/resource'
import { changed, type Get, mergeArray, type Patch } from '#runtime/contract'

export const schema = resource('VendorMgmtDateTime.v1_0_0', 'The clock of the controller', {
  DateTime: { type: 'string', format: 'date-time', readonly: true },
  DateTimeLocalOffset: { type: 'string', readonly: true },
  StaticNTPServers: timeServers
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

/** The time and its offset are set at the manager, only the servers here. */
export const GET: Get<typeof schema, 'ManagerId'> = ({ params, machine, state, time }) => {
  machine.manager(params.ManagerId)
  const offset = localOffsetOf(state, params.ManagerId)
  return {
    Name: 'Date and time',
    DateTime: time(offset),
    DateTimeLocalOffset: offset,
    StaticNTPServers: state.get('clock', params.ManagerId)?.timeServers ?? []
  }
}

export const PATCH: Patch<typeof schema, 'ManagerId'> = ({ params, body, machine, state }) => {
  machine.manager(params.ManagerId)
  const present = state.get('clock', params.ManagerId)?.timeServers ?? []
  const { StaticNTPServers: servers } = body
  if (servers === undefined) return changed({})
  const clock = { [params.ManagerId]: { timeServers: mergeArray(present, servers) } }
  return changed({ clock }, { kind: 'configurePorts', manager: params.ManagerId })
}
