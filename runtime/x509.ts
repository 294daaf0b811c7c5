import { createHash, X509Certificate } from 'node:crypto'
import * as der from './der.ts'
import { fail } from './errors.ts'
import { hex } from './hex.ts'
import { readPem } from './pem.ts'

/** What an X.509 certificate says (RFC 5280). */
export interface Certificate {
  /** In pairs of hex digits with colons between them. */
  readonly serialNumber: string
  readonly issuer: Name
  readonly subject: Name
  readonly notBefore: Date | undefined
  readonly notAfter: Date | undefined
  /** As Redfish names them: what is in the extensions KeyUsage and ExtendedKeyUsage. */
  readonly keyUsage: readonly string[]
  /** The identifier of the kind of its key. */
  readonly keyType: string
}

/** A distinguished name: each attribute in order, by its short name, or its identifier where it has none. */
export type Name = readonly { readonly type: string; readonly value: string }[]

const shortNames: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'emailAddress'
}

/** By bit (RFC 5280, section 4.2.1.3). */
const keyUsages = [
  'DigitalSignature',
  'NonRepudiation',
  'KeyEncipherment',
  'DataEncipherment',
  'KeyAgreement',
  'KeyCertSign',
  'CRLSigning',
  'EncipherOnly',
  'DecipherOnly'
] as const

/** RFC 5280, section 4.2.1.12. */
const purposes: Readonly<Record<string, string>> = {
  '1.3.6.1.5.5.7.3.1': 'ServerAuthentication',
  '1.3.6.1.5.5.7.3.2': 'ClientAuthentication',
  '1.3.6.1.5.5.7.3.3': 'CodeSigning',
  '1.3.6.1.5.5.7.3.4': 'EmailProtection',
  '1.3.6.1.5.5.7.3.8': 'Timestamping',
  '1.3.6.1.5.5.7.3.9': 'OCSPSigning'
}

/** Every value that `keyUsage` may have. */
export const keyUsageNames: readonly string[] = [...keyUsages, ...Object.values(purposes)]

/** The kinds of keys that firmware and both hosts know: RSA (RFC 3279) and elliptic curves (RFC 5480). */
const keyTypes = ['1.2.840.113549.1.1.1', '1.2.840.10045.2.1']

/** The SHA-256 of bytes, in pairs of hex digits with colons between them. */
export function fingerprint(bytes: Uint8Array): string {
  return pairs(createHash('sha256').update(bytes).digest('hex'))
}

function pairs(digits: string): string {
  return digits.toUpperCase().replace(/..(?=.)/g, '$&:')
}

/**
 * The DER of the one certificate in a PEM text. Whether it has expired is not asked: firmware has no clock that it could
 * trust and goes by signatures alone, and keys that most hosts need are past their dates.
 *
 * @throws MessageError 400 CertificateNotAccepted that says what is wrong with it
 */
export function certificateFrom(text: string): Uint8Array {
  const refuse = (reason: string) => fail(400, 'Mgmt.CertificateNotAccepted', reason)
  const blocks = readPem(text)
  if (blocks.some(({ label }) => label.endsWith('PRIVATE KEY'))) refuse('it has a private key with it')
  const [first, ...others] = blocks
  if (first === undefined) return refuse('it is not PEM')
  if (others.length > 0) return refuse(`it is ${blocks.length} objects, and one can be enrolled at a time`)
  if (first.label !== 'CERTIFICATE') return refuse('the PEM is of something else')
  if (first.bytes === undefined) return refuse('the PEM is damaged or cut short')
  if (!isCertificate(first.bytes)) return refuse('it is not an X.509 certificate with an RSA or elliptic curve key')
  return first.bytes
}

/** Whether it is a certificate, whole and nothing but that, whose key firmware may check signatures with. */
function isCertificate(bytes: Uint8Array): boolean {
  const read = readCertificate(bytes)
  if (read === undefined || !keyTypes.includes(read.keyType)) return false
  try {
    new X509Certificate(bytes)
    return true
  } catch {
    // It throws for nothing else than bytes that are no certificate.
    return false
  }
}

/** What a certificate in DER says; undefined for what is none. Its signature and its key are not looked at. */
export function readCertificate(bytes: Uint8Array): Certificate | undefined {
  try {
    return certificate(bytes)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function certificate(bytes: Uint8Array): Certificate {
  const whole = der.read(bytes)
  if (whole.raw.length !== bytes.length) throw new RangeError('Something follows the certificate')
  const fields = der.children(part(der.children(whole), 0))
  if (part(fields, 0).tag !== 0xa0) fields.unshift(whole)
  const [notBefore, notAfter] = [0, 1].map((index) => der.date(part(der.children(part(fields, 4)), index)))
  const extensions = fields.find(({ tag }) => tag === 0xa3)
  return {
    serialNumber: pairs(hex(part(fields, 1).content).replace(/^(00)+(?=..)/, '')),
    issuer: name(part(fields, 3)),
    subject: name(part(fields, 5)),
    notBefore,
    notAfter,
    keyUsage: extensions === undefined ? [] : keyUsage(extensions),
    keyType: der.dotted(part(der.children(part(der.children(part(fields, 6)), 0)), 0))
  }
}

function name(element: der.Element): Name {
  return der.children(element).flatMap((set) =>
    der.children(set).map((attribute) => {
      const parts = der.children(attribute)
      const type = der.dotted(part(parts, 0))
      return { type: shortNames[type] ?? type, value: der.text(part(parts, 1)) }
    })
  )
}

function keyUsage(extensions: der.Element): string[] {
  return der.children(part(der.children(extensions), 0)).flatMap((extension) => {
    const parts = der.children(extension)
    const id = der.dotted(part(parts, 0))
    if (id !== '2.5.29.15' && id !== '2.5.29.37') return []
    const value = der.read(part(parts, parts.length - 1).content)
    if (id === '2.5.29.37') return der.children(value).flatMap((each) => purposes[der.dotted(each)] ?? [])
    const bits = value.content.subarray(1)
    return keyUsages.filter((_, bit) => ((bits[bit >> 3] ?? 0) << (bit & 7)) & 0x80)
  })
}

function part(elements: readonly der.Element[], index: number): der.Element {
  const found = elements[index]
  if (found === undefined) throw new RangeError('A part of the certificate is missing')
  return found
}
