import {
  discoveryOf,
  fixedPorts,
  fqdn,
  fqdnOf,
  hostName,
  hostNamesOf,
  httpsPortOf,
  moveOf,
  namesAfter,
  rollbackTime
} from '#data/ethernet'
import { asksForTime, suppliedTimeServers, timeServers } from '#data/manager'
import { child, flag, integer, oem, resource, status } from '#data/resource'
import { changed, type Get, list, mergeArray, object, type Patch } from '#runtime/contract'

const isOn = { type: 'boolean', readonly: false } as const
const port = { type: 'integer', minimum: 1, maximum: 65_535, readonly: false } as const

export const schema = resource('ManagerNetworkProtocol.v1_10_1', 'The network protocols of the controller', {
  FQDN: fqdn,
  HTTP: object({ Port: integer, ProtocolEnabled: flag }),
  HTTPS: object({
    Port: { ...port, nullable: true },
    ProtocolEnabled: flag,
    Certificates: child('HTTPS/Certificates')
  }),
  HostName: hostName,
  NTP: object({
    NTPServers: timeServers,
    NetworkSuppliedServers: list({ type: 'string' }),
    Port: integer,
    ProtocolEnabled: { type: 'boolean', nullable: true, readonly: false }
  }),
  SSDP: object({
    NotifyIPv6Scope: { type: 'string', enum: ['Link', 'Site', 'Organization'], readonly: true },
    NotifyMulticastIntervalSeconds: { type: 'integer', minimum: 0, maximum: 86_400, readonly: false },
    NotifyTTL: { type: 'integer', minimum: 1, maximum: 255, readonly: false },
    Port: port,
    ProtocolEnabled: isOn
  }),
  Status: status,
  Oem: oem('VendorManagerNetworkProtocol.v1_0_0', {
    MulticastDNS: object({ Port: port, ProtocolEnabled: isOn }),
    RollbackTime: rollbackTime
  })
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

/** HTTP is never served. A port of 0 in the configuration is one that the system chose, and is not announced. */
export const GET: Get<typeof schema, 'ManagerId'> = ({ params, machine, state, configuration }) => {
  const manager = machine.manager(params.ManagerId)
  const names = hostNamesOf(state, params.ManagerId, manager)
  const discovery = discoveryOf(state, params.ManagerId)
  return {
    Name: 'Network protocols',
    FQDN: fqdnOf(names),
    HTTP: { Port: fixedPorts.HTTP, ProtocolEnabled: false },
    HTTPS: {
      Port: httpsPortOf(state, configuration) || null,
      ProtocolEnabled: true
    },
    HostName: names.hostName,
    NTP: {
      NTPServers: state.get('clock', params.ManagerId)?.timeServers ?? [],
      NetworkSuppliedServers: suppliedTimeServers(machine, params.ManagerId),
      Port: fixedPorts.NTP,
      ProtocolEnabled: asksForTime(state, machine, params.ManagerId)
    },
    SSDP: {
      NotifyIPv6Scope: 'Link',
      NotifyMulticastIntervalSeconds: discovery.notifyInterval,
      NotifyTTL: discovery.notifyTtl,
      Port: discovery.ssdpPort,
      ProtocolEnabled: discovery.ssdp
    },
    Oem: {
      Vendor: {
        MulticastDNS: { Port: discovery.mdnsPort, ProtocolEnabled: discovery.mdns },
        RollbackTime: state.get('httpsPort', 'settings')?.trial?.seconds ?? null
      }
    }
  }
}

/**
 * The servers are those of `DateTime`, under the name that is standard. A change of the port of HTTPS that comes over the
 * network is on trial.
 */
export const PATCH: Patch<typeof schema, 'ManagerId'> = (context) => {
  const { params, body, machine, state } = context
  const manager = params.ManagerId
  const presentNames = hostNamesOf(state, manager, machine.manager(manager))
  const names = namesAfter(presentNames, body)
  const renames = fqdnOf(names) !== fqdnOf(presentNames)
  const present = state.get('clock', manager)?.timeServers ?? []
  const { NTPServers: servers, ProtocolEnabled: ntp } = body.NTP ?? {}
  const { SSDP: ssdp, Oem: oem } = body
  const mdns = oem?.Vendor?.MulticastDNS
  const move = moveOf(context)
  const asks = servers !== undefined || ntp != null
  return changed(
    {
      ...(asks && {
        clock: { [manager]: { timeServers: servers && mergeArray(present, servers), ntp: ntp ?? undefined } }
      }),
      ...(renames && { hostNames: { [manager]: names } }),
      ...((ssdp ?? mdns) && {
        discovery: {
          [manager]: {
            ssdp: ssdp?.ProtocolEnabled,
            ssdpPort: ssdp?.Port,
            notifyInterval: ssdp?.NotifyMulticastIntervalSeconds,
            notifyTtl: ssdp?.NotifyTTL,
            mdns: mdns?.ProtocolEnabled,
            mdnsPort: mdns?.Port
          }
        }
      })
    },
    ...(renames || asks ? [{ kind: 'configurePorts', manager } as const] : []),
    ...(move === undefined ? [] : [move])
  )
}
