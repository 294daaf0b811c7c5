import { readGuid } from './uefi/guid.ts'

/** Inventory as the firmware of a host tells it: SMBIOS structures (DSP0134), as in /sys/firmware/dmi/tables/DMI. */
export interface Smbios {
  readonly biosVersion?: string | undefined
  readonly manufacturer?: string | undefined
  readonly model?: string | undefined
  readonly serialNumber?: string | undefined
  readonly sku?: string | undefined
  /** Of the chassis. */
  readonly assetTag?: string | undefined
  /** RFC 9562, in small letters. */
  readonly uuid?: string | undefined
  /** Sockets with a processor in them, and slots with a module, in their order. */
  readonly processors: readonly SmbiosProcessor[]
  readonly memory: readonly SmbiosMemory[]
}

interface SmbiosProcessor {
  readonly socket: string
  readonly manufacturer: string
  readonly model: string
  readonly cores: number
  readonly threads: number
  readonly maxSpeedMHz: number
}

interface SmbiosMemory {
  readonly location: string
  readonly manufacturer: string
  readonly partNumber: string
  readonly serialNumber: string
  readonly capacityMiB: number
  /** Megatransfers a second. */
  readonly speed: number
  readonly ranks: number
}

/** A structure: its fields by their offsets. Fields beyond its end are 0 or empty. */
interface Structure {
  readonly bytes: Uint8Array
  word(at: number): number
  text(at: number): string
}

/** Types of structures, and the lengths of their heads and names. */
const type = { bios: 0, system: 1, chassis: 3, processor: 4, memory: 17, end: 127 } as const
const head = 4

/** The most structures, and processors or modules, that are looked at. */
const most = { structures: 4096, parts: 256 } as const

/**
 * Reads tables. Structures of other types are passed over.
 *
 * @returns why not, where they are damaged: all of it is taken or nothing
 */
export function readSmbios(bytes: Uint8Array): Smbios | string {
  const found = new Map<number, Structure[]>()
  let at = 0
  for (let count = 0; at < bytes.length; count += 1) {
    const length = bytes[at + 1] ?? 0
    const strings = at + length
    if (length < head || strings + 2 > bytes.length) return `the structure at ${at} has no end`
    if (count >= most.structures) return 'there are too many structures'
    let end = strings
    while (end + 1 < bytes.length && (bytes[end] !== 0 || bytes[end + 1] !== 0)) end += 1
    if (end + 1 >= bytes.length) return `the texts of the structure at ${at} have no end`
    const kind = bytes[at]!
    if (kind === type.end) break
    const same = found.get(kind) ?? []
    if (same.length < most.parts) same.push(structure(bytes.subarray(at, strings), bytes.subarray(strings, end)))
    found.set(kind, same)
    at = end + 2
  }
  if (found.size === 0) return 'there are no structures'
  const [bios] = found.get(type.bios) ?? []
  const [system] = found.get(type.system) ?? []
  const [chassis] = found.get(type.chassis) ?? []
  return {
    biosVersion: said(bios?.text(5)),
    manufacturer: said(system?.text(4)),
    model: said(system?.text(5)),
    serialNumber: said(system?.text(7)),
    sku: said(system?.text(0x19)),
    assetTag: said(chassis?.text(8)),
    uuid: system && uuidOf(system.bytes.subarray(8, 24)),
    processors: (found.get(type.processor) ?? []).filter(isThere).map(processorOf),
    memory: (found.get(type.memory) ?? []).map(memoryOf).filter(({ capacityMiB }) => capacityMiB > 0)
  }
}

function structure(bytes: Uint8Array, texts: Uint8Array): Structure {
  const byte = (at: number) => bytes[at] ?? 0
  return {
    bytes,
    word: (at) => byte(at) + 256 * byte(at + 1),
    text(at) {
      let start = 0
      for (let left = byte(at) - 1; left > 0 && start >= 0; left -= 1) start = texts.indexOf(0, start) + 1 || -1
      if (byte(at) === 0 || start < 0) return ''
      const end = texts.indexOf(0, start)
      const text = String.fromCharCode(...texts.subarray(start, end < 0 ? undefined : end).subarray(0, longest))
      // Bytes that are no text do not get into answers.
      return text.replace(/[^\x20-\x7e\xa0-\xff]/g, '').trim()
    }
  }
}

/** The most characters of a text that are taken. */
const longest = 256

/** Firmware says nothing in many words. */
function said(text = ''): string | undefined {
  return /^$|^(none|not specified|no asset (tag|information)|default string|system serial number|to be filled by o\.?e\.?m\.?|0+)$/i.test(
    text
  )
    ? undefined
    : text
}

/** None where the firmware has none: all bits are the same (7.2.1). */
function uuidOf(bytes: Uint8Array): string | undefined {
  if (bytes.length < 16 || bytes.every((byte) => byte === 0) || bytes.every((byte) => byte === 0xff)) return undefined
  return readGuid(bytes)
}

/** Bit 6 of the status: the socket has a processor (7.5). */
function isThere({ bytes }: Structure): boolean {
  return ((bytes[0x18] ?? 0) & 0x40) !== 0
}

/** Counts beyond 254 have words of their own. */
function processorOf({ bytes, word, text }: Structure): SmbiosProcessor {
  const count = (at: number, more: number) => (bytes[at] === 0xff ? word(more) : (bytes[at] ?? 0))
  return {
    socket: text(4),
    manufacturer: text(7),
    model: text(0x10),
    cores: count(0x23, 0x2a),
    threads: count(0x25, 0x2e),
    maxSpeedMHz: word(0x14)
  }
}

/** A size in MiB, or in KiB if its highest bit is set; 0x7fff refers to another field, 0xffff is unknown (7.18). */
function memoryOf({ bytes, word, text }: Structure): SmbiosMemory {
  const size = word(0x0c)
  const extended = word(0x1c) + 65_536 * (word(0x1e) & 0x7fff)
  const plain = size >= 0x8000 ? Math.floor((size & 0x7fff) / 1024) : size
  return {
    location: text(0x10),
    manufacturer: text(0x17),
    partNumber: text(0x1a),
    serialNumber: text(0x18),
    capacityMiB: size === 0xffff ? 0 : size === 0x7fff ? extended : plain,
    speed: word(0x15),
    ranks: (bytes[0x1b] ?? 0) & 0x0f
  }
}
