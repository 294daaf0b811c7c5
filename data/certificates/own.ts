import { isPrivateKey, readPem } from '#runtime/base/pem.ts'
import { type Context, event, fail, link, message, type Outcome } from '#runtime/contract'
import { type PrivateKey, privateKeyIn } from './private-key.ts'
import { largestChain, longestChain } from './schemas.ts'
import type { SigningRequest } from './signing-request.ts'
import {
  certificateId,
  certificatesIn,
  displayName,
  isAuthority,
  isSignedBy,
  type Name,
  readCertificate
} from './x509.ts'

declare module '#runtime/contract' {
  interface Services {
    readonly ownCertificate: OwnCertificate
  }
  interface Commands {
    /** To keep a new key, which is sealed, and the request for a certificate of it, PEM. */
    keepSigningRequest: { readonly request: string; readonly key: string }
    /**
     * To serve with a certificate from now on: DER, the service's own first. The key is sealed, and one that the service
     * has already where none is given.
     */
    replaceCertificate: { readonly chain: readonly [Uint8Array, ...Uint8Array[]]; readonly key?: string }
  }
}

type Known = Pick<Context, 'ownCertificate' | 'seal' | 'now'>

/** A clock that shows an earlier year was never set, and says nothing of certificates. */
const firstYear = 2020

/**
 * Has the service serve with a certificate and its issuers, which may come in any order, and with the private key that
 * comes with them or that the service has already.
 *
 * @param text PEM
 * @param uri of the certificate's resource
 * @throws MessageError 400 that says what is wrong with the certificate, its issuers or its key
 */
export function replaceCertificate({ ownCertificate, seal, now }: Known, text: string, uri: string): Outcome {
  const blocks = readPem(text)
  const key = privateKeyIn(blocks)
  const certificates = certificatesIn(blocks.filter((each) => !isPrivateKey(each) && each.label !== 'EC PARAMETERS'))
  const own = certificates.find((each) => (key ?? ownCertificate).fits(each)) ?? refuseStrangers(certificates, key)
  const subject = checkServer(own, now())
  const chain = chainFrom(own, certificates)
  return {
    status: 200,
    messages: [message('Base.Success')],
    commands: [{ kind: 'replaceCertificate', chain, ...(key && { key: seal(key.pem) }) }],
    events: [event('MgmtEvents.ServerCertificateReplaced', uri, displayName(subject))]
  }
}

const refuse = (reason: string) => fail(400, 'Mgmt.CertificateNotAccepted', reason)

function refuseStrangers(certificates: readonly Uint8Array[], key: PrivateKey | undefined): never {
  if (key !== undefined) return fail(400, 'Mgmt.PrivateKeyMismatch')
  if (certificates.every((each) => isAuthority(read(each)))) fail(400, 'Mgmt.ServerCertificateRequired')
  return refuse('it is neither for the key in use nor for that of the signing request, and no private key is with it')
}

/** @returns the subject of a certificate that a TLS server may use now */
function checkServer(certificate: Uint8Array, time: Date): Name {
  const { subject, notBefore, notAfter, usage, purposes, authority } = read(certificate)
  if (authority) fail(400, 'Mgmt.ServerCertificateRequired')
  if (notBefore === undefined || notAfter === undefined) refuse('its dates cannot be read')
  else if (time.getUTCFullYear() >= firstYear) {
    if (time > notAfter) refuse('it has expired')
    if (time < notBefore) refuse('it is not valid yet')
  }
  if (usage?.includes('DigitalSignature') === false) refuse('its key is not for signatures')
  if (purposes?.includes('ServerAuthentication') === false) refuse('it is not for servers')
  return subject
}

/** A certificate and, each after the one that it signed, all others: a TLS server sends them so (RFC 8446, 4.4.2). */
function chainFrom(own: Uint8Array, certificates: readonly Uint8Array[]): [Uint8Array, ...Uint8Array[]] {
  const distinct = new Map(certificates.map((each) => [certificateId(each), each]))
  if (distinct.size > longestChain)
    refuse(`the chain has ${distinct.size} certificates, and the limit is ${longestChain}`)
  distinct.delete(certificateId(own))
  const chain: [Uint8Array, ...Uint8Array[]] = [own]
  for (let left = [...distinct.values()]; left[0] !== undefined; ) {
    const last = chain[chain.length - 1] as Uint8Array
    const stray = displayName(read(left[0]).subject)
    const issuer = left.find((each) => isIssuedBy(last, each)) ?? fail(400, 'Mgmt.CertificateChainBroken', stray)
    chain.push(issuer)
    left = left.filter((each) => each !== issuer)
  }
  const size = chain.reduce((sum, { length }) => sum + length, 0)
  return size > largestChain ? refuse(`it has ${size} bytes with its issuers, and ${largestChain} are the most`) : chain
}

function isIssuedBy(certificate: Uint8Array, issuer: Uint8Array): boolean {
  return read(certificate).names.issuer === read(issuer).names.subject && isSignedBy(certificate, issuer)
}

const read = (certificate: Uint8Array) => readCertificate(certificate) ?? refuse('it cannot be read')

/**
 * Makes a key and a request for a certificate of it, which is answered as `CSRString` and kept with the key.
 *
 * @param uri of the collection that the certificate is for
 * @param action its name in messages
 * @throws MessageError 400 for names that a certificate cannot hold
 */
export async function requestCertificate(
  { ownCertificate }: Known,
  wish: SigningRequest,
  uri: string,
  action: string
): Promise<Outcome> {
  try {
    const { request, key } = await ownCertificate.makeRequest(wish)
    return {
      status: 200,
      messages: [message('Base.Success')],
      commands: [{ kind: 'keepSigningRequest', request, key }],
      events: [event('MgmtEvents.CertificateSigningRequestGenerated', uri, wish.subject.commonName)],
      result: { CSRString: request, CertificateCollection: link(uri) }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return fail(400, 'Base.ActionParameterValueError', 'AlternativeNames', action)
  }
}

/** The certificate that the service serves with, and the keys that it has. Private keys stay with the runtime. */
export interface OwnCertificate {
  /** PEM: the certificate, and those of its issuers that are sent with it. */
  readonly chain: string
  /** PEM: the request that a certificate is awaited for. */
  readonly request: string | undefined
  /** Whether a certificate (DER) is of the key in use, or of the one that the request was made with. */
  fits(certificate: Uint8Array): boolean
  /**
   * Makes a key, off the loop, and a request for a certificate of it.
   *
   * @returns what the command that keeps both takes: the request as PEM, the key sealed
   * @throws RangeError for a name that a certificate cannot hold
   */
  makeRequest(wish: SigningRequest): Promise<{ request: string; key: string }>
}
