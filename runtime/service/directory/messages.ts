/**
 * The messages of LDAP (RFC 4511) that a login takes. Filters are values, never texts: what a client wrote is always the
 * value of a comparison, and can be no other part of a filter.
 */

import { utf8, utf8Text } from '#runtime/base/bytes.ts'
import { boolean, children, type Element, element, integer, part, read, sequence, Tag } from '#runtime/base/der.ts'

/** The result codes that mean something to a login (RFC 4511 4.1.9). */
export const resultCodes = { success: 0, noSuchObject: 32, busy: 51, unavailable: 52 } as const

const startTlsOid = '1.3.6.1.4.1.1466.20037'

/** Active Directory: the value is compared with all members, those of nested groups too. */
const matchingRuleInChain = '1.2.840.113556.1.4.1941'

const enumerated = 0x0a

/** An encoded filter (RFC 4511 4.5.1.7). */
export type Filter = Uint8Array

const text = (value: string, tag: number = Tag.octetString) => element(tag, utf8(value))
const number = (value: number) => integer(Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value))

/** An attribute has a value. */
export const equal = (attribute: string, value: string): Filter => element(0xa3, text(attribute), text(value))
/** At least one of the filters is true; without filters it is false. */
export const any = (...filters: readonly Filter[]): Filter => element(0xa1, ...filters)
/** All filters are true. */
export const all = (...filters: readonly Filter[]): Filter => element(0xa0, ...filters)
/** The object has an attribute. */
export const present = (attribute: string): Filter => text(attribute, 0x87)
/** A group has a member, itself or through other groups; for Active Directory. */
export const memberInChain = (member: string): Filter =>
  element(0xa9, text(matchingRuleInChain, 0x81), text('member', 0x82), text(member, 0x83))

export interface Search {
  readonly base: string
  /** The object itself, or all below it and itself. */
  readonly scope: 'base' | 'subtree'
  readonly filter: Filter
  readonly attributes: readonly string[]
  /** The most entries that the server is to send. */
  readonly most: number
  /** The seconds that the server has. */
  readonly seconds: number
}

/** A simple bind (RFC 4513 5.1). */
export const bindRequest = (name: string, password: string) =>
  element(0x60, number(3), text(name), text(password, 0x80))

export const searchRequest = ({ base, scope, filter, attributes, most, seconds }: Search) =>
  element(
    0x63,
    text(base),
    element(enumerated, Uint8Array.of(scope === 'base' ? 0 : 2)),
    element(enumerated, Uint8Array.of(0)),
    number(most),
    number(seconds),
    boolean(false),
    filter,
    sequence(...attributes.map((each) => text(each)))
  )

export const startTlsRequest = () => element(0x77, text(startTlsOid, 0x80))

export const unbindRequest = () => Uint8Array.of(0x42, 0)

/** A request as it is sent. @param id that the answers have */
export const envelope = (id: number, request: Uint8Array) => sequence(number(id), request)

/** An object of the directory; names of attributes are in small letters. */
export interface Entry {
  readonly dn: string
  readonly attributes: ReadonlyMap<string, readonly string[]>
}

/** A message from a server: an entry, or the result of an operation; a login ignores all other messages. */
export type Answer =
  | { readonly id: number; readonly kind: 'entry'; readonly entry: Entry }
  | { readonly id: number; readonly kind: 'result'; readonly code: number; readonly diagnostic: string }
  | { readonly id: number; readonly kind: 'other' }

/** How many bytes of `bytes` the head of a message and the message itself take; undefined while the head is cut short. */
export function messageLength(bytes: Uint8Array): number | undefined {
  const [tag, first] = bytes
  if (tag !== undefined && tag !== Tag.sequence) throw new RangeError('not a message of LDAP')
  if (first === undefined) return undefined
  if (first < 0x80) return 2 + first
  const start = 2 + (first & 0x7f)
  if (first === 0x80 || start > 6) throw new RangeError('not a message of LDAP')
  if (bytes.length < start) return undefined
  return start + bytes.subarray(2, start).reduce((sum, byte) => sum * 256 + byte, 0)
}

const results: ReadonlySet<number> = new Set([0x61, 0x65, 0x78])

/** Reads a whole message. @throws RangeError for bytes that are not a message */
export function readAnswer(bytes: Uint8Array): Answer {
  const parts = children(read(bytes, 'BER'), 'BER')
  const id = numberOf(part(parts, 0))
  const operation = part(parts, 1)
  if (operation.tag === 0x64) return { id, kind: 'entry', entry: readEntry(operation) }
  if (!results.has(operation.tag)) return { id, kind: 'other' }
  const members = children(operation, 'BER')
  return { id, kind: 'result', code: numberOf(part(members, 0)), diagnostic: textOf(part(members, 2)) }
}

function readEntry(operation: Element): Entry {
  const [name, list] = children(operation, 'BER')
  if (name === undefined || list === undefined) throw new RangeError('not an entry')
  const attributes = new Map<string, readonly string[]>()
  for (const each of children(list, 'BER')) {
    const [type, values] = children(each, 'BER')
    if (type === undefined || values === undefined) throw new RangeError('not an attribute')
    attributes.set(textOf(type).toLowerCase(), children(values, 'BER').map(textOf))
  }
  return { dn: textOf(name), attributes }
}

const textOf = ({ content }: Element) => utf8Text(content)

function numberOf({ content }: Element): number {
  if (content.length === 0 || content.length > 4) throw new RangeError('not a number')
  return content.reduce((sum, byte) => sum * 256 + byte, 0)
}
