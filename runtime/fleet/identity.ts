import { createHash } from 'node:crypto'
import type { Board } from '#data/board'
import type { Group } from '#data/fleet'

/** Each part of an identity that a group's own may replace. */
type Templates = { readonly [part in 'serialNumber' | 'macPrefix' | 'hostName']: string }

const defaults: Templates = { serialNumber: '{board}-{n:5}', macPrefix: '02:4D:4E', hostName: 'bmc-{n:5}' }

/** Controllers have so many MAC addresses each. */
const macsEach = 16

/** A template with its places filled in. */
export function filled(template: string, number: number, board: string): string {
  return template.replace(/\{(n|x|board)(?::(\d{1,2}))?\}/g, (_, name: string, width = '0') =>
    name === 'board' ? board : number.toString(name === 'x' ? 16 : 10).padStart(Number(width), '0')
  )
}

/** A UUID that a seed, a number and a name decide (RFC 9562, version 8). */
function madeUuid(seed: number, number: number, name: string): string {
  const digits = createHash('sha256').update(`${seed}/${number}/${name}`).digest('hex').slice(0, 32)
  const variant = ((Number.parseInt(digits[16]!, 16) & 3) | 8).toString(16)
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, variant + digits.slice(17, 20)]
  return [...parts, digits.slice(20)].join('-')
}

/**
 * The board of one of many controllers: what tells it from the others is its own, all else is the very same objects.
 *
 * @param address at which it is reached; undefined where it has none of its own
 */
export function boardOf(board: Board, group: Group, seed: number, number: number, address: string | undefined): Board {
  const { uuid, systemName } = group.identity ?? {}
  const { serialNumber, macPrefix, hostName } = { ...defaults, ...(group.identity as Partial<Templates>) }
  let macs = 0
  const mac = () => {
    const low = ((number * macsEach + macs++) % 2 ** 24).toString(16).toUpperCase().padStart(6, '0')
    return `${macPrefix}:${low.slice(0, 2)}:${low.slice(2, 4)}:${low.slice(4)}`
  }
  const serial = (own: string) => filled(serialNumber, number, own)
  const managers = mapped(board.managers, (manager, id) => ({
    ...manager,
    uuid: madeUuid(seed, number, `manager/${id}`),
    serviceEntryPointUuid: madeUuid(seed, number, `service/${id}`),
    hostName: filled(hostName, number, manager.hostName),
    ethernetInterfaces: mapped(manager.ethernetInterfaces, (each) => ({
      ...each,
      port: each.port.type === 'sim' ? { ...each.port, mac: mac(), ...ipAt(address) } : each.port
    }))
  }))
  const systems = mapped(board.systems, (system, id) => ({
    ...system,
    ...(systemName !== undefined && { name: filled(systemName, number, system.name) }),
    serialNumber: serial(system.serialNumber),
    uuid: uuid === undefined ? madeUuid(seed, number, `system/${id}`) : filled(uuid, number, system.uuid),
    ethernetInterfaces: mapped(system.ethernetInterfaces, (each) => ({ ...each, mac: mac() }))
  }))
  const chassis = mapped(board.chassis, (each, id) => ({
    ...each,
    serialNumber: serial(each.serialNumber),
    ...(each.enclosure && { enclosure: { ...each.enclosure, uuid: madeUuid(seed, number, `enclosure/${id}`) } })
  }))
  return { ...board, systems, chassis, managers }
}

/** What a simulated port says of its address. */
function ipAt(address: string | undefined): object {
  if (address === undefined) return {}
  if (address.includes(':')) return { ipv4: [], ipv6: [{ address, prefixLength: 128, origin: 'Static' }] }
  return { ipv4: [{ address, subnetMask: '255.255.255.255', origin: 'Static' }], ipv6: [] }
}

/** Things by the same ids, each changed. */
export function mapped<T, U>(
  things: { readonly [id: string]: T },
  change: (thing: T, id: string) => U
): Record<string, U> {
  return Object.fromEntries(Object.entries(things).map(([id, thing]) => [id, change(thing, id)]))
}
