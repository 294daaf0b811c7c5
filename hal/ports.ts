/** An IPv4 address; all of it in dotted decimals. */
export interface Ipv4Address {
  readonly address: string
  readonly subnetMask: string
  /** Of the default route, where it goes this way. */
  readonly gateway?: string
  /** Absent where it is not known: to the kernel, an address of DHCP is like another. */
  readonly origin?: 'Static' | 'DHCP'
}

export interface Ipv6Address {
  readonly address: string
  readonly prefixLength: number
  readonly origin: 'Static' | 'LinkLocal' | 'SLAAC'
  /** Whether it may be used (RFC 4862); absent where it is not known. */
  readonly state?: Ipv6State
}

export type Ipv6State = 'Preferred' | 'Deprecated' | 'Tentative' | 'Failed'

export interface PortState {
  /** Six pairs of hex digits, upper case, with colons. */
  readonly mac: string
  readonly linkUp: boolean
  /** Mbit/s, and whether both sides may send at once; undefined where it is not known. */
  readonly speed: number | undefined
  readonly fullDuplex: boolean | undefined
  readonly ipv4: readonly Ipv4Address[]
  readonly ipv6: readonly Ipv6Address[]
  /** Addresses of the servers that resolve names; absent where they are not known. */
  readonly nameServers?: readonly string[]
}

/** One network port of the controller itself. */
export interface Port {
  /** As it was when it was last looked at. From memory: cheap, never fails. */
  readonly state: PortState

  /** Calls `listener` when the state has changed; the function returned ends that. */
  on(listener: (state: PortState) => void): () => void

  /** Lets go of all listeners; the port stays as it is. */
  close(): Promise<void>
}
