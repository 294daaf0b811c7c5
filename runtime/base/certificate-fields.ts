import * as der from './der.ts'

/** The parts of a certificate that say something, as they are encoded (RFC 5280, section 4.1). */
export interface CertificateFields {
  readonly serialNumber: Uint8Array
  readonly issuer: der.Element
  readonly notBefore: der.Element
  readonly notAfter: der.Element
  readonly subject: der.Element
  /** SubjectPublicKeyInfo. */
  readonly publicKey: der.Element
  readonly extensions: der.Element | undefined
}

/** @throws RangeError for what is no certificate in DER, or has something behind it */
export function certificateFields(bytes: Uint8Array): CertificateFields {
  const whole = der.read(bytes)
  if (whole.raw.length !== bytes.length) throw new RangeError('bytes follow the certificate')
  const fields = der.children(der.part(der.children(whole), 0))
  // The version is there from version 2 on.
  if (der.part(fields, 0).tag === 0xa0) fields.shift()
  const validity = der.children(der.part(fields, 3))
  return {
    serialNumber: der.part(fields, 0).content,
    issuer: der.part(fields, 2),
    notBefore: der.part(validity, 0),
    notAfter: der.part(validity, 1),
    subject: der.part(fields, 4),
    publicKey: der.part(fields, 5),
    extensions: fields.find(({ tag }) => tag === 0xa3)
  }
}

/** By their identifiers; each `value` is DER. @throws RangeError like `certificateFields` */
export function certificateExtensions({ extensions }: CertificateFields) {
  const found = new Map<string, { readonly critical: boolean; readonly value: Uint8Array }>()
  for (const extension of extensions === undefined ? [] : der.children(der.part(der.children(extensions), 0))) {
    const parts = der.children(extension)
    const critical = parts.length > 2 && der.part(parts, 1).content[0] !== 0
    found.set(der.dotted(der.part(parts, 0)), { critical, value: der.part(parts, parts.length - 1).content })
  }
  return found
}

/**
 * The relative distinguished names of a Name in order; each is one or more attributes, by their identifiers.
 *
 * @throws RangeError like `certificateFields`
 */
export function nameAttributes(name: der.Element): { readonly id: string; readonly value: string }[][] {
  return der.children(name).map((set) =>
    der.children(set).map((attribute) => {
      const parts = der.children(attribute)
      return { id: der.dotted(der.part(parts, 0)), value: der.text(der.part(parts, 1)) }
    })
  )
}
