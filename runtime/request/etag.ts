import { createHash } from 'node:crypto'

/**
 * Entity tags are weak, but compared as opaque text (supplement to RFC 9110 8.8.3: the strong comparison that `If-Match`
 * asks for would never hold for them). A missing `W/` and missing quotes still match; `*` matches whatever exists.
 */

/** How many hexadecimal digits stand for a text. */
const digits = 16

/**
 * The tag of an answer: `W/"<hex>"`, a digest of its text.
 *
 * @param state of an answer that also shows what moves by itself, such as sensors: hexadecimal digits for all the rest.
 *   They come first in the tag, for `If-Match` to rest on them alone.
 */
export function entityTag(text: string, state: string): string {
  return `W/"${state}${createHash('sha256').update(text).digest('hex').slice(0, digits)}"`
}

/** How many of these digits are the time of an answer that shows it: milliseconds, until the year 2527. */
const timeDigits = 11

/**
 * The same of an answer that shows the time, which a cached answer changes without a digest.
 *
 * @param still the text without the time
 */
export function timedTag(still: string, state: string, now: Date): string {
  return tagAt(entityTag(still, state), now)
}

/** A tag as it is at another time. */
export function tagAt(tag: string, now: Date): string {
  return `${tag.slice(0, -timeDigits - 1)}${tagTime(now)}"`
}

/** The digits of a time in a tag. */
export function tagTime(now: Date): string {
  return now.getTime().toString(16).padStart(timeDigits, '0')
}

/** The digits of a tag that are the time. */
export function timePart(tag: string): string {
  return tag.slice(-timeDigits - 1, -1)
}

/**
 * Whether a header's list of tags has the tag.
 *
 * @returns undefined when the header is not a list of tags
 */
export function matches(header: string, tag: string): boolean | undefined {
  return listed(header, tag, (each) => each)
}

/** As `matches`, but nothing that moves by itself counts: a change may be made while temperatures move. */
export function matchesState(header: string, tag: string): boolean | undefined {
  return listed(header, tag, (each) => (each.length > digits ? each.slice(0, -digits) : each))
}

function listed(header: string, tag: string, part: (tag: string) => string): boolean | undefined {
  const list = header.split(',').map((each) => opaque(each.trim()))
  if (list.some((each) => each === undefined)) return undefined
  const wanted = part(opaque(tag)!)
  return list.some((each) => each === '*' || part(each!) === wanted)
}

function opaque(tag: string): string | undefined {
  const bare = tag.startsWith('W/') ? tag.slice(2) : tag
  const match = /^"([^"]*)"$|^([^"\s]+)$/.exec(bare)
  return match === null ? undefined : (match[1] ?? match[2])
}
