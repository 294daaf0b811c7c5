import { maskOf, prefixLengthOf } from '#runtime/base/ip.ts'
import type { DhcpSettings, PortSettings, SharedSettings } from '../ports.ts'

/** The lines of a file that tells the privileged program how to set a port up (deploy/image/init/port_settings.h). */
export function settingsText(serial: number, settings: PortSettings, shared: SharedSettings): string {
  const { enabled, mtu, vlan, ipv4, gateway, dhcpv4, ipv6, ipv6Gateway, dhcpv6, slaac, nameServers } = settings
  const lines = [
    `serial ${serial}`,
    `enabled ${enabled ? 1 : 0}`,
    `mtu ${mtu}`,
    ...(vlan?.enabled ? [`vlan ${vlan.id} ${vlan.priority}`] : []),
    ...ipv4.map(({ address, subnetMask }) => `address ${address}/${prefixLengthOf(subnetMask)}`),
    ...ipv6.map(({ address, prefixLength }) => `address ${address}/${prefixLength}`),
    ...[gateway, ipv6Gateway].flatMap((each) => (each === null ? [] : [`gateway ${each}`])),
    ...(dhcpv4.enabled ? [`dhcp${usedOf(dhcpv4)}`] : []),
    ...(dhcpv6.enabled ? [`dhcp6${usedOf({ ...dhcpv6, useGateway: false })}`] : []),
    `slaac ${slaac ? 1 : 0}`,
    ...nameServers.map((each) => `nameserver ${each}`),
    `hostname ${shared.hostName}`,
    ...(shared.domain === '' ? [] : [`domain ${shared.domain}`]),
    `ntp ${shared.ntp ? 1 : 0}`,
    ...shared.timeServers.map((each) => `timeserver ${each}`)
  ]
  return `${lines.join('\n')}\n`
}

/** A word for each thing that is used, after a space each. */
function usedOf({ useDns, useDomain, useGateway, useNtp }: Omit<DhcpSettings, 'enabled'>): string {
  const used = { dns: useDns, domain: useDomain, gateway: useGateway, ntp: useNtp }
  return Object.entries(used)
    .map(([word, isUsed]) => (isUsed ? ` ${word}` : ''))
    .join('')
}

/** The parts of an answer that a line names as used; without the line all are. */
function readUsed(line: string | undefined): DhcpSettings {
  const words = (line ?? 'dns domain gateway ntp').split(' ')
  return {
    enabled: line !== undefined,
    useDns: words.includes('dns'),
    useDomain: words.includes('domain'),
    useGateway: words.includes('gateway'),
    useNtp: words.includes('ntp')
  }
}

/** The answer of the privileged program. */
export interface PortAnswer {
  readonly serial: number
  /** 0, or the errno of carrying the settings out. */
  readonly result: number
  /** The device that has the addresses. */
  readonly carrier: string
  readonly lease: string | undefined
  readonly ntpServers: readonly string[]
  readonly settings: PortSettings
}

/** Reads an answer (deploy/image/init/network.h). */
export function readAnswer(text: string): PortAnswer {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => /^(\S+) ?(.*)$/.exec(line)?.slice(1) ?? [])
  const all = (name: string) => lines.flatMap(([key, value = '']) => (key === name ? [value] : []))
  const vlan = all('vlan')[0]
  const { useGateway: _, ...dhcpv6 } = readUsed(all('dhcp6')[0])
  const [id = 1, priority = 0] = vlan?.split(' ').map(Number) ?? []
  const addresses = all('address').map((each) => each.split('/') as [string, string])
  const gateways = all('gateway')
  return {
    serial: Number(all('serial')[0] ?? 0),
    result: Number(all('result')[0] ?? 0),
    carrier: all('carrier')[0] ?? '',
    lease: all('lease')[0],
    ntpServers: all('lease-ntp'),
    settings: {
      enabled: all('enabled')[0] === '1',
      mtu: Number(all('mtu')[0] ?? 1500),
      vlan: { enabled: vlan !== undefined, id, priority },
      ipv4: addresses
        .filter(([address]) => !address.includes(':'))
        .map(([address, length]) => ({ address, subnetMask: maskOf(Number(length)) })),
      gateway: gateways.find((each) => !each.includes(':')) ?? null,
      dhcpv4: readUsed(all('dhcp')[0]),
      ipv6: addresses
        .filter(([address]) => address.includes(':'))
        .map(([address, length]) => ({ address, prefixLength: Number(length) })),
      ipv6Gateway: gateways.find((each) => each.includes(':')) ?? null,
      dhcpv6,
      slaac: all('slaac')[0] === '1',
      nameServers: all('nameserver')
    }
  }
}
