import { type Context, event, fail, link, message, type Outcome } from '#runtime/contract'
import type { SigningRequest } from './signing-request.ts'
import { certificatesFrom, displayName, isSignedBy, readCertificate } from './x509.ts'

declare module '#runtime/contract' {
  interface Services {
    readonly ownCertificate: OwnCertificate
  }
  interface Commands {
    /** To keep a new key, which is sealed, and the request for a certificate of it, PEM. */
    keepSigningRequest: { readonly request: string; readonly key: string }
    /** To serve with a certificate from now on: DER, the service's own first. */
    replaceCertificate: { readonly chain: readonly [Uint8Array, ...Uint8Array[]] }
  }
}

type Known = Pick<Context, 'ownCertificate' | 'now'>

/** A clock that shows an earlier year was never set, and says nothing of certificates. */
const firstYear = 2020

/**
 * Has the service serve with a certificate: its own first, then those of its issuers.
 *
 * @param text PEM
 * @param uri of the certificate's resource
 * @throws MessageError 400 CertificateNotAccepted that says what is wrong with it
 */
export function replaceCertificate({ ownCertificate, now }: Known, text: string, uri: string): Outcome {
  const chain = certificatesFrom(text)
  const [own] = chain
  const refuse = (reason: string) => fail(400, 'Mgmt.CertificateNotAccepted', reason)
  if (!ownCertificate.fits(own)) refuse('it is neither for the key in use nor for that of the signing request')
  const { subject, notBefore, notAfter, usage, purposes } = readCertificate(own) ?? refuse('it cannot be read')
  const time = now()
  if (notBefore === undefined || notAfter === undefined) refuse('its dates cannot be read')
  else if (time.getUTCFullYear() >= firstYear) {
    if (time > notAfter) refuse('it has expired')
    if (time < notBefore) refuse('it is not valid yet')
  }
  if (usage?.includes('DigitalSignature') === false) refuse('its key is not for signatures')
  if (purposes?.includes('ServerAuthentication') === false) refuse('it is not for servers')
  if (!isChain(chain)) refuse('each certificate has to be signed by the one after it')
  return {
    status: 200,
    messages: [message('Base.Success')],
    commands: [{ kind: 'replaceCertificate', chain }],
    events: [event('MgmtEvents.ServerCertificateReplaced', uri, displayName(subject))]
  }
}

function isChain(chain: readonly Uint8Array[]): boolean {
  return chain.slice(1).every((issuer, index) => isSignedBy(chain[index] as Uint8Array, issuer))
}

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
