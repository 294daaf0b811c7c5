import { createHash } from 'node:crypto'
import nacl from 'tweetnacl'

/**
 * The bytes of an update file.
 *
 * @param {{ x: string, d: string }} pair JSON Web Key (RFC 8037)
 * @param {{ board: string, component: string, version: string, minimum?: string }} image
 * @param {Readonly<Record<string, Uint8Array>>} parts by name, in order
 * @param {(signed: Uint8Array) => Uint8Array} [signLms] makes a second signature
 */
export function updateFile({ x, d }, image, parts, signLms) {
  const listed = Object.entries(parts).map(([name, bytes]) => ({
    name,
    length: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex')
  }))
  return signedFile({ x, d }, JSON.stringify({ ...image, parts: listed }), Buffer.concat(Object.values(parts)), signLms)
}

/**
 * The same with a manifest as it is, right or wrong.
 *
 * @param {{ x: string, d: string }} pair
 * @param {string} manifest
 * @param {Uint8Array} content
 * @param {(signed: Uint8Array) => Uint8Array} [signLms]
 */
export function signedFile({ x, d }, manifest, content, signLms) {
  const text = Buffer.from(manifest)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(text.length)
  const signed = Buffer.concat([Buffer.from(signLms ? 'UPDATE2\n' : 'UPDATE1\n'), length, text])
  const secret = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')])
  const second = signLms ? [signLms(signed)] : []
  return Buffer.concat([signed, nacl.sign.detached(signed, secret), ...second, content])
}
