/** The text form of certificates and keys (RFC 7468). */

import { fromBase64, isBase64, toBase64 } from './bytes.ts'

/** Between the lines that begin and end it, or would if it had an end. */
export interface PemBlock {
  readonly label: string
  /** Undefined if it has no end, or is not base64. */
  readonly bytes: Uint8Array | undefined
  /** Whether its header says that the content is encrypted (RFC 1421, section 4.6.1.1). */
  readonly isEncrypted: boolean
}

/** DER bytes as text. */
export function pem(label: string, bytes: Uint8Array): string {
  const lines = toBase64(bytes).match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

/** Every block of a text; whatever stands around them is explanation. Line breaks may be escaped, or be any white space. */
export function readPem(text: string): PemBlock[] {
  const plain = text.replace(/\\[rn]/g, '\n')
  return [...plain.matchAll(/-----BEGIN ([A-Z0-9 ]{1,40})-----([^-]*(?:-[^-]+)*)(-----END \1-----)?/g)].map(
    ([, label = '', content = '', end]) => ({
      label,
      bytes: end === undefined ? undefined : decode(content),
      isEncrypted: /^\s*Proc-Type:\s*4,\s*ENCRYPTED\b/.test(content)
    })
  )
}

/** Whether a block is a private key of any kind, encrypted ones included. */
export const isPrivateKey = ({ label }: PemBlock): boolean => label.endsWith('PRIVATE KEY')

function decode(base64: string): Uint8Array | undefined {
  const digits = base64.replace(/\s/g, '')
  return digits !== '' && isBase64(digits) ? fromBase64(digits) : undefined
}
