import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { hostname, networkInterfaces } from 'node:os'
import { type CertificateCommand, pem, type SigningRequest } from '#data/certificates'
import type { CertName, Certs } from '#hal/certs.ts'
import { MessageError, message } from '#runtime/contract'
import { log } from '#runtime/store/log.ts'
import type { Loss } from '#runtime/store/recovery.ts'
import type { Secrets } from '#runtime/store/secrets.ts'
import { selfSigned } from './self-signed.ts'
import { signingRequest } from './signing-request.ts'

/** A private key and a certificate with its chain, PEM, as `node:tls` takes them. */
export interface Pair {
  readonly key: string
  readonly cert: string
}

/**
 * The service's own key and certificate, and the key that another certificate was asked for. Private keys leave this
 * only for the listener, or sealed for the command that keeps them.
 */
export class Identity {
  readonly #certs: Certs
  readonly #secrets: Secrets
  #pair: Pair
  /** What was lost at this start, where something was. */
  readonly loss: Loss | undefined
  /** Has the listener serve with a pair. @throws when TLS cannot use it; the listener goes on with the one before */
  serve: (pair: Pair) => void = () => undefined

  private constructor(certs: Certs, secrets: Secrets, pair: Pair, loss?: Loss) {
    this.#certs = certs
    this.#secrets = secrets
    this.#pair = pair
    this.loss = loss
  }

  /**
   * A first start makes a P-256 key and a self-signed certificate for the names and addresses of this machine; so does
   * one that finds what it cannot serve with, which is set aside.
   *
   * @throws HalError when the first pair cannot be kept
   */
  static async open(certs: Certs, secrets: Secrets, now: Date): Promise<Identity> {
    const kept = certs.get('server')
    if (kept !== undefined && isSound(certs)) return new Identity(certs, secrets, readPair(certs))
    const altNames = namesOfThisMachine()
    const pair = await selfSigned({ commonName: hostname().slice(0, 64), altNames, now, random: randomBytes })
    if (kept === undefined) {
      await certs.set('server', pair.key + pair.cert)
      return new Identity(certs, secrets, pair)
    }
    try {
      await certs.set('damaged', kept)
      await certs.set('server', pair.key + pair.cert)
    } catch (error) {
      log('warning', 'a key was not stored', { cause: (error as Error).message })
    }
    const cause = `${certs.where('server')} does not hold a key and a certificate of it`
    return new Identity(certs, secrets, pair, { cause, from: 'nothing', at: undefined, aside: certs.where('damaged') })
  }

  /** What the listener serves with. */
  get pair(): Pair {
    return this.#pair
  }

  /** The certificate that the service serves with and its chain, PEM. */
  get chain(): string {
    return this.#pair.cert
  }

  /** The request that a certificate is awaited for, PEM. */
  get request(): string | undefined {
    return blocks(this.#certs.get('request') ?? '').find((each) => each.includes('CERTIFICATE REQUEST'))
  }

  /** Makes a key and a request for a certificate of it, neither of which is kept yet; the key comes sealed. */
  async makeRequest(wish: SigningRequest): Promise<{ request: string; key: string }> {
    const { key, request } = await signingRequest(wish)
    return { request, key: this.#secrets.seal(key) }
  }

  /** Whether a certificate (DER) is of the key that the service serves with, or of the one that waits for it. */
  fits(certificate: Uint8Array): boolean {
    return this.#keyOf(certificate) !== undefined
  }

  /** @throws HalError when it cannot be kept, and then all is as before; MessageError 400 when the key is gone */
  async perform(command: CertificateCommand): Promise<void> {
    if (command.certificate === 'request') {
      await this.#certs.set('request', `${this.#secrets.open(command.key) ?? ''}${command.request}`)
      return
    }
    const key = this.#keyOf(command.chain[0])
    if (key === undefined)
      throw new MessageError(400, [message('Mgmt.CertificateNotAccepted', 'its key was replaced meanwhile')])
    const cert = command.chain.map((each) => pem('CERTIFICATE', each)).join('')
    const pending = privateKey(this.#certs.get('request') ?? '') === key
    await this.#replace({ key, cert })
    if (pending) await this.#certs.delete('request')
  }

  /** New connections get the new certificate; one that TLS or the disk refuses leaves the old one in its place. */
  async #replace(pair: Pair): Promise<void> {
    try {
      this.serve(pair)
    } catch (error) {
      log('warning', 'a certificate is of no use for TLS', { cause: (error as Error).message })
      throw new MessageError(400, [message('Mgmt.CertificateNotAccepted', 'TLS cannot use it')])
    }
    try {
      await this.#certs.set('server', pair.key + pair.cert)
    } finally {
      this.#pair = readPair(this.#certs)
      if (this.#pair.cert !== pair.cert) this.serve(this.#pair)
    }
  }

  /** Calls back when what is kept under a name has changed. */
  on(listener: (name: CertName) => void): void {
    this.#certs.on(listener)
  }

  close(): Promise<void> {
    return this.#certs.close()
  }

  #keyOf(certificate: Uint8Array): string | undefined {
    const read = new X509Certificate(certificate)
    const keys = [privateKey(this.#certs.get('request') ?? ''), this.#pair.key]
    return keys.find((key) => key !== undefined && read.checkPrivateKey(createPrivateKey(key)))
  }
}

function readPair(certs: Certs): Pair {
  const text = certs.get('server') ?? ''
  const key = privateKey(text)
  const cert = blocks(text)
    .filter((each) => each.includes('BEGIN CERTIFICATE-'))
    .join('')
  if (key === undefined || cert === '')
    throw new Error(`${certs.where('server')} does not hold a key and a certificate`)
  return { key, cert }
}

/** Whether TLS can serve with what is kept. */
function isSound(certs: Certs): boolean {
  try {
    const { key, cert } = readPair(certs)
    const [own = ''] = blocks(cert)
    return new X509Certificate(own).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

const privateKey = (text: string) => blocks(text).find((each) => each.includes('PRIVATE KEY'))

function blocks(text: string): string[] {
  return [...text.matchAll(/-----BEGIN ([A-Z ]+)-----[\s\S]+?-----END \1-----\n?/g)].map(([block]) => block)
}

function namesOfThisMachine(): { dns: string[]; ip: string[] } {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))
  const ip = [...new Set(['127.0.0.1', '::1', ...addresses.map((address) => address.replace(/%.*$/, ''))])]
  return { dns: [...new Set([hostname(), 'localhost'])], ip }
}
