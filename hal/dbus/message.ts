import { concatenated, viewOf } from '#runtime/base/bytes.ts'
import { HalError } from '../errors.ts'
import { isBusName, isInterface, isMember } from './names.ts'
import { type KeepEntries, Reader, type Value, Variant, Writer } from './values.ts'

/** The types of messages by their numbers. */
const kinds = { 1: 'call', 2: 'return', 3: 'error', 4: 'signal' } as const

type Kind = (typeof kinds)[keyof typeof kinds]

/** Names and values that a message may have beside its content; D-Bus calls them header fields. */
interface Fields {
  readonly path?: string
  readonly interface?: string
  readonly member?: string
  readonly error?: string
  /** The serial number of the call that it answers. */
  readonly answers?: number
  readonly destination?: string
  /** The unique name of the connection that sent it: the bus writes it. */
  readonly sender?: string
  readonly signature?: string
  /** How many descriptors come with it. */
  readonly descriptors?: number
}

export interface Header extends Fields {
  readonly kind: Kind
  readonly serial: number
  /** Of a call: whether an answer would be discarded. */
  readonly isUnanswered: boolean
}

/** The header fields by their numbers: our name, the type of the variant, and whether a value is valid. */
const fields: Readonly<Record<number, readonly [keyof Fields, 'o' | 's' | 'u' | 'g', (value: never) => boolean]>> = {
  1: ['path', 'o', () => true],
  2: ['interface', 's', isInterface],
  3: ['member', 's', isMember],
  4: ['error', 's', isInterface],
  5: ['answers', 'u', (serial: number) => serial > 0],
  6: ['destination', 's', isBusName],
  7: ['sender', 's', isBusName],
  8: ['signature', 'g', () => true],
  9: ['descriptors', 'u', () => true]
}

/** The fields without which a message of a type is not valid. */
const required: Readonly<Record<Kind, readonly (keyof Fields)[]>> = {
  call: ['path', 'member'],
  return: ['answers'],
  error: ['error', 'answers'],
  signal: ['path', 'interface', 'member']
}

/** Before the fields: the byte order, type, flags, version, the length of the body, the serial number, that of the fields. */
export const prefixLength = 16
const noAnswerExpected = 1
const version = 1
/** Of the specification: of the fields, of a whole message. */
const longestFields = 2 ** 26
const longestMessage = 2 ** 27

const fault = (what: string) => new HalError('EIO', `dbus: a message has ${what}`)

/** How long a message is, and where its body starts. */
export interface Frame {
  readonly start: number
  readonly length: number
}

/**
 * Reads the first 16 bytes of a message.
 *
 * @throws {HalError} `EIO` if there is no telling where the next message starts
 */
export function frameOf(prefix: Uint8Array): Frame {
  const view = viewOf(prefix)
  const isLittle = isLittleEndian(prefix)
  if (prefix[3] !== version) throw fault('another version')
  const fieldsLength = view.getUint32(12, isLittle)
  const start = Math.ceil((prefixLength + fieldsLength) / 8) * 8
  const length = start + view.getUint32(4, isLittle)
  if (fieldsLength > longestFields || length > longestMessage) throw fault('an invalid length')
  return { start, length }
}

function isLittleEndian([order]: Uint8Array): boolean {
  if (order !== 0x6c && order !== 0x42) throw fault('no byte order')
  return order === 0x6c
}

/**
 * Reads all before the body.
 *
 * @param head of a message, up to its body
 * @returns undefined for a type that is not known: the specification has it ignored
 * @throws {HalError} `EIO` if it is not valid
 */
export function readHeader(head: Uint8Array): Header | undefined {
  const isLittle = isLittleEndian(head)
  const reader = new Reader(head, isLittle, 12)
  const [listed] = reader.values('a(yv)') as [[number, Variant][]]
  reader.align(8)
  reader.end()
  const kind = kinds[head[1] as keyof typeof kinds]
  const serial = viewOf(head).getUint32(8, isLittle)
  if (serial === 0 || head[1] === 0) throw fault('no serial number, or no type')
  const found: Record<string, unknown> = {}
  for (const [number, { signature, value }] of listed) {
    const [name, type, isValid] = fields[number] ?? []
    if (number === 0 || (name !== undefined && (signature !== type || name in found || !isValid?.(value as never))))
      throw fault(`an invalid field ${number}`)
    if (name !== undefined) found[name] = value
  }
  if (kind === undefined) return undefined
  const missing = required[kind].find((name) => !(name in found))
  if (missing !== undefined) throw fault(`no ${missing}`)
  return { ...(found as Fields), kind, serial, isUnanswered: ((head[2] ?? 0) & noAnswerExpected) !== 0 }
}

/**
 * Reads the body.
 *
 * @param body aligned as in its message, to 8 bytes
 * @param keeps what is kept of large dictionaries
 * @throws {HalError} `EIO` if it is not as the header says
 */
export function readBody({ signature = '' }: Header, order: number, body: Uint8Array, keeps?: KeepEntries): Value[] {
  const reader = new Reader(body, isLittleEndian(Uint8Array.of(order)), 0, keeps)
  const values = reader.values(signature)
  reader.end()
  return values
}

/** @throws {HalError} `EINVAL` for a name that is not valid, or a value that is not of its type */
export function writeMessage(header: Header, values: readonly Value[] = []): Uint8Array {
  const body = new Writer()
  body.values(header.signature ?? '', values)
  const content = body.written()
  const listed: Value[] = []
  for (const [number, [name, type, isValid]] of Object.entries(fields)) {
    const value = header[name]
    if (value === undefined) continue
    if (!isValid(value as never)) throw new HalError('EINVAL', `dbus: ${name} ${value} is not valid`)
    listed.push([Number(number), new Variant(type, value)])
  }
  const head = new Writer()
  const kind = Number(Object.entries(kinds).find(([, each]) => each === header.kind)?.[0])
  head.values('yyyyuua(yv)', [
    ...[0x6c, kind, header.isUnanswered ? noAnswerExpected : 0, version],
    ...[content.length, header.serial, listed]
  ])
  head.align(8)
  return concatenated([head.written(), content])
}
