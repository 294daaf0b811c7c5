import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import type { Pair } from '#runtime/service/certificates/identity.ts'

/** Keys and certificates for the names that clients ask for in their handshakes (RFC 6066, 3). */
export interface Named {
  /** Undefined: that of all. */
  pairOf(name: string): Promise<Pair | undefined>
  /** As `Identity.on`, for each of them. */
  onReplaced(listener: (pair: Pair) => void): () => void
}

/** Makes a context of TLS once for each pair. It throws where TLS cannot use one. */
export function contexts(protocol: SecureContextOptions): (pair: Pair) => SecureContext {
  const made = new WeakMap<Pair, SecureContext>()
  return (pair) => {
    const context = made.get(pair) ?? createSecureContext({ ...protocol, ...pair })
    made.set(pair, context)
    return context
  }
}

/** The callback that tells TLS the context for a name. */
export function contextByName({ pairOf }: Named, contextOf: (pair: Pair) => SecureContext) {
  return (name: string, done: (error: Error | null, context?: SecureContext) => void): void => {
    const found = pairOf(name).then((pair) => pair && contextOf(pair))
    found.then((context) => done(null, context), done)
  }
}
