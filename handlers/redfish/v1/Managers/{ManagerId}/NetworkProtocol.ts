import { timeServers } from '#data/manager'
import { flag, integer, reference, resource, status, text } from '#data/resource'
import { changed, type Get, link, mergeArray, type Patch, type Schema } from '#runtime/contract'

const protocol = { type: 'object', properties: { Port: integer, ProtocolEnabled: flag } } as const

export const schema = {
  title: '#ManagerNetworkProtocol.v1_10_1.ManagerNetworkProtocol',
  description: 'The network protocols of the controller',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    FQDN: text,
    HTTP: protocol,
    HTTPS: { ...protocol, properties: { ...protocol.properties, Certificates: reference } },
    HostName: text,
    NTP: {
      type: 'object',
      properties: { NTPServers: timeServers, Port: integer, ProtocolEnabled: flag }
    },
    Status: status
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

/** HTTP is never served. A port of 0 in the configuration is one that the system chose, and is not told. */
export const GET: Get<typeof schema, 'ManagerId'> = ({ params, uri, machine, state, configuration }) => {
  const { hostName, domain } = machine.manager(params.ManagerId)
  const servers = state.get('clock', params.ManagerId)?.timeServers ?? []
  return {
    Name: 'Network protocols',
    FQDN: `${hostName}.${domain}`,
    HTTP: { Port: 80, ProtocolEnabled: false },
    HTTPS: {
      Certificates: link(`${uri}/HTTPS/Certificates`),
      Port: configuration.port || null,
      ProtocolEnabled: true
    },
    HostName: hostName,
    NTP: { NTPServers: servers, Port: 123, ProtocolEnabled: servers.length > 0 },
    Status: { State: 'Enabled', Health: 'OK' }
  }
}

/** The servers are those of `DateTime`, under the name that is standard. */
export const PATCH: Patch<typeof schema, 'ManagerId'> = ({ params, body, machine, state }) => {
  machine.manager(params.ManagerId)
  const present = state.get('clock', params.ManagerId)?.timeServers ?? []
  const servers = body.NTP?.NTPServers
  return changed({ clock: { [params.ManagerId]: { timeServers: servers && mergeArray(present, servers) } } })
}
