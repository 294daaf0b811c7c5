import type { BoardManager } from '#data/board'
import { text } from '#data/resource'
import type { LldpCapability, LldpId, LldpInformation, PortState } from '#hal/ports.ts'
import { type State, table } from '#runtime/contract'
import { list, object } from '#runtime/schema'
import { fqdnOf, hostNamesOf } from './settings.ts'

declare module '#runtime/contract' {
  interface Tables {
    /** By `<manager>/<interface>`; absent as long as no client has enabled it. */
    lldp: { enabled: boolean }
  }
  interface Services {
    /** The information that the neighbour of a controller's port sent last; undefined if none is valid. */
    lldpNeighbour(manager: string, ethernetInterface: string): LldpInformation | undefined
  }
}

table('lldp', { survives: ['restart', 'restStateReset'], of: 'network' })

/** Seconds between two frames, and for which one is valid (IEEE 802.1AB-2016, 9.2.5.7 and 9.2.5.22). */
export const lldpTimes = { interval: 30, valid: 120 } as const

/** Whether a port of the controller sends and receives LLDP: off until a client enables it. */
export function lldpEnabled(state: Pick<State, 'get'>, manager: string, ethernetInterface: string): boolean {
  return state.get('lldp', `${manager}/${ethernetInterface}`)?.enabled ?? false
}

/** The information that a port of the controller sends. */
export function lldpInformation(
  state: State,
  id: string,
  manager: BoardManager,
  name: string,
  port: PortState
): LldpInformation {
  const own: LldpId = { kind: 'mac', value: port.mac }
  return {
    chassisId: own,
    portId: own,
    ttl: lldpTimes.valid,
    portDescription: name,
    systemName: fqdnOf(hostNamesOf(state, id, manager)),
    systemDescription: `${manager.model} ${manager.firmwareVersion}`,
    capabilities: { able: ['station'], enabled: ['station'] },
    managementAddresses: [
      ...port.ipv4.slice(0, 1).map(({ address }) => ({ family: 'IPv4' as const, address })),
      ...port.ipv6.slice(0, 1).map(({ address }) => ({ family: 'IPv6' as const, address }))
    ]
  }
}

/** `IEEE802IdSubtype` (DSP0268, Port). */
const subtypes = {
  chassisComponent: 'ChassisComp',
  interfaceAlias: 'IfAlias',
  portComponent: 'PortComp',
  mac: 'MacAddr',
  network: 'NetworkAddr',
  interfaceName: 'IfName',
  agentCircuit: 'AgentId',
  local: 'LocalAssign'
} as const

/** `LLDPSystemCapabilities` (DSP0268, Port). */
const capabilities = {
  other: 'Other',
  repeater: 'Repeater',
  bridge: 'Bridge',
  accessPoint: 'WLANAccessPoint',
  router: 'Router',
  telephone: 'Telephone',
  cableModem: 'DOCSISCableDevice',
  station: 'Station'
} as const satisfies { readonly [C in LldpCapability]: string }

const subtype = { type: 'string', enum: Object.values(subtypes), nullable: true, readonly: true } as const

/** `LLDPTransmit` and `LLDPReceive` of a port. */
export const lldp = object({
  ChassisId: text,
  ChassisIdSubtype: subtype,
  ManagementAddressIPv4: text,
  ManagementAddressIPv6: text,
  ManagementAddressMAC: text,
  PortId: text,
  PortIdSubtype: subtype,
  SystemCapabilities: list({ type: 'string', enum: Object.values(capabilities), readonly: true }),
  SystemDescription: text,
  SystemName: text
})

export function showLldp({ chassisId, portId, managementAddresses, ...told }: LldpInformation) {
  const address = (family: 'IPv4' | 'IPv6' | 'MAC') => {
    const found = managementAddresses.find((each) => each.family === family)
    return found && { [`ManagementAddress${family}`]: found.address }
  }
  return {
    ChassisId: chassisId.value,
    ChassisIdSubtype: subtypes[chassisId.kind],
    PortId: portId.value,
    PortIdSubtype: subtypes[portId.kind],
    ...address('IPv4'),
    ...address('IPv6'),
    ...address('MAC'),
    ...(told.capabilities && { SystemCapabilities: told.capabilities.enabled.map((each) => capabilities[each]) }),
    ...(told.systemDescription !== undefined && { SystemDescription: told.systemDescription }),
    ...(told.systemName !== undefined && { SystemName: told.systemName })
  }
}
