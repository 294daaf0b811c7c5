import type { BoardEthernetInterface } from './inventory.ts'
import { flag, integer, resource, status, text } from './schemas.ts'

/** A network port of a host or of a controller. */
export const ethernetInterface = {
  title: '#EthernetInterface.v1_12_0.EthernetInterface',
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

/** A port as the board describes it. */
export function showEthernet({ name, mac, speedMbps, linkUp, ipv4, ipv6 }: BoardEthernetInterface) {
  return {
    Name: name,
    FullDuplex: true,
    IPv4Addresses: ipv4 ? [showIPv4(ipv4)] : [],
    IPv6Addresses: ipv6 ? [{ Address: ipv6.address, AddressOrigin: 'LinkLocal', PrefixLength: ipv6.prefixLength }] : [],
    InterfaceEnabled: true,
    LinkStatus: linkUp ? 'LinkUp' : 'LinkDown',
    MACAddress: mac,
    PermanentMACAddress: mac,
    SpeedMbps: linkUp ? speedMbps : null,
    Status: { State: 'Enabled', Health: 'OK' }
  } as const
}

function showIPv4({ address, subnetMask, gateway }: NonNullable<BoardEthernetInterface['ipv4']>) {
  return { Address: address, AddressOrigin: 'Static', SubnetMask: subnetMask, Gateway: gateway }
}
