import { createHash, createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { hostname, networkInterfaces } from 'node:os'
import {
  type AlternativeNames,
  displayName,
  hasAlternativeName,
  type OwnCertificate,
  readCertificate,
  type SigningRequest
} from '#data/certificates'
import type { Certs } from '#hal/certs.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { log } from '#runtime/base/log.ts'
import { pem } from '#runtime/base/pem.ts'
import { type Command, type Members, MessageError, message, type Reader } from '#runtime/contract'
import type { Loss } from '#runtime/store/recovery.ts'
import type { Secrets } from '#runtime/store/secrets.ts'
import { longestValidity, selfSigned } from './self-signed.ts'
import { signingRequest } from './signing-request.ts'

/** The reasons for which clients refuse a certificate. One that is not yet valid is valid from the next day on. */
type CertificateFault = 'expired' | 'notYetValid' | 'wrongName'

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
  /** Of the machine that a certificate of its own making is for. */
  readonly #names: () => AlternativeNames
  #pair: Pair
  /** The certificate that was not due to be renewed, and when that was: many services ask, where they share it. */
  #fine: { readonly cert: string; readonly at: number } | undefined
  /** The loss at this start, where there was one. */
  readonly loss: Loss | undefined
  readonly #listeners = new Listeners<Pair>()
  #challenge: Pair | undefined
  readonly #challenged = new Listeners<Pair | undefined>()
  #isReplacing = false

  private constructor(certs: Certs, secrets: Secrets, names: () => AlternativeNames, pair: Pair, loss?: Loss) {
    this.#certs = certs
    this.#secrets = secrets
    this.#names = names
    this.#pair = pair
    this.loss = loss
  }

  /**
   * Opens the stored key and certificate. Without a usable pair, makes a P-256 key and a self-signed certificate; an
   * unusable pair is set aside as `damaged`.
   *
   * @param isExpected whether a pair was made before, so that a missing one is a loss
   * @param names of the machine that it is for; the first one is the certificate's subject
   * @throws HalError when the first pair cannot be kept
   */
  static async open(
    certs: Certs,
    secrets: Secrets,
    now: Date,
    isExpected: boolean,
    names = namesOfThisMachine
  ): Promise<Identity> {
    const kept = certs.get('server')
    const pair = kept === undefined ? undefined : usablePair(kept)
    if (pair !== undefined) return new Identity(certs, secrets, names, pair)
    const made = await ownPair(now, names())
    const isLost = kept !== undefined || isExpected
    try {
      if (kept !== undefined) await certs.set('damaged', kept)
      await certs.set('server', vouched(note, made))
    } catch (error) {
      if (!isLost) throw error
      log.warning('a key was not stored', { cause: (error as Error).message })
    }
    if (!isLost) return new Identity(certs, secrets, names, made)
    const fault = kept === undefined ? 'is not there' : 'does not hold a key and its certificate'
    return new Identity(certs, secrets, names, made, { cause: `${certs.where('server')} ${fault}`, source: 'New' })
  }

  /**
   * Makes another certificate in place of one that the service made, before it ends, if it is not valid yet since a clock
   * was wrong when it was made, or if it names another machine: by
   * none of the addresses of this one, or of its names if it has no addresses. Any other is its owner's to renew.
   *
   * @returns the subject of the new certificate; undefined if none is due
   */
  async renew(now: Date): Promise<string | undefined> {
    const isFine = this.#fine?.cert === this.#pair.cert && Math.abs(now.getTime() - this.#fine.at) < oneHour
    if (isFine || !isSelfMade(this.#certs.get('server') ?? '')) return undefined
    const names = this.#names()
    if (!isDue(this.#pair.cert, now, names)) {
      this.#fine = { cert: this.#pair.cert, at: now.getTime() }
      return undefined
    }
    await this.#replace(await ownPair(now, names), note)
    return this.#subject
  }

  /**
   * Serves with what is kept now, where another program has changed it; with a pair of its own making where none is kept
   * any more.
   *
   * @returns the subject of the new certificate; undefined if it is the one before
   */
  async take(now: Date): Promise<string | undefined> {
    if (this.#isReplacing) return undefined
    if (this.#certs.get('server') !== undefined) return this.#adopt() ? this.#subject : undefined
    await this.#replace(await ownPair(now, this.#names()), note)
    return this.#subject
  }

  /**
   * Serves with a new pair of its own making, for a simulation: one that is like any other, or has a fault, and then is
   * not renewed.
   *
   * @throws HalError when it cannot be kept, and then all is as before
   */
  async remake(now: Date, fault?: CertificateFault): Promise<void> {
    const at = now.getTime() + (fault === 'expired' ? -longestValidity : fault === 'notYetValid' ? 2 : 0) * oneDay
    const names = fault === 'wrongName' ? { dns: ['other.example'], ip: [] } : this.#names()
    await this.#replace(await ownPair(new Date(at), names), fault === undefined ? note : '')
  }

  members(reader: Reader): Members<'ownCertificate'> {
    const own = this
    const ownCertificate: OwnCertificate = {
      get chain() {
        reader.track('certs/server')
        return own.chain
      },
      get request() {
        reader.track('certs/request')
        return own.request
      },
      fits(certificate) {
        reader.track('certs/server')
        reader.track('certs/request')
        return own.fits(certificate)
      },
      makeRequest: (wish) => own.makeRequest(wish)
    }
    return { ownCertificate }
  }

  /** The key and the certificate of the listener. */
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

  /** True for a certificate (DER) of the key in use, or of the key of the pending request. */
  fits(certificate: Uint8Array): boolean {
    return this.#keyOf(certificate) !== undefined
  }

  /** @throws HalError when it cannot be kept, and then all is as before; MessageError 400 when the key is gone */
  async perform(command: Command<'keepSigningRequest' | 'replaceCertificate'>): Promise<void> {
    if (command.kind === 'keepSigningRequest') {
      await this.#certs.set('request', `${this.#secrets.open(command.key) ?? ''}${command.request}`)
      return
    }
    const key = command.key === undefined ? this.#keyOf(command.chain[0]) : this.#secrets.open(command.key)
    if (key === undefined)
      throw new MessageError(400, [message('Mgmt.CertificateNotAccepted', 'its key was replaced meanwhile')])
    const cert = command.chain.map((each) => pem('CERTIFICATE', each)).join('')
    const pending = privateKey(this.#certs.get('request') ?? '') === key
    await this.#replace({ key, cert })
    if (pending) await this.#certs.delete('request')
  }

  /** New connections get the new certificate; one that TLS or the disk refuses leaves the old one in its place. */
  async #replace(pair: Pair, comment = ''): Promise<void> {
    const before = this.#pair
    try {
      this.#listeners.emit(pair)
    } catch (error) {
      log.warning('a certificate cannot be used for TLS', { cause: (error as Error).message })
      throw new MessageError(400, [message('Mgmt.CertificateNotAccepted', 'TLS cannot use it')])
    }
    const text = vouched(comment, pair)
    this.#isReplacing = true
    try {
      await this.#certs.set('server', text)
    } finally {
      this.#isReplacing = false
      if (this.#certs.get('server') === text) this.#pair = pair
      else {
        this.#listeners.emit(before)
        this.#adopt()
      }
    }
  }

  /** Serves with what is kept, if that is another pair. @returns whether it is */
  #adopt(): boolean {
    const pair = usablePair(this.#certs.get('server') ?? '')
    if (pair === undefined || (pair.key === this.#pair.key && pair.cert === this.#pair.cert)) return false
    this.#listeners.emit(pair)
    this.#pair = pair
    return true
  }

  get #subject(): string {
    return displayName(readCertificate(new X509Certificate(this.#pair.cert).raw)?.subject ?? [])
  }

  /**
   * Has a listener serve with each new pair, before it is kept. It throws when TLS cannot use one, and goes on with the
   * one before. The function returned ends that.
   */
  on(listener: (pair: Pair) => void): () => void {
    return this.#listeners.add(listener)
  }

  /** Has a listener show another pair to clients that ask for that of a challenge (RFC 8737); undefined: none. */
  set challenge(pair: Pair | undefined) {
    this.#challenge = pair
    this.#challenged.emit(pair)
  }

  /** Has a listener follow the pair of a challenge, from the present one on. The function returned ends that. */
  onChallenge(listener: (pair: Pair | undefined) => void): () => void {
    if (this.#challenge !== undefined) listener(this.#challenge)
    return this.#challenged.add(listener)
  }

  #keyOf(certificate: Uint8Array): string | undefined {
    const read = new X509Certificate(certificate)
    const keys = [privateKey(this.#certs.get('request') ?? ''), this.#pair.key]
    return keys.find((key) => key !== undefined && isKeyOf(read, key))
  }
}

/** PEM readers skip the last line, which vouches for the others. Texts that came from elsewhere have none. */
function vouched(comment: string, { key, cert }: Pair): string {
  const text = comment + key + cert
  return `${text}SHA-256: ${digest(text)}\n`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The key and the certificates in a text; undefined if it is damaged, or if the listener could not serve with them. */
export function usablePair(text: string): Pair | undefined {
  const [, whole = '', claimed] = /^([\s\S]*)SHA-256: (\w+)\n$/.exec(text) ?? []
  if (claimed !== undefined && claimed !== digest(whole)) return undefined
  const key = privateKey(text)
  const chain = blocks(text).filter((each) => each.includes('BEGIN CERTIFICATE-'))
  if (key === undefined || chain[0] === undefined) return undefined
  try {
    return isKeyOf(new X509Certificate(chain[0]), key) ? { key, cert: chain.join('') } : undefined
  } catch {
    return undefined
  }
}

/** @returns false for a key that is damaged, too */
function isKeyOf(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

const privateKey = (text: string) => blocks(text).find((each) => each.includes('PRIVATE KEY'))

function blocks(text: string): string[] {
  return [...text.matchAll(/-----BEGIN ([A-Z ]+)-----[\s\S]+?-----END \1-----\n?/g)].map(([block]) => block)
}

/** Stands in the file before a pair that the service made, and keeps one of its owner's apart (RFC 7468, section 2). */
const note = 'The service made this, and renews it.\n'

/** Whether a text has a pair of the service's own making, as it keeps one. */
export const isSelfMade = (text: string) => text.startsWith(note)

/** Its subject is the first of the names. */
function ownPair(now: Date, altNames: AlternativeNames): Promise<Pair> {
  return selfSigned({ commonName: (altNames.dns[0] ?? '').slice(0, 64), altNames, now, random: randomBytes })
}

const oneHour = 3_600_000
const oneDay = 24 * oneHour

/** How long before its end a certificate is renewed, in milliseconds. */
const ahead = 30 * oneDay

function isDue(chain: string, now: Date, { dns, ip }: AlternativeNames): boolean {
  const { raw } = new X509Certificate(chain)
  const { notBefore, notAfter } = readCertificate(raw) ?? {}
  // A clock that shows an earlier year was never set.
  if (notBefore === undefined || notAfter === undefined || now.getUTCFullYear() < 2020) return false
  const tooLong = notAfter.getTime() - notBefore.getTime() > longestValidity * oneDay
  const addresses = ip.filter((address) => !/^(127\.|::1$|fe80:)/.test(address))
  const known = ip.length > 0 ? addresses.map((each) => ({ dns: [], ip: [each] })) : [{ dns: dns.slice(0, 1), ip: [] }]
  const isStranger = known.length > 0 && !known.some((each) => hasAlternativeName(raw, each))
  return tooLong || isStranger || notBefore > now || notAfter.getTime() - now.getTime() < ahead
}

function namesOfThisMachine(): AlternativeNames {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))
  const ip = [...new Set(['127.0.0.1', '::1', ...addresses.map((address) => address.replace(/%.*$/, ''))])]
  return { dns: [...new Set([hostname(), 'localhost'])], ip }
}
