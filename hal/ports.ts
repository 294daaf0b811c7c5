/** An IPv4 address; all of it in dotted decimals. */
export interface Ipv4Address {
  readonly address: string
  readonly subnetMask: string
  /** Of the default route, if it uses this port. */
  readonly gateway?: string
  /** Absent if unknown: the kernel does not mark addresses from DHCP. */
  readonly origin?: 'Static' | 'DHCP' | 'IPv4LinkLocal'
}

export interface Ipv6Address {
  readonly address: string
  readonly prefixLength: number
  readonly origin: 'Static' | 'DHCPv6' | 'LinkLocal' | 'SLAAC'
  /** Whether it may be used (RFC 4862); absent if unknown. */
  readonly state?: Ipv6State
}

export type Ipv6State = 'Preferred' | 'Deprecated' | 'Tentative' | 'Failed'

/**
 * The settings of a port. Addresses are texts in their usual form, for IPv6 that of RFC 5952. Settings that the machine
 * does not support are absent.
 */
export interface PortSettings {
  readonly enabled: boolean
  /** Bytes of the largest packet. */
  readonly mtu?: number | undefined
  /** IEEE 802.1Q: if enabled, all packets carry this tag. */
  readonly vlan?:
    | {
        readonly enabled: boolean
        readonly id: number
        readonly priority?: number | undefined
        /** It is the port of one VLAN, and cannot be another's. */
        readonly fixed?: true | undefined
      }
    | undefined
  /** They are there besides those of DHCP. */
  readonly ipv4: readonly { readonly address: string; readonly subnetMask: string }[]
  /** Of the default route; it goes before that of DHCP. */
  readonly gateway: string | null
  readonly dhcpv4: DhcpSettings
  readonly ipv6: readonly { readonly address: string; readonly prefixLength: number }[]
  readonly ipv6Gateway: string | null
  /**
   * Servers and domains from DHCPv6 (RFC 8415 6.1), once a router says that there is a server: also addresses on a machine
   * with `addresses`, else none.
   */
  readonly dhcpv6: Omit<DhcpSettings, 'useGateway'> & { readonly addresses?: true | undefined }
  /** Addresses and routes that routers advertise are taken (RFC 4862). */
  readonly slaac: boolean
  /** They are asked before those of DHCP. */
  readonly nameServers: readonly string[]
}

/** The parts of a DHCP server's answer that are used. Those that the machine cannot set are absent. */
export interface DhcpSettings {
  readonly enabled: boolean
  readonly useDns?: boolean | undefined
  readonly useDomain?: boolean | undefined
  readonly useGateway?: boolean | undefined
  readonly useNtp?: boolean | undefined
}

/** The name of a machine: a label and its domain, which may be empty. */
export interface HostNames {
  readonly hostName: string
  readonly domain: string
}

/** Settings that all ports of a machine share. */
export interface SharedSettings extends HostNames {
  /** Whether anybody is asked for the time. */
  readonly ntp: boolean
  /** Names and addresses of those who are asked before those that DHCP names. */
  readonly timeServers: readonly string[]
}

export interface PortState {
  /** Six pairs of hex digits, upper case, with colons; all zero if unknown. */
  readonly mac: string
  readonly linkUp: boolean
  /** Mbit/s and full duplex; undefined if unknown. */
  readonly speed: number | undefined
  readonly fullDuplex: boolean | undefined
  readonly ipv4: readonly Ipv4Address[]
  readonly ipv6: readonly Ipv6Address[]
  /** Of the default route of IPv6; absent without one, or if unknown. */
  readonly ipv6Gateway?: string
  /** Addresses of the servers that resolve names; absent if they are not known. */
  readonly nameServers?: readonly string[]
  /** The addresses of servers that know the time, which DHCP named. */
  readonly ntpServers?: readonly string[]
  /** Whether it can be opened for frames of LLDP. */
  readonly hasLldp?: true
  /** Its settings; absent if they are read-only, and while they are not known. */
  readonly settings?: PortSettings
}

/** The information that a station sends to the other end of its cable (IEEE 802.1AB). */
export interface LldpInformation {
  readonly chassisId: LldpId
  readonly portId: LldpId
  /** Seconds for which it is valid; 0: the station is about to leave. */
  readonly ttl: number
  readonly portDescription?: string
  readonly systemName?: string
  readonly systemDescription?: string
  /** Its capabilities, and those that are enabled. */
  readonly capabilities?: { readonly able: readonly LldpCapability[]; readonly enabled: readonly LldpCapability[] }
  readonly managementAddresses: readonly { readonly family: 'IPv4' | 'IPv6' | 'MAC'; readonly address: string }[]
}

/** The kinds of names that a chassis or a port can have. */
export type LldpIdKind =
  | ('chassisComponent' | 'portComponent' | 'interfaceAlias' | 'interfaceName')
  | ('mac' | 'network' | 'agentCircuit' | 'local')

export interface LldpId {
  readonly kind: LldpIdKind
  /** MAC addresses in upper case with colons, IP addresses in their usual form, others as they are: bytes that are no text in hex. */
  readonly value: string
}

/** In the order of their bits. */
export const lldpCapabilities = [
  'other',
  'repeater',
  'bridge',
  'accessPoint',
  'router',
  'telephone',
  'cableModem',
  'station'
] as const

export type LldpCapability = (typeof lldpCapabilities)[number]

/** A port that is open for frames of LLDP: whole Ethernet frames. */
export interface LldpLink {
  /** @throws {HalError} when the device fails; a frame that it has no room for is lost */
  send(frame: Uint8Array): void
  close(): void
}

/** The traffic counters of a network port. */
export type LinkCounters = {
  readonly [C in `${'received' | 'sent'}${'Bytes' | 'Frames' | 'Errors' | 'Discards'}`]: number
}

/** One network port of the controller itself. */
export interface Port {
  /** As it was when it was last looked at. From memory: cheap, never fails. */
  readonly state: PortState

  /** Its present counters. Cheap, never fails: undefined if they cannot be read. */
  counters(): LinkCounters | undefined

  /** Other programs set it up too: it stores its settings, and has no part in those that ports share. */
  readonly isShared?: true

  /** Whether it wants the addresses of servers that know the time: it does not look names up itself. */
  readonly needsAddresses: boolean

  /**
   * Sets the port up. Settles when that is done; a lease comes when it comes.
   *
   * @throws {HalError} `EINVAL` if it is read-only or cannot have these settings, `ETIMEDOUT` if they do not apply in time,
   *   `ENODEV` while the program that does it is away, `EIO` and others when it fails
   */
  configure(settings: PortSettings, shared: SharedSettings): Promise<void>

  /**
   * Opens it for frames of LLDP; absent if it has no such access. `received` is called with each frame that arrives.
   *
   * @throws {HalError} `EACCES` if the operating system does not let this process, `ENODEV`
   */
  readonly openLldp?: (received: (frame: Uint8Array) => void) => LldpLink

  /** Calls `listener` when the state has changed; the function returned ends that. */
  on(listener: (state: PortState) => void): () => void

  /** Lets go of all listeners; the port stays as it is. */
  close(): Promise<void>
}
