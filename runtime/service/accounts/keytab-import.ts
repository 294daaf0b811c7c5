import { Client } from 'undici'
import { isKeytab } from '#data/accounts'
import type { Configuration } from '#data/configuration'
import { type Destination, parseDestination } from '#data/events'
import { toBase64 } from '#runtime/base/bytes.ts'
import { MessageError, message } from '#runtime/contract'
import type { Secrets } from '#runtime/store/secrets.ts'
import type { Store } from '#runtime/store/store.ts'

interface Environment {
  readonly store: Store
  readonly secrets: Pick<Secrets, 'seal'>
  readonly configuration: Configuration
  readonly now: () => Date
}

/**
 * Fetches a keytab over HTTPS and stores it. The server has to show a certificate of an authority that the service trusts.
 *
 * @param uri checked: see `parseDestination`
 * @throws MessageError 400 when nothing is there, in time and within its size, or when that is no keytab
 */
export async function importKeytab(uri: string, { store, secrets, configuration, now }: Environment): Promise<void> {
  const ca = store.keys('trustedCertificate').map((id) => store.get('trustedCertificate', id)?.pem ?? '')
  const source = parseDestination(uri)
  if (source === undefined) throw new RangeError('the URI does not begin with https')
  const bytes = await fetched(source, ca, configuration).catch((error: Error) => {
    store.log.warning('a keytab was not fetched', { cause: error.message.split('\n')[0] })
    throw new MessageError(400, [message('Base.CouldNotEstablishConnection', source.origin)])
  })
  const keytab = toBase64(bytes)
  if (!isKeytab(keytab, configuration.limits.keytab)) {
    const action = 'VendorAccountService.ImportKerberosKeytab'
    throw new MessageError(400, [message('Base.ActionParameterValueError', 'ImportUri', action)])
  }
  await store.commit({ kerberos: { keytab: { keytab: secrets.seal(keytab), importedAt: now().toISOString() } } })
}

async function fetched({ origin, path }: Destination, ca: string[], configuration: Configuration): Promise<Uint8Array> {
  const { limits, keytabTime } = configuration
  const time = keytabTime * 1000
  const client = new Client(origin, {
    connect: { timeout: time, rejectUnauthorized: true, ca },
    headersTimeout: time,
    bodyTimeout: time,
    maxHeaderSize: limits.head,
    maxResponseSize: limits.keytab
  })
  const late = setTimeout(() => void client.destroy(), time)
  try {
    const { statusCode, body } = await client.request({ method: 'GET', path })
    if (statusCode !== 200) throw new Error(`HTTP status ${statusCode}`)
    return new Uint8Array(await body.arrayBuffer())
  } finally {
    clearTimeout(late)
    await client.destroy()
  }
}
