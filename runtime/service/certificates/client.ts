import { canLogIn } from '#data/accounts'
import {
  type Certificate,
  certificateFrom,
  fingerprint,
  isAuthority,
  isSignedBy,
  readCertificate
} from '#data/certificates'
import { opens } from '#data/license'
import { pem, readPem } from '#runtime/base/pem.ts'
import type { State } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'

/** A certificate that stands for a user. */
export interface Holder {
  readonly user: string
  /** Its SHA-256. */
  readonly fingerprint: string
}

/** A user whom a certificate stands for, and until when, as nothing moves, it does. */
interface Verdict extends Holder {
  /** In milliseconds since 1970: within this time the verdict holds. */
  readonly from: number
  readonly until: number
  /** The records that the result depends on. */
  readonly revisions: readonly (readonly [path: string, revision: number])[]
}

/** The reason why a certificate is refused, for the log. */
class Refused extends Error {}

/**
 * Login with a client's certificate. That the client has its private key is TLS's to prove; whom it stands for is judged
 * here, once for each connection, and again when something moves that the judgement rests on.
 */
export class ClientCertificates {
  readonly #store: Store
  readonly #now: () => number
  readonly #verdicts = new WeakMap<Uint8Array, Verdict>()
  /** By their records. */
  readonly #mapped = new WeakMap<object, Uint8Array>()

  constructor(store: Store, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** Whether clients are asked for certificates. */
  get enabled(): boolean {
    return this.#store.keys('certificateLogin').some((id) => this.#store.get('certificateLogin', id)?.enabled)
  }

  /** Calls back when `enabled` may have changed; the function returned ends that. */
  onSwitched(listener: () => void): () => void {
    return this.#store.on('certificateLogin', listener)
  }

  /**
   * The user whom a certificate stands for, by the id of the account.
   *
   * @param certificate DER; the same array for all requests of a connection
   */
  holder(certificate: Uint8Array): Holder | undefined {
    const now = this.#now()
    const before = this.#verdicts.get(certificate)
    if (before !== undefined && this.#isCurrent(before, now)) return before
    try {
      const verdict = this.#judge(certificate, now)
      this.#verdicts.set(certificate, verdict)
      return verdict
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.#store.log.debug('a client certificate was refused', { cause: error.message })
      return undefined
    }
  }

  /** Whether a certificate that is known by its fingerprint still stands for a user. */
  standsFor(fingerprint: string, user: string): boolean {
    const record = this.#store.get('userCertificate', user)
    if (record === undefined) return false
    const certificate = this.#mapped.get(record) ?? certificateFrom(record.pem)
    this.#mapped.set(record, certificate)
    const holder = this.holder(certificate)
    return holder?.user === user && holder.fingerprint === fingerprint
  }

  #isCurrent({ from, until, revisions }: Verdict, now: number): boolean {
    if (now < from || now >= until) return false
    return revisions.every(([path, revision]) => this.#store.revisions.of(path) === revision)
  }

  /** The cheapest check comes first: signatures are checked only of certificates that are mapped. */
  #judge(certificate: Uint8Array, now: number): Verdict {
    const seen = new Map<string, number>()
    const track = (path: string) => seen.set(path, this.#store.revisions.of(path))
    const state: State = {
      get: (table, key) => {
        track(`${table}/${key}`)
        return this.#store.get(table, key)
      },
      keys: (table) => {
        track(`${table}/`)
        return this.#store.keys(table)
      }
    }
    const login = state.keys('certificateLogin').some((id) => state.get('certificateLogin', id)?.enabled)
    if (!login) throw new Refused('login with certificates is disabled')
    const user = mappedUser(state, certificate)
    const license = licenseEnd(state, now)
    const own = usable(certificate, 'the certificate', now)
    checkUses(own)
    const authority = issuer(state, certificate, own, now)
    return {
      user,
      fingerprint: fingerprint(certificate),
      from: Math.max(time(own.notBefore), time(authority.notBefore)),
      until: Math.min(license, end(own), end(authority)),
      revisions: [...seen]
    }
  }
}

/** The user to whom this very certificate is mapped, byte for byte. */
function mappedUser(state: State, certificate: Uint8Array): string {
  const text = pem('CERTIFICATE', certificate)
  const user = state.keys('userCertificate').find((name) => state.get('userCertificate', name)?.pem === text)
  if (user === undefined) throw new Refused('it is not mapped to a user')
  if (!canLogIn(state, state.get('account', user))) throw new Refused(`the account ${user} cannot log in`)
  return user
}

/** The end of the license for certificate login, in milliseconds since 1970. */
function licenseEnd(state: State, now: number): number {
  const ends = state.keys('license').flatMap((manager) => {
    const license = state.get('license', manager)
    if (license === undefined || !opens(license, 'CertificateLogin', new Date(now))) return []
    return [license.expires === null ? Number.POSITIVE_INFINITY : license.expires * 1000]
  })
  if (ends.length === 0) throw new Refused('there is no license for it')
  return Math.max(...ends)
}

/** A certificate that is in date, and says nothing that this does not understand (RFC 5280, section 6.1). */
function usable(bytes: Uint8Array, name: string, now: number): Certificate {
  const read = readCertificate(bytes)
  if (read === undefined) throw new Refused(`${name} cannot be read`)
  if (read.notUnderstood) throw new Refused(`${name} has a critical extension that is not understood`)
  if (!(now >= time(read.notBefore))) throw new Refused(`${name} is not valid yet`)
  if (!(now < end(read))) throw new Refused(`${name} has expired`)
  return read
}

/** RFC 5280, sections 4.2.1.3 and 4.2.1.12: an extension that is there has to allow it. */
function checkUses({ usage, purposes }: Certificate): void {
  if (usage?.includes('DigitalSignature') === false) throw new Refused('its key is not for signatures')
  if (purposes?.includes('ClientAuthentication') === false) throw new Refused('it is not for clients')
}

/** The imported certification authority that signed a certificate. */
function issuer(state: State, certificate: Uint8Array, own: Certificate, now: number): Certificate {
  const reasons: string[] = []
  for (const id of state.keys('trustedCertificate')) {
    const bytes = readPem(state.get('trustedCertificate', id)?.pem ?? '')[0]?.bytes
    const read = bytes && readCertificate(bytes)
    if (bytes === undefined || read?.names.subject !== own.names.issuer) continue
    try {
      const authority = usable(bytes, 'its authority', now)
      if (!isAuthority(authority)) throw new Refused('its authority may not sign certificates')
      if (!isSignedBy(certificate, bytes)) throw new Refused('its signature is wrong')
      return authority
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      reasons.push(error.message)
    }
  }
  throw new Refused(reasons[0] ?? 'no authority that was imported issued it')
}

/** A date that cannot be read makes every comparison with it fail. */
const time = (date: Date | undefined) => date?.getTime() ?? Number.NaN

/** A certificate is valid to the end of its last second (RFC 5280, section 4.1.2.5). */
const end = ({ notAfter }: Certificate) => time(notAfter) + 1000
