import { flag, integer, resource, status, text } from '#data/resource'
import type { PortState } from '#hal/ports.ts'

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
      items: { type: 'object', properties: { Address: text, AddressOrigin: text, PrefixLength: integer } }
    },
    InterfaceEnabled: flag,
    LinkStatus: { type: 'string', enum: ['LinkUp', 'LinkDown'], nullable: true, readonly: true },
    MACAddress: text,
    PermanentMACAddress: text,
    SpeedMbps: integer,
    Status: status
  }
} as const

/** A port as it is. */
export function showEthernet(name: string, { mac, linkUp, speed, fullDuplex, ipv4, ipv6 }: PortState) {
  return {
    Name: name,
    FullDuplex: fullDuplex ?? null,
    IPv4Addresses: ipv4.map(({ address, subnetMask, gateway, origin }) => ({
      Address: address,
      ...(origin === undefined ? {} : { AddressOrigin: origin }),
      SubnetMask: subnetMask,
      Gateway: gateway ?? null
    })),
    IPv6Addresses: ipv6.map(({ address, prefixLength, origin }) => ({
      Address: address,
      AddressOrigin: origin,
      PrefixLength: prefixLength
    })),
    InterfaceEnabled: true,
    LinkStatus: linkUp ? 'LinkUp' : 'LinkDown',
    MACAddress: mac,
    PermanentMACAddress: mac,
    SpeedMbps: speed ?? null,
    Status: { State: 'Enabled', Health: 'OK' }
  } as const
}
