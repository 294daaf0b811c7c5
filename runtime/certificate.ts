import { createHash, generateKeyPair, sign } from 'node:crypto'
import * as der from './der.ts'
import { pem } from './pem.ts'

/** What a self-signed server certificate is made for. */
export interface SelfSigned {
  /** The subject's common name, 1 to 64 characters (RFC 5280, ub-common-name). */
  commonName: string
  /** The names that clients may use: host names in ASCII, IPv4 and IPv6 addresses in their usual text form. */
  altNames: { dns: string[]; ip: string[] }
  /** How long it is valid. */
  days?: number
  now: Date
  /** Random bytes, for the serial number. */
  random: (size: number) => Uint8Array
}

const ecdsaWithSha256 = der.sequence(der.oid('1.2.840.10045.4.3.2'))
const oneDay = 86_400_000

/** Object identifiers of extensions (RFC 5280, section 4.2). */
const extension = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extKeyUsage: '2.5.29.37'
}

/**
 * A P-256 key and a certificate that it signed itself (X.509 v3, RFC 5280), for a TLS server.
 *
 * @returns both as PEM, the key in its SEC 1 form (RFC 5915)
 * @throws RangeError for a name that a certificate cannot hold
 */
export async function selfSigned(wish: SelfSigned): Promise<{ key: string; cert: string }> {
  const name = distinguishedName(wish.commonName)
  const names = der.sequence(...wish.altNames.dns.map(dnsName), ...wish.altNames.ip.map(ipAddress))
  const validity = validFor(wish.now, wish.days ?? 3650)
  const { privateKey, publicKey } = await keyPair()
  const certificate = der.sequence(
    der.explicit(0, der.integer(Uint8Array.of(2))),
    serialNumber(wish.random),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey,
    der.explicit(
      3,
      der.sequence(
        critical(extension.basicConstraints, der.sequence()),
        critical(extension.keyUsage, der.bitString(Uint8Array.of(0x80), 7)),
        ordinary(extension.extKeyUsage, der.sequence(der.oid('1.3.6.1.5.5.7.3.1'))),
        ordinary(extension.subjectKeyIdentifier, der.octetString(keyIdentifier(publicKey))),
        ...(wish.altNames.dns.length + wish.altNames.ip.length ? [ordinary(extension.subjectAltName, names)] : [])
      )
    )
  )
  const signature = sign('sha256', certificate, privateKey)
  return {
    key: privateKey,
    cert: pem('CERTIFICATE', der.sequence(certificate, ecdsaWithSha256, der.bitString(signature)))
  }
}

const critical = (id: string, value: Uint8Array) => der.sequence(der.oid(id), der.boolean(true), der.octetString(value))
const ordinary = (id: string, value: Uint8Array) => der.sequence(der.oid(id), der.octetString(value))

function keyPair(): Promise<{ privateKey: string; publicKey: Uint8Array }> {
  return new Promise((resolve, reject) => {
    const options = {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'der' },
      privateKeyEncoding: { type: 'sec1', format: 'pem' }
    } as const
    generateKeyPair('ec', options, (error, publicKey, privateKey) =>
      error ? reject(error) : resolve({ privateKey, publicKey })
    )
  })
}

function distinguishedName(commonName: string): Uint8Array {
  if (commonName.length < 1 || commonName.length > 64) throw new RangeError('A common name has 1 to 64 characters')
  return der.sequence(der.set(der.sequence(der.oid('2.5.4.3'), der.utf8String(commonName))))
}

/** 16 random bytes, positive and without a leading zero, so that the number always has the same length. */
function serialNumber(random: SelfSigned['random']): Uint8Array {
  const bytes = Uint8Array.from(random(16))
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return der.integer(bytes)
}

/**
 * From a day before now, since clocks differ. A clock that was never set says nothing: then the certificate is valid
 * from 2020 on and has "no well-defined expiration date" (RFC 5280, section 4.1.2.5).
 */
function validFor(now: Date, days: number): Uint8Array {
  return now.getUTCFullYear() < 2020
    ? der.sequence(der.time(new Date('2020-01-01T00:00:00Z')), der.time(new Date('9999-12-31T23:59:59Z')))
    : der.sequence(der.time(new Date(now.getTime() - oneDay)), der.time(new Date(now.getTime() + days * oneDay)))
}

/** The leftmost 160 bits of the SHA-256 hash of the public key (RFC 7093, section 2, method 1). */
function keyIdentifier(publicKey: Uint8Array): Uint8Array {
  const bits = der.children(der.read(publicKey))[1]
  return createHash('sha256').update(bits!.content.subarray(1)).digest().subarray(0, 20)
}

function dnsName(name: string): Uint8Array {
  if (!/^[!-~]{1,253}$/.test(name)) throw new RangeError(`Not a host name: ${JSON.stringify(name)}`)
  return der.implicit(
    2,
    Uint8Array.from(name, (character) => character.charCodeAt(0))
  )
}

function ipAddress(text: string): Uint8Array {
  const bytes = text.includes(':') ? ipv6(text) : ipv4(text)
  if (!bytes) throw new RangeError(`Not an IP address: ${JSON.stringify(text)}`)
  return der.implicit(7, Uint8Array.from(bytes))
}

function ipv4(text: string): number[] | undefined {
  const parts = text.split('.')
  const fine = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)
  return fine ? parts.map(Number) : undefined
}

/** RFC 4291, section 2.2; a zone (`%eth0`) has no meaning outside its host and is left out. */
function ipv6(text: string): number[] | undefined {
  const [head = '', tail, ...rest] = text.replace(/%.*$/, '').split('::')
  const first = groups(head, tail === undefined)
  const last = groups(tail ?? '', true)
  if (!first || !last || rest.length) return undefined
  if (tail === undefined) return first.length === 16 ? first : undefined
  const gap = 16 - first.length - last.length
  return gap >= 2 ? [...first, ...new Array<number>(gap).fill(0), ...last] : undefined
}

/** The bytes of what stands on one side of `::`; the address as a whole may end with one of IPv4. */
function groups(half: string, isLast: boolean): number[] | undefined {
  const bytes: number[] = []
  const parts = half === '' ? [] : half.split(':')
  for (const [index, part] of parts.entries()) {
    const tail = isLast && index === parts.length - 1 ? ipv4(part) : undefined
    if (tail) bytes.push(...tail)
    else if (/^[\da-f]{1,4}$/i.test(part)) bytes.push(Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255)
    else return undefined
  }
  return bytes
}
