import { flag, integer, resource, status, text } from '#data/resource'
import type { PortState } from '#hal/ports.ts'

const addressState = {
  type: 'string',
  enum: ['Preferred', 'Deprecated', 'Tentative', 'Failed'],
  nullable: true,
  readonly: true
} as const

/** A network port of a host or of a controller. */
export const ethernetInterface = {
  title: '#EthernetInterface.v1_12_0.EthernetInterface',
  description: 'A network interface',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    FQDN: text,
    FullDuplex: flag,
    HostName: text,
    IPv4Addresses: {
      type: 'array',
      items: { type: 'object', properties: { Address: text, AddressOrigin: text, Gateway: text, SubnetMask: text } }
    },
    IPv6Addresses: {
      type: 'array',
      items: {
        type: 'object',
        properties: { Address: text, AddressOrigin: text, AddressState: addressState, PrefixLength: integer }
      }
    },
    InterfaceEnabled: flag,
    LinkStatus: { type: 'string', enum: ['LinkUp', 'LinkDown'], nullable: true, readonly: true },
    MACAddress: text,
    NameServers: { type: 'array', items: { type: 'string' }, readonly: true },
    PermanentMACAddress: text,
    SpeedMbps: integer,
    Status: status
  }
} as const

/**
 * A port as it is.
 *
 * @param host the name of the machine that it belongs to, and its name with the domain; null where they are not known
 */
export function showEthernet(name: string, port: PortState, host: string | null, fqdn: string | null) {
  const { mac, linkUp, speed, fullDuplex, ipv4, ipv6, nameServers = [] } = port
  return {
    Name: name,
    FQDN: fqdn,
    FullDuplex: fullDuplex ?? null,
    HostName: host,
    IPv4Addresses: ipv4.map(({ address, subnetMask, gateway, origin }) => ({
      Address: address,
      ...(origin === undefined ? {} : { AddressOrigin: origin }),
      SubnetMask: subnetMask,
      Gateway: gateway ?? null
    })),
    IPv6Addresses: ipv6.map(({ address, prefixLength, origin, state }) => ({
      Address: address,
      AddressOrigin: origin,
      AddressState: state ?? null,
      PrefixLength: prefixLength
    })),
    InterfaceEnabled: true,
    LinkStatus: linkUp ? 'LinkUp' : 'LinkDown',
    MACAddress: mac,
    NameServers: [...nameServers],
    PermanentMACAddress: mac,
    SpeedMbps: speed ?? null,
    Status: { State: 'Enabled', Health: 'OK' }
  } as const
}
