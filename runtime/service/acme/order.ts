import { certificatesFrom } from '#data/certificates'
import { pem, readPem } from '#runtime/base/pem.ts'
import { signingRequest } from '../certificates/signing-request.ts'
import { type AcmeClient, AcmeError, isObject, type Json, listIn, printable, textIn } from './client.ts'
import { type AccountKey, base64url, thumbprint } from './jws.ts'

/** A way to prove that a name is one's own: the type of the challenge, and what it asks for (RFC 8555, section 8). */
export interface Solver {
  readonly type: string
  /** @param authorization the key authorization (RFC 8555, section 8.1) @throws AcmeError */
  present(name: string, authorization: string): Promise<void>
  withdraw(): Promise<void>
}

/**
 * Has a new key, for P-256, certified (RFC 8555, section 7.4), one name proved after another.
 *
 * @param names in lower case
 * @param wait settles when the server may be asked again
 * @returns both as PEM, the certificate first of its chain
 * @throws AcmeError, RangeError for names that a certificate cannot hold, or the error of the connection
 */
export async function obtain(
  client: AcmeClient,
  key: AccountKey,
  names: readonly string[],
  solver: Solver,
  wait: () => Promise<void>
): Promise<{ readonly key: string; readonly chain: string }> {
  const { url, order } = await client.order(names.map((value) => ({ type: 'dns', value })))
  const prove = async (authorization: string) => {
    const { token, name, challenge, isProved } = read(await client.read(authorization), names, solver.type)
    if (isProved) return
    try {
      await solver.present(name, `${token}.${thumbprint(key)}`)
      await client.tell(challenge, {})
      await settled(client, authorization, ['pending'], wait)
    } finally {
      await solver.withdraw()
    }
  }
  for (const authorization of listIn(order, 'authorizations')) await prove(String(authorization))
  const [commonName = ''] = names
  const wish = await signingRequest({ subject: { commonName }, alternativeNames: names, kind: 'EC' })
  const [csr] = readPem(wish.request)
  await settled(client, url, ['pending'], wait)
  await client.tell(textIn(order, 'finalize'), { csr: base64url(csr?.bytes ?? new Uint8Array()) })
  const issued = await settled(client, url, ['ready', 'processing'], wait)
  const chain = certificatesFrom(await client.text(textIn(issued, 'certificate')))
  return { key: wish.key, chain: chain.map((each) => pem('CERTIFICATE', each)).join('') }
}

/** The challenge of a type in an authorization, for one of the names. */
function read(authorization: Json, names: readonly string[], type: string) {
  const { identifier, status } = authorization
  const name = isObject(identifier) ? textIn(identifier, 'value').toLowerCase() : ''
  // It gets into records of DNS and into a certificate.
  if (!names.includes(name)) throw new AcmeError('the server wants a proof of a name that was not asked for')
  if (status === 'valid') return { token: '', name, challenge: '', isProved: true }
  const found = listIn(authorization, 'challenges').find((each) => isObject(each) && each.type === type)
  if (!isObject(found)) throw new AcmeError(`the server does not offer ${type} for ${name}`)
  return { token: textIn(found, 'token'), name, challenge: textIn(found, 'url'), isProved: false }
}

/** Reads an authorization or an order until its state is another than these. @throws AcmeError if it is invalid then */
async function settled(client: AcmeClient, url: string, states: readonly string[], wait: () => Promise<void>) {
  for (;;) {
    const json = await client.read(url)
    const state = textIn(json, 'status')
    if (states.includes(state)) await wait()
    else if (state === 'valid' || state === 'ready') return json
    else throw new AcmeError(`the server refuses: ${printable(reason(json) || state)}`)
  }
}

/** The type and detail of an error in the object or in one of its challenges; empty without an error. */
function reason(json: Json): string {
  const { challenges } = json
  const places = [json, ...(Array.isArray(challenges) ? challenges.filter(isObject) : [])]
  const found = places.map(({ error }) => error).find(isObject)
  return found === undefined ? '' : `${found.type ?? ''} ${found.detail ?? ''}`.trim()
}
