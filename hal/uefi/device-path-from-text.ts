import { bytes, utf8 } from '#runtime/base/bytes.ts'
import { devicePathText } from './device-path.ts'
import { guidBytes, isGuid } from './guid.ts'
import { textBytes } from './text.ts'

type Bytes = readonly number[]

/** The encodings of the data of a node, by the arguments in its brackets. */
type NodeKind = readonly [type: number, subType: number, data: (...values: string[]) => Bytes]

/** By name (UEFI 2.10, 10.3 and 10.6). */
const kinds: Readonly<Record<string, NodeKind>> = {
  Pci: [1, 1, (device, fn) => [...number(1, fn), ...number(1, device)]],
  VenHw: [1, 4, vendor],
  Acpi: [2, 1, numbers(4)],
  PciRoot: [2, 1, (id) => [...pnp(0x0a03), ...number(4, id)]],
  PcieRoot: [2, 1, (id) => [...pnp(0x0a08), ...number(4, id)]],
  Ata: [3, 1, (channel, drive, unit) => [...number(1, channel), ...number(1, drive), ...number(2, unit)]],
  Scsi: [3, 2, numbers(2)],
  USB: [3, 5, numbers(1)],
  VenMsg: [3, 10, vendor],
  MAC: [3, 11, (address, kind) => [...digits(address), ...zeros(26), ...number(1, kind)]],
  IPv4: [3, 12, (remote) => [...zeros(4), ...octets(remote), ...zeros(15)]],
  // The length of the prefix is what firmware gives its own.
  IPv6: [3, 13, (remote = '') => [...zeros(16), ...digits(remote.replaceAll(':', '')), ...zeros(7), 64, ...zeros(16)]],
  Sata: [3, 18, numbers(2)],
  NVMe: [3, 23, (space, id = '') => [...number(4, space), ...digits(id.replaceAll('-', '')).reverse()]],
  Uri: [3, 24, (uri) => [...utf8(uri)]],
  SD: [3, 26, numbers(1)],
  eMMC: [3, 29, numbers(1)],
  HD: [4, 1, partition],
  VenMedia: [4, 3, vendor],
  FvFile: [4, 6, guid],
  Fv: [4, 7, guid]
}

/**
 * The bytes of a device path. Of network addresses it has the remote one alone, which is all that the text has.
 *
 * @param text as {@link devicePathText} writes it
 * @returns undefined for what that would write in another way, and for nodes whose text leaves something out
 */
export function devicePathFromText(text: string): Uint8Array | undefined {
  const bytes: number[] = []
  // Commas, dots and slashes also stand within brackets.
  for (const part of text.match(/[/,]|[^/,(]+(\([^)]*\))?/g) ?? []) {
    if (part === ',') bytes.push(0x7f, 0x01, 4, 0)
    else if (part !== '/') bytes.push(...node(part))
  }
  const path = Uint8Array.of(...bytes, 0x7f, 0xff, 4, 0)
  return devicePathText(path) === text ? path : undefined
}

/** A fault is left out of the path; it shows when the text is compared. */
function node(text: string): Bytes {
  const [, name = '', values] = /^(\w+)\((.*)\)$/s.exec(text) ?? []
  if (values === undefined) return header(4, 4, [...textBytes(text)])
  const parts = values.split(',')
  if (name === 'Path') return header(Number(parts[0]), Number(parts[1]), digits(parts[2]))
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  return kind === undefined ? [] : header(kind[0], kind[1], kind[2](...parts))
}

function header(type: number, subType: number, data: Bytes): Bytes {
  return [type, subType, ...little(2, BigInt(data.length + 4)), ...data]
}

function number(width: number, text = ''): Bytes {
  return little(width, /^(0x[\dA-F]+|\d+)$/.test(text) ? BigInt(text) : 0n)
}

function numbers(width: number) {
  return (...values: string[]) => values.flatMap((each) => number(width, each))
}

function little(width: number, value: bigint): Bytes {
  return Array.from({ length: width }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn))
}

/** A plug and play identifier, `PNP` and four digits, in the compressed form of ACPI. */
function pnp(id: number): Bytes {
  return [0xd0, 0x41, ...little(2, BigInt(id))]
}

function zeros(count: number): Bytes {
  return new Array<number>(count).fill(0)
}

function digits(text = ''): number[] {
  return [...bytes(text.replaceAll(/[^\dA-F]/g, ''))]
}

function octets(text = ''): Bytes {
  return text.split('.').map((octet) => Number(octet) & 0xff)
}

function guid(text = ''): Bytes {
  const name = text.toLowerCase()
  return isGuid(name) ? [...guidBytes(name)] : []
}

function vendor(id?: string, data?: string): Bytes {
  return [...guid(id), ...digits(data)]
}

function partition(index?: string, scheme?: string, signature = '', start?: string, size?: string): Bytes {
  const gpt = scheme === 'GPT'
  const mark = gpt ? guid(signature) : [...number(4, signature), ...zeros(12)]
  return [...number(4, index), ...number(8, start), ...number(8, size), ...mark, gpt ? 2 : 1, gpt ? 2 : 1]
}
