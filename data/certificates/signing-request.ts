import type { DistinguishedName } from './distinguished-name.ts'
import type { KeyKind } from './schemas.ts'

/** The input of a signing request for the service's certificate. */
export interface SigningRequest {
  readonly subject: DistinguishedName
  /** Host names and addresses that clients may use beside the common name, which is always among them. */
  readonly alternativeNames: readonly string[]
  readonly kind: KeyKind
  /** Of an RSA key. */
  readonly bits?: number | undefined
  /** Uses and purposes, as Redfish names them; what a TLS server and client needs where none is named. */
  readonly keyUsage?: readonly string[] | undefined
}
