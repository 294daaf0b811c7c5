import { hex } from '#runtime/base/bytes.ts'
import { readGuid } from './uefi/guid.ts'

/** Inventory as an EEPROM has it: IPMI Platform Management FRU Information Storage Definition v1.0, revision 1.3. */
export interface Fru {
  readonly manufacturer?: string | undefined
  readonly model?: string | undefined
  readonly partNumber?: string | undefined
  readonly serialNumber?: string | undefined
  readonly assetTag?: string | undefined
  /** Of the enclosure; by default those above. */
  readonly chassisPartNumber?: string | undefined
  readonly chassisSerialNumber?: string | undefined
  /** Of the board alone, if the EEPROM describes it. */
  readonly board?: FruBoard | undefined
  /** RFC 9562, in small letters. */
  readonly uuid?: string | undefined
  /** Fields that a maker has added and that are one, in the order in which they stand: `02:00:00:00:0A:01`. */
  readonly macs: readonly string[]
}

interface FruBoard {
  readonly manufacturer?: string | undefined
  readonly model?: string | undefined
  readonly partNumber?: string | undefined
  readonly serialNumber?: string | undefined
  /** ISO 8601, to the minute. */
  readonly madeAt?: string | undefined
}

/** Of the versions that the format's parts say they have. */
const version = 1

/** Multiples of this are where areas begin, and how long they are. */
const unit = 8

/** The type and length that ends the fields of an area (clause 9). */
const lastField = 0xc1

/** The fields that each area has, in their order, and the bytes before them. */
const areas = {
  chassis: { at: 2, head: 3, fields: ['partNumber', 'serialNumber'] },
  board: { at: 3, head: 6, fields: ['manufacturer', 'model', 'serialNumber', 'partNumber', 'file'] },
  product: {
    at: 4,
    head: 3,
    fields: ['manufacturer', 'model', 'partNumber', 'version', 'serialNumber', 'asset', 'file']
  }
} as const

/** A record of the type "management access" that has the UUID of the system (clause 18.5). */
const multirecord = { at: 5, head: 5, type: 3, isLast: 0x80, version: 2, uuid: 7 } as const

/**
 * Reads the FRU information in an EEPROM. The board area supplies fields that the product area lacks.
 *
 * @returns the fault if it is damaged: the whole area is used, or nothing of it
 */
export function readFru(bytes: Uint8Array): Fru | string {
  if (bytes.length < unit || (bytes[0]! & 0x0f) !== version) return 'there is no FRU information'
  if (sum(bytes.subarray(0, unit)) !== 0) return 'the checksum of the header is wrong'
  try {
    const chassis = readArea(bytes, 'chassis')
    const board = readArea(bytes, 'board')
    const product = readArea(bytes, 'product')
    const more = [...board.more, ...product.more, ...chassis.more]
    const of = (name: string) => product.fields.get(name) ?? board.fields.get(name)
    return {
      manufacturer: of('manufacturer'),
      model: of('model'),
      partNumber: of('partNumber'),
      serialNumber: of('serialNumber'),
      assetTag: product.fields.get('asset'),
      chassisPartNumber: chassis.fields.get('partNumber') ?? of('partNumber'),
      chassisSerialNumber: chassis.fields.get('serialNumber') ?? of('serialNumber'),
      board: board.bytes && {
        manufacturer: board.fields.get('manufacturer'),
        model: board.fields.get('model'),
        partNumber: board.fields.get('partNumber'),
        serialNumber: board.fields.get('serialNumber'),
        madeAt: madeAt(board.bytes)
      },
      uuid: readUuid(bytes),
      macs: more.flatMap((text) => macOf(text) ?? [])
    }
  } catch (error) {
    if (error instanceof Damage) return error.message
    throw error
  }
}

class Damage extends Error {}

interface Area {
  readonly fields: ReadonlyMap<string, string>
  /** Those that the maker has added. */
  readonly more: readonly string[]
  /** Undefined if it is not there. */
  readonly bytes?: Uint8Array
}

