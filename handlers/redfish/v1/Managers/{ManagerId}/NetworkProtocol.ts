import { entry, flag, integer, resource, status, text } from '#data'
import { type Get, notFound, type Schema } from '#runtime'

const protocol = { type: 'object', properties: { Port: integer, ProtocolEnabled: flag } } as const

export const schema = {
  title: '#ManagerNetworkProtocol.v1_10_1.ManagerNetworkProtocol',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    FQDN: text,
    HTTP: protocol,
    HTTPS: protocol,
    HostName: text,
    NTP: {
      type: 'object',
      properties: { NTPServers: { type: 'array', items: text }, Port: integer, ProtocolEnabled: flag }
    },
    Status: status
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** HTTP is never served. A port of 0 in the configuration is one that the system chose, and is not told. */
export const GET: Get<typeof schema, 'ManagerId'> = ({ params, machine, state, configuration }) => {
  const { hostName, domain } = entry(machine.board.managers, params.ManagerId) ?? notFound()
  const timeServers = state.get('clock', params.ManagerId)?.timeServers ?? []
  return {
    Name: 'Network protocols',
    FQDN: `${hostName}.${domain}`,
    HTTP: { Port: 80, ProtocolEnabled: false },
    HTTPS: { Port: configuration.port || null, ProtocolEnabled: true },
    HostName: hostName,
    NTP: { NTPServers: timeServers, Port: 123, ProtocolEnabled: timeServers.length > 0 },
    Status: { State: 'Enabled', Health: 'OK' }
  }
}
