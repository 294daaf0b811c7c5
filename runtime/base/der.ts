/**
 * DER (ITU-T X.690): a writer of just what certificates need, and a strict reader. Encoding is all there is here; the
 * meaning of what is written or read belongs to the caller.
 */

import { concatenated, utf8, utf8Text } from './bytes.ts'

/** Universal tags in use (X.680, section 8.6). */
export const Tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31
} as const

/** An element with `tag` and the concatenation of `content`. */
export function element(tag: number, ...content: Uint8Array[]): Uint8Array {
  const size = content.reduce((sum, part) => sum + part.length, 0)
  const length: number[] = []
  if (size < 0x80) {
    length.push(size)
  } else {
    for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) length.unshift(rest % 256)
    length.unshift(0x80 | length.length)
  }
  return concatenated([Uint8Array.of(tag, ...length), ...content])
}

export const sequence = (...content: Uint8Array[]) => element(Tag.sequence, ...content)

/** A SET; DER wants the elements of a SET OF in ascending order, which is the caller's to see to. */
export const set = (...content: Uint8Array[]) => element(Tag.set, ...content)

/** A context-specific constructed element, `[number] EXPLICIT`. */
export const explicit = (number: number, ...content: Uint8Array[]) => element(0xa0 | number, ...content)

/** A context-specific primitive element, `[number] IMPLICIT`. */
export const implicit = (number: number, content: Uint8Array) => element(0x80 | number, content)

export const boolean = (value: boolean) => element(Tag.boolean, Uint8Array.of(value ? 0xff : 0))

/** A non-negative INTEGER of big-endian `bytes`. */
export function integer(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const minimal = bytes.length ? bytes.subarray(start) : Uint8Array.of(0)
  return (minimal[0] ?? 0) & 0x80 ? element(Tag.integer, Uint8Array.of(0), minimal) : element(Tag.integer, minimal)
}

export const octetString = (bytes: Uint8Array) => element(Tag.octetString, bytes)

/** A BIT STRING whose last byte has `unused` bits (0 to 7) that do not count. */
export const bitString = (bytes: Uint8Array, unused = 0) => element(Tag.bitString, Uint8Array.of(unused), bytes)

export const utf8String = (text: string) => element(Tag.utf8String, utf8(text))

/** An OBJECT IDENTIFIER from its dotted form. */
export function oid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes: number[] = []
  for (const arc of [first * 40 + second, ...rest]) {
    const groups = [arc % 128]
    for (let high = Math.floor(arc / 128); high > 0; high = Math.floor(high / 128)) groups.unshift((high % 128) | 0x80)
    bytes.push(...groups)
  }
  return element(Tag.oid, Uint8Array.from(bytes))
}

/** A Time as RFC 5280, section 4.1.2.5, wants it: UTCTime up to 2049 and GeneralizedTime from then on. */
export function time(date: Date): Uint8Array {
  const year = date.getUTCFullYear()
  const digits = date.toISOString().replace(/\.\d+|[-:T]/g, '')
  return year >= 1950 && year < 2050
    ? element(Tag.utcTime, utf8(digits.slice(2)))
    : element(Tag.generalizedTime, utf8(digits))
}

/** An element as it was read; `content` and `raw` (with tag and length) are views of the bytes it came from. */
export interface Element {
  tag: number
  content: Uint8Array
  raw: Uint8Array
}

/**
 * Reads the element at the start of `bytes`.
 *
 * @param rules BER, as LDAP has it (RFC 4511 5.1), allows lengths that are longer than they have to be
 * @throws RangeError when it is cut short, has a tag of several bytes or a length that the rules do not allow
 */
export function read(bytes: Uint8Array, rules: 'BER' | 'DER' = 'DER'): Element {
  const tag = bytes[0]
  const first = bytes[1]
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new RangeError('not a DER element')
  let length = first
  let start = 2
  if (first >= 0x80) {
    const count = first & 0x7f
    start += count
    if (count === 0 || count > 4 || bytes.length < start) throw new RangeError('not a DER length')
    length = bytes.subarray(2, start).reduce((sum, byte) => sum * 256 + byte, 0)
    if (rules === 'DER' && (bytes[2] === 0 || length < 0x80)) throw new RangeError('not a DER length')
  }
  if (bytes.length < start + length) throw new RangeError('a DER element is cut short')
  return { tag, content: bytes.subarray(start, start + length), raw: bytes.subarray(0, start + length) }
}

/** The elements that a constructed element consists of. @throws RangeError like {@link read} */
export function children(parent: Element, rules: 'BER' | 'DER' = 'DER'): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < parent.content.length; ) {
    const child = read(parent.content.subarray(at), rules)
    elements.push(child)
    at += child.raw.length
  }
  return elements
}

/** One of the elements of a structure that has so many at least. @throws RangeError when it has not */
export function part(elements: readonly Element[], index: number): Element {
  const found = elements[index]
  if (found === undefined) throw new RangeError('a part of the DER is missing')
  return found
}

/** The dotted form of an OBJECT IDENTIFIER. */
export function dotted(identifier: Element): string {
  const arcs: number[] = []
  let arc = 0
  for (const byte of identifier.content) {
    arc = arc * 128 + (byte & 0x7f)
    if (byte & 0x80) continue
    if (arcs.length) arcs.push(arc)
    else arcs.push(Math.min(Math.floor(arc / 40), 2), arc - 40 * Math.min(Math.floor(arc / 40), 2))
    arc = 0
  }
  return arcs.join('.')
}

/** A UTCTime or GeneralizedTime in the forms that RFC 5280 allows; undefined for any other. */
export function date(element: Element): Date | undefined {
  const text = String.fromCharCode(...element.content)
  const century = element.tag === Tag.utcTime ? (Number(text.slice(0, 2)) < 50 ? '20' : '19') : ''
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(century + text)
  if (!parts) return undefined
  const [, year, month, day, hour, minute, second] = parts
  const parsed = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(parsed.getTime()) ? undefined : parsed
}

/** A DirectoryString or IA5String as text. */
export function text({ tag, content }: Element): string {
  if (tag === Tag.utf8String) return utf8Text(content)
  if (tag !== Tag.bmpString) return String.fromCharCode(...content)
  const units: number[] = []
  for (let at = 0; at + 1 < content.length; at += 2) units.push(content[at]! * 256 + content[at + 1]!)
  return String.fromCharCode(...units)
}
