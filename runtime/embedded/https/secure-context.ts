import binding, { type SecureContext as Context, type Options } from 'minnow:https'

type Version = 'TLSv1.2' | 'TLSv1.3'

export interface ProtocolOptions {
  minVersion?: Version
  maxVersion?: Version
  /** Seconds. */
  ticketLifetime?: number
}

export interface Credentials {
  key: string | Uint8Array
  cert: string | Uint8Array
}

/** The options of a server or a context in the words of the C. */
export const protocolOf = ({ minVersion, maxVersion, ticketLifetime = 86400 }: ProtocolOptions) =>
  ({
    minVersion: minVersion === 'TLSv1.3' ? 3 : 2,
    maxVersion: maxVersion === 'TLSv1.2' ? 2 : 3,
    ticketLifetime
  }) satisfies Partial<Options>

/** Node's tls.SecureContext of a server. */
export interface SecureContext {
  readonly context: Context
}

/** Node's tls.createSecureContext for a server; other options are the server's. Throws if key and certificate do not fit. */
export function createSecureContext(options: ProtocolOptions & Credentials): SecureContext {
  return { context: binding.secureContext(protocolOf(options), options.key, options.cert) }
}
