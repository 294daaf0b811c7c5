import { fail, isOutOfMemory } from '#runtime/contract'

/** Bounds on a request body: how deep values may nest, and how many there may be. */
export interface BodyLimits {
  readonly jsonDepth: number
  readonly jsonValues: number
}

/** A JSON object as a client sent it. */
export type Body = Readonly<Record<string, unknown>>

/**
 * The JSON object in a request body, or `undefined` for a body of nothing but white space.
 *
 * It must be UTF-8 (RFC 8259 8.1; a byte order mark is ignored) and within the limits, which are checked before a value
 * is made of it. A name given twice has its last value, as in JSON.parse. A member named `__proto__` is one like any
 * other; whoever copies members by name has to refuse it.
 *
 * @throws MessageError 400 MalformedJSON, or UnrecognizedRequestBody where the JSON is no object
 */
export function parseBody(bytes: Uint8Array, limits: BodyLimits): Body | undefined {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const content = marked ? bytes.subarray(3) : bytes
  if (!within(content, limits)) fail(400, 'Base.MalformedJSON')
  const value = parse(content)
  if (value === undefined) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(400, 'Base.UnrecognizedRequestBody')
  return value as Body
}

function parse(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return /^[ \t\r\n]*$/.test(text) ? undefined : JSON.parse(text)
  } catch (error) {
    if (isOutOfMemory(error)) throw error
    return fail(400, 'Base.MalformedJSON')
  }
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Whether a JSON text keeps to the limits. Its values are its commas and opening brackets: a container with n members
 * has n - 1 commas, so the sum is one for each member and each empty container.
 */
function within(bytes: Uint8Array, limits: BodyLimits): boolean {
  let depth = 0
  let values = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === quote) i = endOfString(bytes, i)
    else if (byte === openBrace || byte === openBracket) {
      values++
      if (++depth > limits.jsonDepth) return false
    } else if (byte === closeBrace || byte === closeBracket) depth--
    else if (byte === comma) values++
    if (values > limits.jsonValues) return false
  }
  return true
}

/**
 * The index of the end of the string that starts at a quote. It uses the engine's own search, since most of a long body
 * is strings.
 */
function endOfString(bytes: Uint8Array, start: number): number {
  let end = start
  do {
    end = bytes.indexOf(quote, end + 1)
  } while (end >= 0 && isEscaped(bytes, end))
  return end < 0 ? bytes.length : end
}

function isEscaped(bytes: Uint8Array, at: number): boolean {
  let before = at
  while (bytes[before - 1] === backslash) before--
  return (at - before) % 2 === 1
}
