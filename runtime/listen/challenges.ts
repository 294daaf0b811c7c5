import type { Server } from 'node:https'
import type { SecureContext, TLSSocket } from 'node:tls'
import type { Pair } from '#runtime/service/certificates/identity.ts'

/** The protocol of clients that ask for the certificate of a challenge, and for nothing else (RFC 8737, section 4). */
const challengeProtocol = 'acme-tls/1'

/** A server that chooses the certificate of a challenge by itself, without a call for each handshake: the binary's. */
interface Choosing {
  challenge?(pair: Pair | undefined): void
}

/** Node.js has this since 20.17. */
type Choosable = TLSSocket & { setKeyCert?(context: SecureContext): void }

/** Answers clients that ask for the certificate of a challenge while there is one. */
export function challenges(contextOf: (pair: Pair) => SecureContext) {
  let context: SecureContext | undefined
  function choose(this: unknown, { protocols }: { protocols: readonly string[] }): string | undefined {
    const socket = this as Choosable
    if (context !== undefined && protocols.includes(challengeProtocol)) {
      socket.setKeyCert?.(context)
      socket.once('secure', () => socket.destroySoon())
      return challengeProtocol
    }
    return protocols.includes('http/1.1') ? 'http/1.1' : undefined
  }
  return {
    options: { ALPNCallback: choose },
    set(server: Server, pair: Pair | undefined): void {
      const choosing = server as Choosing
      if (choosing.challenge !== undefined) choosing.challenge(pair)
      else context = pair && contextOf(pair)
    }
  }
}
