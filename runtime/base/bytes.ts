const encoder = new TextEncoder()
const decoder = new TextDecoder()
const strictDecoder = new TextDecoder('utf-8', { fatal: true })

/** By table: the keys of a host are 10,000 bytes and more, and the binary has an interpreter. */
const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** The value of each digit, by its character code. */
const values = new Uint8Array(256)
for (const digit of '0123456789abcdefABCDEF') values[digit.charCodeAt(0)] = Number.parseInt(digit, 16)

/** Two hex digits for each byte. */
export function hex(data: Uint8Array): string {
  let digits = ''
  for (const byte of data) digits += pairs[byte]
  return digits
}

/** The bytes of a text that `hex` wrote; capital letters are accepted. */
export function bytes(digits: string): Uint8Array {
  const codes = utf8(digits)
  const data = new Uint8Array(codes.length >> 1)
  for (let at = 0; at < data.length; at += 1) data[at] = (values[codes[2 * at]!]! << 4) | values[codes[2 * at + 1]!]!
  return data
}

/** Whether a text is standard base64 (RFC 4648, section 4) with its padding. */
export function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
}

/** The bytes of standard base64 (RFC 4648, section 4). @throws DOMException for any other text */
export function fromBase64(text: string): Uint8Array {
  const characters = atob(text)
  const data = new Uint8Array(characters.length)
  for (let at = 0; at < data.length; at += 1) data[at] = characters.charCodeAt(at)
  return data
}

/** Standard base64 (RFC 4648, section 4), with padding. */
export function toBase64(data: Uint8Array): string {
  let characters = ''
  for (const byte of data) characters += String.fromCharCode(byte)
  return btoa(characters)
}

/** A text in UTF-8. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text)
}

/** The text of bytes in UTF-8, with a replacement character for each invalid sequence. */
export function utf8Text(data?: ArrayBuffer | Uint8Array): string {
  return decoder.decode(data)
}

/** The text of bytes in UTF-8. @throws TypeError for an invalid sequence */
export function strictUtf8Text(data?: Uint8Array): string {
  return strictDecoder.decode(data)
}

/** The numbers in some bytes, at offsets within these. */
export function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength)
}

export function concatenated(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Whether both have the same bytes. A plain loop: in the binary a call for each byte takes many times as long. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  const { length } = left
  if (length !== right.length) return false
  for (let at = 0; at < length; at += 1) if (left[at] !== right[at]) return false
  return true
}
