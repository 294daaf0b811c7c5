import { readFileSync } from 'node:fs'
import { hasAlternativeName, ownCertificateUri, replaceCertificate } from '#data/certificates'
import type { Configuration } from '#data/configuration'
import type { Enrollment } from '#data/enrollment'
import { Listeners } from '#runtime/base/listeners.ts'
import { sleep } from '#runtime/base/sleep.ts'
import type { Event } from '#runtime/contract'
import type { Secrets } from '#runtime/store/secrets.ts'
import type { Identity } from '../certificates/identity.ts'
import { AcmeClient, AcmeError } from './client.ts'
import { type AccountKey, externalBinding, makeAccountKey } from './jws.ts'
import { obtain } from './order.ts'
import { dnsHook, tlsAlpn } from './solvers.ts'

interface Parts {
  readonly identity: Identity
  readonly secrets: Secrets
  readonly settings: Configuration['enrollment']
  /** That clients' certificates may be of, PEM. */
  readonly authorities: readonly string[]
  readonly now: () => Date
  /** Stores the key of the account, sealed, before the server knows it. */
  readonly keep: (accountKey: string) => Promise<void>
  readonly manager: string
}

export interface Attempt {
  /** Settles when the service serves with a new certificate; its events. @throws Error */
  readonly done: Promise<readonly Event[]>
  cancel(reason: string): void
}

/** Has a new key of the service certified by an ACME server, and the service serve with it. */
export function enroll(enrollment: Enrollment, names: readonly string[], parts: Parts): Attempt {
  const wake = new Listeners<void>()
  let client: AcmeClient | undefined
  let ended: string | undefined
  const cancel = (reason: string) => {
    ended ??= reason
    client?.close()
    wake.emit()
  }
  const { settings, identity, secrets, now } = parts
  const late = setTimeout(() => cancel(`it takes longer than ${settings.time} s`), settings.time * 1000)
  const run = async () => {
    try {
      const key = await accountKey(enrollment, parts)
      client = new AcmeClient(enrollment.server, key, authorities(parts), settings)
      const { email, keyId, macKey } = enrollment
      await client.open(enrollment.server)
      await client.register((url) => ({
        ...(email !== '' && { contact: [`mailto:${email}`] }),
        ...(keyId !== '' && { externalAccountBinding: externalBinding(key, url, keyId, secrets.open(macKey) ?? '') })
      }))
      const solver = enrollment.challenge === 'dns-01' ? dnsHook(settings) : tlsAlpn(identity, now())
      const issued = await obtain(client, key, names, solver, () => sleep(settings.poll * 1000, wake))
      if (ended !== undefined) throw new AcmeError(ended)
      return await install(issued.key + issued.chain, names, parts)
    } catch (error) {
      throw ended === undefined ? error : new AcmeError(ended)
    } finally {
      clearTimeout(late)
      client?.close()
    }
  }
  return { done: run(), cancel }
}

async function accountKey({ accountKey: sealed }: Enrollment, { secrets, keep }: Parts): Promise<AccountKey> {
  const known = sealed === '' ? undefined : secrets.open(sealed)
  if (known !== undefined) return JSON.parse(known)
  const made = await makeAccountKey()
  await keep(secrets.seal(JSON.stringify(made)))
  return made
}

function authorities({ authorities, settings }: Parts): readonly string[] {
  if (settings.authorities === '') return authorities
  try {
    return [...authorities, readFileSync(settings.authorities, 'utf8')]
  } catch (error) {
    throw new AcmeError(`the file of authorities cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** As a client's ReplaceCertificate, with its checks, and that of the names. */
async function install(text: string, names: readonly string[], { identity, secrets, now, manager }: Parts) {
  const known = { ownCertificate: identity, seal: (key: string) => secrets.seal(key), now }
  const { commands = [], events = [] } = replaceCertificate(known, text, ownCertificateUri(manager))
  for (const command of commands) {
    if (command.kind !== 'replaceCertificate') continue
    if (!hasAlternativeName(command.chain[0], { dns: names, ip: [] }))
      throw new AcmeError('the certificate is for other names')
    await identity.perform(command)
  }
  return events as readonly Event[]
}
