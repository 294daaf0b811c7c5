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
  const codes = new TextEncoder().encode(digits)
  const data = new Uint8Array(codes.length >> 1)
  for (let at = 0; at < data.length; at += 1) data[at] = (values[codes[2 * at]!]! << 4) | values[codes[2 * at + 1]!]!
  return data
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
