import { flag, integer, oem, resource, status, text } from '#data/resource'
import type { DhcpSettings, PortSettings, PortState } from '#hal/ports.ts'
import { list, object } from '#runtime/schema'

const addressState = {
  type: 'string',
  enum: ['Preferred', 'Deprecated', 'Tentative', 'Failed'],
  nullable: true,
  readonly: true
} as const

const on = { type: 'boolean', readonly: false } as const
const ipv4 = { type: 'string', pattern: '^[0-9]{1,3}([.][0-9]{1,3}){3}$', readonly: false } as const
const ipv6 = { type: 'string', pattern: '^[0-9A-Fa-f:.]{2,45}$', readonly: false } as const

/** A label of a host name, and names in a domain (RFC 1123 2.1). */
export const hostName = {
  type: 'string',
  pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$',
  nullable: true,
  readonly: false
} as const
export const fqdn = {
  type: 'string',
  pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?([.][A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$',
  maxLength: 253,
  nullable: true,
  readonly: false
} as const

/** The longest that a change may be on trial, in seconds. */
const longestTrial = 3600

/** Of a change that may lock its author out. */
export const rollbackTime = {
  type: 'integer',
  minimum: 0,
  maximum: longestTrial,
  nullable: true,
  readonly: false,
  description:
    'Seconds after which a change is rolled back unless a client has connected to the new address or port; 0 keeps the change'
} as const

/** A network port of a host or of a controller. Only a controller's is set up here. */
export const ethernetInterface = resource('EthernetInterface.v1_12_0', 'A network interface', {
  DHCPv4: object({ DHCPEnabled: on, UseDNSServers: on, UseDomainName: on, UseGateway: on, UseNTPServers: on }),
  DHCPv6: object({
    OperatingMode: { type: 'string', enum: ['Stateless', 'Enabled', 'Disabled'], nullable: true, readonly: false },
    UseDNSServers: on,
    UseDomainName: on,
    UseNTPServers: on
  }),
  FQDN: fqdn,
  FullDuplex: flag,
  HostName: hostName,
  IPv4Addresses: list(object({ Address: text, AddressOrigin: text, Gateway: text, SubnetMask: text })),
  IPv4StaticAddresses: {
    type: 'array',
    readonly: false,
    maxItems: 4,
    items: object({ Address: ipv4, Gateway: { ...ipv4, nullable: true }, SubnetMask: ipv4 })
  },
  IPv6Addresses: list(
    object({ Address: text, AddressOrigin: text, AddressState: addressState, PrefixLength: integer })
  ),
  IPv6DefaultGateway: text,
  IPv6StaticAddresses: {
    type: 'array',
    readonly: false,
    maxItems: 8,
    items: object({ Address: ipv6, PrefixLength: { type: 'integer', minimum: 1, maximum: 128, readonly: false } })
  },
  IPv6StaticDefaultGateways: {
    type: 'array',
    readonly: false,
    maxItems: 1,
    items: object({ Address: ipv6 })
  },
  InterfaceEnabled: { type: 'boolean', nullable: true, readonly: false },
  LinkStatus: { type: 'string', enum: ['LinkUp', 'LinkDown'], nullable: true, readonly: true },
  MACAddress: text,
  // IPv6 wants the least (RFC 8200 5).
  MTUSize: { type: 'integer', minimum: 1280, maximum: 9000, nullable: true, readonly: false },
  NameServers: list({ type: 'string' }),
  PermanentMACAddress: text,
  SpeedMbps: integer,
  StatelessAddressAutoConfig: object({ IPv6AutoConfigEnabled: on }),
  StaticNameServers: { type: 'array', items: { type: 'string', maxLength: 45 }, maxItems: 3, readonly: false },
  Status: status,
  VLAN: object({
    VLANEnable: on,
    VLANId: { type: 'integer', minimum: 1, maximum: 4094, readonly: false },
    VLANPriority: { type: 'integer', minimum: 0, maximum: 7, readonly: false }
  }),
  Oem: oem('VendorEthernetInterface.v1_0_0', {
    RollbackTime: rollbackTime
  })
})

/** The names of the machine that a port belongs to, with the domain and without; null if they are not known. */
export interface ShownNames {
  readonly hostName: string | null
  readonly fqdn: string | null
}

/** A port as it is. */
export function showEthernet(name: string, port: PortState, { hostName, fqdn }: ShownNames) {
  const { mac, linkUp, speed, fullDuplex, ipv4, ipv6, nameServers = [] } = port
  return {
    Name: name,
    FQDN: fqdn,
    FullDuplex: fullDuplex ?? null,
    HostName: hostName,
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
    SpeedMbps: speed ?? null
  } as const
}

/** How a port is set up. */
export function showSettings(settings: PortSettings, ipv6Gateway: string | undefined) {
  const { enabled, mtu, vlan, ipv4, gateway, dhcpv4, ipv6, dhcpv6, slaac, nameServers } = settings
  return {
    DHCPv4: {
      DHCPEnabled: dhcpv4.enabled,
      ...showUsed(dhcpv4),
      ...(dhcpv4.useGateway !== undefined && { UseGateway: dhcpv4.useGateway })
    },
    DHCPv6: { OperatingMode: dhcpv6.enabled ? enabledMode(settings) : ('Disabled' as const), ...showUsed(dhcpv6) },
    IPv4StaticAddresses: ipv4.map(({ address, subnetMask }) => ({
      Address: address,
      SubnetMask: subnetMask,
      Gateway: gateway
    })),
    IPv6DefaultGateway: ipv6Gateway ?? settings.ipv6Gateway,
    IPv6StaticAddresses: ipv6.map(({ address, prefixLength }) => ({ Address: address, PrefixLength: prefixLength })),
    IPv6StaticDefaultGateways: settings.ipv6Gateway === null ? [] : [{ Address: settings.ipv6Gateway }],
    InterfaceEnabled: enabled,
    ...(mtu !== undefined && { MTUSize: mtu }),
    StatelessAddressAutoConfig: { IPv6AutoConfigEnabled: slaac },
    StaticNameServers: [...nameServers],
    ...(vlan !== undefined && {
      VLAN: {
        VLANEnable: vlan.enabled,
        VLANId: vlan.id,
        ...(vlan.priority !== undefined && { VLANPriority: vlan.priority })
      }
    })
  }
}

/** `OperatingMode` of a port that uses DHCPv6. */
export function enabledMode({ dhcpv6 }: PortSettings): 'Enabled' | 'Stateless' {
  return dhcpv6.addresses ? 'Enabled' : 'Stateless'
}

function showUsed({ useDns, useDomain, useNtp }: DhcpSettings) {
  return {
    ...(useDns !== undefined && { UseDNSServers: useDns }),
    ...(useDomain !== undefined && { UseDomainName: useDomain }),
    ...(useNtp !== undefined && { UseNTPServers: useNtp })
  }
}
