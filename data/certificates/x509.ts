import { createHash, X509Certificate } from 'node:crypto'
import { hex } from '#runtime/base/bytes.ts'
import {
  type CertificateFields,
  certificateExtensions,
  certificateFields,
  nameAttributes
} from '#runtime/base/certificate-fields.ts'
import * as der from '#runtime/base/der.ts'
import { isPrivateKey, type PemBlock, readPem } from '#runtime/base/pem.ts'
import { fail } from '#runtime/contract'
import { type AlternativeNames, encodeAlternativeNames } from './distinguished-name.ts'
import { extension } from './extensions.ts'
import { keyPurposes, keyUsages } from './schemas.ts'

/** The fields of an X.509 certificate (RFC 5280). */
export interface Certificate {
  /** In pairs of hex digits with colons between them. */
  readonly serialNumber: string
  readonly issuer: Name
  readonly subject: Name
  readonly notBefore: Date | undefined
  readonly notAfter: Date | undefined
  /** Of the names as they are encoded, whether both are the same. */
  readonly selfIssued: boolean
  /** The names as they are encoded, in hex digits, to be compared. */
  readonly names: { readonly issuer: string; readonly subject: string }
  /** The extension KeyUsage, in Redfish's names; undefined if the certificate lacks it. */
  readonly usage: readonly string[] | undefined
  /** ExtendedKeyUsage, in Redfish's names or as object identifiers; undefined if the certificate lacks it. */
  readonly purposes: readonly string[] | undefined
  /** Whether it may sign other certificates, by its BasicConstraints. */
  readonly authority: boolean
  /** True when the certificate has a critical extension that this parser does not support. */
  readonly notUnderstood: boolean
  /** The identifier of the kind of its key. */
  readonly keyType: string
}

/** A distinguished name: each attribute in order, by its short name, or its identifier if it has none. */
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

/** The extensions whose meaning is looked at; another that is critical makes a certificate unusable (RFC 5280, 4.2). */
const understood: readonly string[] = [
  extension.keyUsage,
  extension.subjectAltName,
  extension.basicConstraints,
  extension.extKeyUsage
]

/** The kinds of keys that firmware and both hosts know: RSA (RFC 3279) and elliptic curves (RFC 5480). */
const keyTypes = ['1.2.840.113549.1.1.1', '1.2.840.10045.2.1']

/** Whether a certificate has all of these names among its alternative ones (RFC 5280, section 4.2.1.6). */
export function hasAlternativeName(certificate: Uint8Array, names: AlternativeNames): boolean {
  const { value } = certificateExtensions(certificateFields(certificate)).get(extension.subjectAltName) ?? {}
  const encoded = (bytes: Uint8Array) => der.children(der.read(bytes)).map(({ raw }) => hex(raw))
  const present = value === undefined ? [] : encoded(value)
  return encoded(encodeAlternativeNames(names)).every((each) => present.includes(each))
}

/** The SHA-256 of bytes, in pairs of hex digits with colons between them. */
export function fingerprint(bytes: Uint8Array): string {
  return pairs(createHash('sha256').update(bytes).digest('hex'))
}

/** A distinguished name on one line. */
export function displayName(name: Name): string {
  return name.map(({ type, value }) => `${type}=${value}`).join(', ')
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
  const [first, ...others] = certificatesFrom(text)
  return others.length === 0 ? first : refuse(`it is ${others.length + 1} objects, and one can be enrolled at a time`)
}

/**
 * The DER of every certificate in a PEM text, in its order, as a chain is given: at least one.
 *
 * @throws MessageError like `certificateFrom`
 */
export function certificatesFrom(text: string): [Uint8Array, ...Uint8Array[]] {
  const blocks = readPem(text)
  if (blocks.some(isPrivateKey)) refuse('it has a private key with it')
  return certificatesIn(blocks)
}

/** As `certificatesFrom`, of the blocks of a PEM text. */
export function certificatesIn(blocks: readonly PemBlock[]): [Uint8Array, ...Uint8Array[]] {
  const [first, ...others] = blocks.map(({ label, bytes }) => {
    if (label !== 'CERTIFICATE') return refuse('the PEM is of something else')
    if (bytes === undefined) return refuse('the PEM is damaged or cut short')
    return isCertificate(bytes) ? bytes : refuse('it is not an X.509 certificate with an RSA or elliptic curve key')
  })
  return first === undefined ? refuse('it is not PEM') : [first, ...others]
}

const refuse = (reason: string) => fail(400, 'Mgmt.CertificateNotAccepted', reason)

/** The identifier of a certificate in a collection: of its SHA-256, as many hex digits as tell certificates apart. */
export function certificateId(bytes: Uint8Array): string {
  return fingerprint(bytes).replaceAll(':', '').slice(0, 32)
}

/** Whether a certificate may sign others, by its BasicConstraints and its KeyUsage. */
export function isAuthority({ authority, usage }: Pick<Certificate, 'authority' | 'usage'>): boolean {
  return authority && usage?.includes('KeyCertSign') !== false
}

/** True when a certificate has a valid signature of another's key; names and dates are not checked. */
export function isSignedBy(certificate: Uint8Array, issuer: Uint8Array): boolean {
  try {
    return new X509Certificate(certificate).verify(new X509Certificate(issuer).publicKey)
  } catch {
    // It throws for nothing else than a kind of key that this host does not know.
    return false
  }
}

/** True for a complete certificate without further bytes, with a key of a kind that firmware supports. */
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

/** Parses a certificate in DER; undefined when it is not one. Its signature and its key are not checked. */
export function readCertificate(bytes: Uint8Array): Certificate | undefined {
  try {
    return certificate(bytes)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function certificate(bytes: Uint8Array): Certificate {
  const fields = certificateFields(bytes)
  const names = { issuer: hex(fields.issuer.raw), subject: hex(fields.subject.raw) }
  return {
    serialNumber: pairs(hex(fields.serialNumber).replace(/^(00)+(?=..)/, '')),
    issuer: name(fields.issuer),
    subject: name(fields.subject),
    notBefore: der.date(fields.notBefore),
    notAfter: der.date(fields.notAfter),
    selfIssued: names.issuer === names.subject,
    names,
    ...readExtensions(fields),
    keyType: der.dotted(der.part(der.children(der.part(der.children(fields.publicKey), 0)), 0))
  }
}

function name(element: der.Element): Name {
  return nameAttributes(element).flatMap((set) => set.map(({ id, value }) => ({ type: shortNames[id] ?? id, value })))
}

function readExtensions(fields: CertificateFields) {
  const found = certificateExtensions(fields)
  const value = (id: string) => {
    const named = found.get(id)
    return named && der.read(named.value)
  }
  const bits = value(extension.keyUsage)?.content.subarray(1)
  const purposes = value(extension.extKeyUsage)
  const constraints = value(extension.basicConstraints)
  const [authority] = constraints === undefined ? [] : der.children(constraints)
  return {
    usage: bits && keyUsages.filter((_, bit) => ((bits[bit >> 3] ?? 0) << (bit & 7)) & 0x80),
    purposes: purposes && der.children(purposes).map((each) => keyPurposes[der.dotted(each)] ?? der.dotted(each)),
    authority: authority?.tag === der.Tag.boolean && authority.content[0] !== 0,
    notUnderstood: [...found].some(([id, { critical }]) => critical && !understood.includes(id))
  }
}
