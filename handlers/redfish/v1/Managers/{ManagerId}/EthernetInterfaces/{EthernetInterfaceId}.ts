import { entry } from '#data/board'
import {
  differing,
  ethernetInterface,
  fqdnOf,
  hostNamesOf,
  movesAddresses,
  namesAfter,
  plainAddress,
  portSettingsOf,
  settingsAfter,
  showEthernet,
  showSettings,
  trialTime
} from '#data/ethernet'
import { changed, conflict, type Get, notFound, type Patch, type Schema } from '#runtime/contract'

export const schema = ethernetInterface satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema, 'ManagerId' | 'EthernetInterfaceId'> = ({ params, machine, state }) => {
  const manager = machine.manager(params.ManagerId)
  const { name } = entry(manager.ethernetInterfaces, params.EthernetInterfaceId) ?? notFound()
  const key = `${params.ManagerId}/${params.EthernetInterfaceId}`
  const port = machine.port(params.ManagerId, params.EthernetInterfaceId)
  const names = hostNamesOf(state, params.ManagerId, manager)
  const shown = showEthernet(name, port, { hostName: names.hostName, fqdn: fqdnOf(names) })
  const settings = portSettingsOf(state, key, port)
  if (settings === undefined) return shown
  return {
    ...shown,
    ...showSettings(settings, port.ipv6Gateway),
    Oem: {
      Vendor: {
        RollbackTime: state.get('portTrial', key)?.seconds ?? null
      }
    }
  }
}

/**
 * A change that may take the port away from the client who makes it is on trial, as one is that names a `RollbackTime`. A
 * `RollbackTime` of 0 keeps a change, also one that was made before.
 */
export const PATCH: Patch<typeof schema, 'ManagerId' | 'EthernetInterfaceId'> = (context) => {
  const { params, body, machine, state, localAddress = '' } = context
  const { ManagerId: manager, EthernetInterfaceId: ethernetInterface } = params
  const board = machine.manager(manager)
  if (entry(board.ethernetInterfaces, ethernetInterface) === undefined) notFound()
  const key = `${manager}/${ethernetInterface}`
  const port = machine.port(manager, ethernetInterface)
  const present = portSettingsOf(state, key, port) ?? conflict()
  const presentNames = hostNamesOf(state, manager, board)
  const names = namesAfter(presentNames, body)
  const settings = settingsAfter(present, body)
  const own = plainAddress(localAddress)
  const isOverPort = [...port.ipv4, ...port.ipv6].some(({ address }) => address === own)
  const seconds =
    body.Oem?.Vendor?.RollbackTime ?? (isOverPort && movesAddresses(present, settings, own) ? trialTime : undefined)
  const isOther = JSON.stringify(settings) !== JSON.stringify(present)
  const renames = fqdnOf(names) !== fqdnOf(presentNames)
  // A change of one that is on trial goes back to what was before them both.
  const before = { ...differing(present, settings), ...state.get('portTrial', key)?.before }
  return changed(
    {
      ...(isOther && { portSettings: { [key]: differing(settings, present) } }),
      ...(renames && { hostNames: { [manager]: names } }),
      ...(seconds === 0 && { portTrial: { [key]: null } }),
      ...(seconds !== undefined && seconds > 0 && isOther && { portTrial: { [key]: { before, seconds } } })
    },
    ...(renames ? [{ kind: 'configurePorts', manager } as const] : []),
    ...(isOther && !renames ? [{ kind: 'configurePorts', manager, ethernetInterface } as const] : [])
  )
}
