import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** One record, `HTTPS`: how the service gets its own certificate. */
    certificateEnrollment: Enrollment
  }
}

table('certificateEnrollment', { survives: ['restart', 'restStateReset'] })

/** The key of the one record, which is the id of its resource as well. */
export const ownEnrollment = 'HTTPS'

/** The settings of an enrollment by ACME (RFC 8555), and how it went. `enrollmentOf` has their defaults. */
export interface Enrollment {
  enabled: boolean
  /** The URL of the server's directory. */
  server: string
  challenge: 'tls-alpn-01' | 'dns-01'
  /** For messages of the authority; empty without one. */
  email: string
  /** Of an account that the authority has already (RFC 8555 7.3.4); empty without one. */
  keyId: string
  /** Its key, base64, sealed. */
  macKey: string
  /** The names that the certificate is for; none: the name of the controller. */
  names: readonly string[]
  /** Days before its end; 0: when a third of its life is left. */
  renewBefore: number
  /** The account's own key, sealed JSON; empty until one is needed. */
  accountKey: string
  /** The task of a renewal that a client asked for; empty without one. */
  task: string
  state: 'Unknown' | 'InProgress' | 'Success' | 'Failed'
  /** When it was tried last, in milliseconds since 1970; 0: never. */
  triedAt: number
  /** Failures since the last success, and the reason of the last one. */
  failures: number
  failure: string
}