function readArea(bytes: Uint8Array, name: keyof typeof areas): Area {
  const { at, head, fields } = areas[name]
  const start = bytes[at]! * unit
  const known = new Map<string, string>()
  const more: string[] = []
  if (start === 0) return { fields: known, more }
  const area = bytes.subarray(start, start + (bytes[start + 1] ?? 0) * unit)
  if (area.length < unit || area.length !== area[1]! * unit) throw new Damage(`the area of the ${name} has no end`)
  if ((area[0]! & 0x0f) !== version) throw new Damage(`the area of the ${name} has another version`)
  if (sum(area) !== 0) throw new Damage(`the checksum of the ${name} is wrong`)
  const last = area.length - 1
  for (let at = head, index = 0; area[at] !== lastField; index += 1) {
    if (at >= last) throw new Damage(`the fields of the ${name} have no end`)
    const length = area[at]! & 0x3f
    if (at + 1 + length > last) throw new Damage(`a field of the ${name} is longer than its area`)
    const text = readText(area[at]! >> 6, area.subarray(at + 1, at + 1 + length))
    const field = fields[index]
    if (field === undefined) more.push(text)
    else if (text !== '') known.set(field, text)
    at += 1 + length
  }
  return { fields: known, more, bytes: area }
}

/** The minutes since 1996 in the head of the board's area (clause 11); 0 if it does not say. */
function madeAt(area: Uint8Array): string | undefined {
  const minutes = area[3]! | (area[4]! << 8) | (area[5]! << 16)
  return minutes === 0 ? undefined : `${new Date(Date.UTC(1996, 0) + minutes * 60_000).toISOString().slice(0, 19)}Z`
}

/** A field as text, by how it is written (clause 13): as bytes, BCD plus, six bits for a character, or one byte. */
function readText(kind: number, bytes: Uint8Array): string {
  if (kind === 0) return hex(bytes)
  if (kind === 1)
    return [...bytes]
      .map((byte) => `${bcd[byte >> 4]}${bcd[byte & 0x0f]}`)
      .join('')
      .trim()
  const text = kind === 2 ? sixBits(bytes) : [...bytes].map((byte) => String.fromCharCode(byte)).join('')
  // Bytes that are no text do not get into answers.
  return text.replace(/[^\x20-\x7e\xa0-\xff]/g, '').trim()
}

const bcd = [...'0123456789 -.   ']

function sixBits(bytes: Uint8Array): string {
  let text = ''
  for (let bit = 0; bit + 6 <= bytes.length * 8; bit += 6) {
    const pair = bytes[bit >> 3]! | ((bytes[(bit >> 3) + 1] ?? 0) << 8)
    text += String.fromCharCode(0x20 + ((pair >> (bit & 7)) & 0x3f))
  }
  return text
}

function macOf(text: string): string | undefined {
  const [digits] = /^[\dA-Fa-f]{12}$/.exec(text.replace(/^MAC[=: ]/i, '').replaceAll(/[:-]/g, '')) ?? []
  return digits?.toUpperCase().replace(/..(?=.)/g, '$&:')
}

function readUuid(bytes: Uint8Array): string | undefined {
  let at = bytes[multirecord.at]! * unit
  if (at === 0) return undefined
  for (;;) {
    const head = bytes.subarray(at, at + multirecord.head)
    const data = bytes.subarray(at + multirecord.head, at + multirecord.head + (head[2] ?? 0))
    if (head.length < multirecord.head || data.length !== head[2]) throw new Damage('the records have no end')
    if ((head[1]! & 0x0f) !== multirecord.version) throw new Damage('a record has another version')
    if (sum(head) !== 0 || ((sum(data) + head[3]!) & 0xff) !== 0) throw new Damage('the checksum of a record is wrong')
    if (head[0] === multirecord.type && data[0] === multirecord.uuid && data.length === 17) return readGuid(data, 1)
    if ((head[1]! & multirecord.isLast) !== 0) return undefined
    at += multirecord.head + data.length
  }
}

/** All checksums make the sum of their bytes zero. */
function sum(bytes: Uint8Array): number {
  return bytes.reduce((total, byte) => total + byte, 0) & 0xff
}
