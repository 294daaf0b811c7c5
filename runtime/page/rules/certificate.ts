import { certificateFields, nameAttributes } from '#runtime/base/certificate-fields.ts'
import * as der from '#runtime/base/der.ts'
import { pem, readPem } from '#runtime/base/pem.ts'

/** A certificate that was read from a file, and what it says of itself. */
export interface CertificateFile {
  readonly pem: string
  readonly subject: string
  readonly issuer: string
  readonly notBefore: Date | undefined
  readonly notAfter: Date | undefined
  readonly bytes: Uint8Array
}

/**
 * The certificate in a file, PEM or DER.
 *
 * @throws RangeError for what is no certificate
 */
export function certificateIn(file: Uint8Array): CertificateFile {
  const text = new TextDecoder('latin1').decode(file)
  const bytes = text.includes('-----BEGIN') ? readPem(text)[0]?.bytes : file
  if (bytes === undefined) throw new RangeError('The PEM is damaged')
  const { subject, issuer, notBefore, notAfter } = certificateFields(bytes)
  return {
    pem: pem('CERTIFICATE', bytes),
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    notBefore: der.date(notBefore),
    notAfter: der.date(notAfter),
    bytes
  }
}

/** Common names and organizations by their letters (RFC 4514 3), other attributes by their identifiers. */
const letters: Readonly<Record<string, string>> = { '2.5.4.3': 'CN', '2.5.4.6': 'C', '2.5.4.10': 'O', '2.5.4.11': 'OU' }

function nameOf(name: der.Element): string {
  return nameAttributes(name)
    .flat()
    .map(({ id, value }) => `${letters[id] ?? id}=${value}`)
    .join(', ')
}
