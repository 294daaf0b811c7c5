import { createSecureContext } from 'node:tls'
import { certificatesFrom, largestChain, longestChain, privateKeyIn } from '#data/certificates'
import type { Certificates } from '#hal/certificates.ts'
import type { Certs } from '#hal/certs.ts'
import type { HalError } from '#hal/errors.ts'
import { log } from '#runtime/base/log.ts'
import { readPem } from '#runtime/base/pem.ts'
import { MessageError } from '#runtime/contract'
import { refusal } from './authorities.ts'
import { isSelfMade, usablePair } from './identity.ts'

/**
 * The service's key and certificate where another program holds those of HTTPS. The service's own stay its own: they are
 * used where that program has none, or none that TLS can use. Requests are its own too.
 */
export function machineCerts(own: Certs, machine: Certificates): Certs {
  let known: { readonly text: string; readonly fault: string | undefined } | undefined
  const shared = () => {
    const text = machine.server
    if (text === undefined) return undefined
    if (text !== known?.text) {
      known = { text, fault: faultOf(text) }
      if (known.fault !== undefined)
        log.warning('the certificate of the machine cannot be used', { cause: known.fault })
    }
    return known.fault === undefined ? text : undefined
  }
  return {
    get: (name) => (name === 'server' ? shared() : undefined) ?? own.get(name),
    where: (name) => own.where(name),
    async set(name, text) {
      if (name !== 'server' || isSelfMade(text)) return own.set(name, text)
      try {
        await machine.replace(text)
      } catch (error) {
        throw refusal(error as HalError) ?? error
      }
    },
    delete: (name) => own.delete(name),
    on(listener) {
      const ends = [own.on(listener), machine.on((what) => what === 'server' && listener('server'))]
      return () => {
        for (const end of ends) end()
      }
    },
    close: () => own.close()
  }
}

/** @returns why TLS cannot serve with a pair, as the listener would not start; undefined if it can */
function faultOf(text: string): string | undefined {
  try {
    const pair = usablePair(text)
    if (pair === undefined) return 'it is not a private key with its certificate'
    privateKeyIn(readPem(text))
    const chain = certificatesFrom(pair.cert)
    const size = chain.reduce((sum, { length }) => sum + length, 0)
    if (chain.length > longestChain || size > largestChain) return 'the chain is too long'
    createSecureContext({ ...pair })
    return undefined
  } catch (error) {
    return error instanceof MessageError ? error.message : 'TLS refuses it'
  }
}
