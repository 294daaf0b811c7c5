import { duration, parseTime } from '#runtime/base/duration.ts'

/** The formats of strings that schemas name. */
export const formats = {
  /** RFC 3339 5.6, of a day that the calendar has. */
  'date-time': { test: (text: string) => parseTime(text) !== undefined },
  /** RFC 3986 3, roughly: a scheme, and no character that has to be escaped. */
  uri: /^[a-z][a-z0-9+.-]*:([!#$&-;=?-[\]_a-z~]|%[0-9a-f]{2})+$/i,
  /** RFC 3986 4.1. */
  'uri-reference': /^([!#$&-;=?-[\]_a-z~]|%[0-9a-f]{2})*$/i,
  /** RFC 9562 4. */
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  duration
} as const
