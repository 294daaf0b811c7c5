import nacl from 'tweetnacl'

/**
 * A license key, signed.
 *
 * @param {{ x: string, d: string }} pair JSON Web Key (RFC 8037)
 * @param {object} claims
 */
export function licenseKey({ x, d }, claims) {
  const encode = (/** @type {string | Uint8Array} */ bytes) => Buffer.from(bytes).toString('base64url')
  const text = `${encode(JSON.stringify({ alg: 'EdDSA' }))}.${encode(JSON.stringify(claims))}`
  const secret = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')])
  return `${text}.${encode(nacl.sign.detached(Buffer.from(text), secret))}`
}
