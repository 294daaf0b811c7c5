import native from 'minnow:crypto'
import {
  type CertificateFields,
  certificateExtensions,
  certificateFields,
  der,
  extension,
  nameAttributes
} from '#data/certificates'
import { createPublicKey, KeyObject } from '../crypto/keys.ts'

/** Short names of attribute types (RFC 4519, RFC 5280 appendix A) as `node:crypto` prints them. */
const shortNames: Record<string, string> = {
  '2.5.4.3': 'CN',
  '2.5.4.4': 'SN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'street',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.12': 'title',
  '2.5.4.13': 'description',
  '2.5.4.15': 'businessCategory',
  '2.5.4.16': 'postalAddress',
  '2.5.4.17': 'postalCode',
  '2.5.4.41': 'name',
  '2.5.4.42': 'GN',
  '2.5.4.43': 'initials',
  '2.5.4.44': 'generationQualifier',
  '2.5.4.46': 'dnQualifier',
  '2.5.4.65': 'pseudonym',
  '2.5.4.97': 'organizationIdentifier',
  '1.3.6.1.4.1.311.60.2.1.1': 'jurisdictionL',
  '1.3.6.1.4.1.311.60.2.1.2': 'jurisdictionST',
  '1.3.6.1.4.1.311.60.2.1.3': 'jurisdictionC',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'emailAddress'
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const hex = (byte: number) => byte.toString(16).toUpperCase().padStart(2, '0')

/**
 * An X.509 certificate (RFC 5280). C has checked that all of it can be read; the fields are taken from its DER here,
 * in the text forms of `node:crypto`.
 */
export class X509Certificate {
  readonly raw: Uint8Array
  readonly serialNumber: string
  readonly issuer: string
  readonly validFrom: string
  readonly validTo: string
  readonly subject: string
  readonly #fields: CertificateFields

  /** @throws Error for what is not a certificate, or has a kind of key that Mbed TLS does not know */
  constructor(text: string | Uint8Array) {
    this.raw = native.certificate(text)
    this.#fields = certificateFields(this.raw)
    const { serialNumber, issuer, notBefore, notAfter, subject } = this.#fields
    this.serialNumber = numeral(serialNumber)
    this.issuer = name(issuer)
    this.validFrom = moment(notBefore)
    this.validTo = moment(notAfter)
    this.subject = name(subject)
  }

  get fingerprint256(): string {
    return Array.from(native.hash('sha256', this.raw) as Uint8Array, hex).join(':')
  }

  /** @throws Error for a key that is neither for P-256, P-384 nor RSA */
  get publicKey(): KeyObject {
    return createPublicKey({ key: this.#fields.publicKey.raw, format: 'der', type: 'spki' })
  }

  /** Whether this certificate's key is the other half of `key`. */
  checkPrivateKey(key: KeyObject): boolean {
    return native.matches(this.raw, half('private', key))
  }

  /** Whether this certificate was signed with the other half of `key`. Nothing but that: neither names nor dates. */
  verify(key: KeyObject): boolean {
    return native.isSignedBy(this.raw, half('public', key))
  }

  /**
   * Whether, by what the two say, `other` issued this certificate: its subject, its key's identifier where both have
   * one, and that its key may sign certificates (RFC 5280, sections 4.1.2.4, 4.2.1.1 and 4.2.1.3). The signature is not
   * looked at.
   */
  checkIssued(other: X509Certificate): boolean {
    if (!same(this.#fields.issuer.raw, other.#fields.subject.raw)) return false
    const wanted = this.#extension(extension.authorityKeyIdentifier)
    const found = other.#extension(extension.subjectKeyIdentifier)
    const [identifier] = wanted ? der.children(wanted).filter(({ tag }) => tag === 0x80) : []
    if (identifier && found && !same(identifier.content, found.content)) return false
    const usage = other.#extension(extension.keyUsage)
    return usage === undefined || ((usage.content[1] ?? 0) & 0x04) !== 0
  }

  /** The value of an extension. */
  #extension(id: string): der.Element | undefined {
    const found = certificateExtensions(this.#fields).get(id)
    return found && der.read(found.value)
  }
}

function half(type: KeyObject['type'], key: KeyObject): KeyObject['handle'] {
  if (key instanceof KeyObject && key.type === type) return key.handle
  const code = key instanceof KeyObject ? 'ERR_INVALID_ARG_VALUE' : 'ERR_INVALID_ARG_TYPE'
  throw Object.assign(new TypeError(`The argument must be a ${type} key`), { code })
}

const same = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, index) => byte === b[index])

/** A positive number in pairs of digits; zero is a single digit. */
function numeral(bytes: Uint8Array): string {
  const digits = Array.from(bytes, hex).join('')
  return digits.replace(/^(00)+/, '') || '0'
}

/** One relative distinguished name a line, its parts joined by ` + `. */
function name(element: der.Element): string {
  return nameAttributes(element)
    .map((set) => set.map(({ id, value }) => `${shortNames[id] ?? id}=${escaped(value)}`).join(' + '))
    .join('\n')
}

/** The escapes of RFC 2253, section 2.4, and those of control characters. */
function escaped(value: string): string {
  return value
    .replace(/[,+"\\<>;]|^[ #]| $/g, '\\$&')
    .replace(/[\0-\x1f\x7f]/g, (character) => `\\${hex(character.charCodeAt(0))}`)
}

/** `Jan  2 03:04:05 2026 GMT` */
function moment(element: der.Element): string {
  const date = der.date(element)
  if (!date) return 'Bad time value'
  const [day, time] = [String(date.getUTCDate()).padStart(2), date.toISOString().slice(11, 19)]
  return `${months[date.getUTCMonth()]} ${day} ${time} ${date.getUTCFullYear()} GMT`
}
