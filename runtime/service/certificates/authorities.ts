import {
  certificateId,
  certificatesFrom,
  displayName,
  pem,
  readCertificate,
  trustedCertificateUri
} from '#data/certificates'
import type { Certificates } from '#hal/certificates.ts'
import type { HalError } from '#hal/errors.ts'
import type { Closable } from '#runtime/base/opening.ts'
import { type Event, event, MessageError, message } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import { explain } from '../machine/machine.ts'

interface Authority {
  /** PEM. */
  readonly pem: string
  /** Its subject. */
  readonly subject: string
  /** Its names on the machine: several if it was installed more than once. */
  readonly names: readonly string[]
}

/**
 * Has the authorities of the machine be those whose clients may log in. One that another program has installed or removed
 * is an event. Texts that are no certificates are left out.
 */
export function attachAuthorities(
  store: Store,
  events: { emit(...events: Event[]): unknown },
  managers: readonly string[],
  machine: Certificates
): Closable {
  let known = read(machine)
  const follow = (listener: (id: string) => unknown) => {
    const before = known
    known = read(machine)
    const isFirst = before === undefined
    for (const id of new Set([...(before?.keys() ?? []), ...(known?.keys() ?? [])])) {
      const [old, now] = [before?.get(id), known?.get(id)]
      // It is as before, or a request changes it, which has an event by itself.
      if (listener(id) === undefined || isFirst) continue
      const key = now === undefined ? 'MgmtEvents.CACertificateRemoved' : 'MgmtEvents.CACertificateImported'
      const subject = (now ?? old)?.subject ?? ''
      events.emit(...managers.map((manager) => event(key, trustedCertificateUri(manager, id), subject)))
    }
  }
  const close = store.attach('trustedCertificate', {
    members: ['pem'],
    decides: true,
    keys: () => known?.keys() ?? [],
    get(id) {
      const found = known?.get(id)
      return found && { pem: found.pem }
    },
    async write(id, members) {
      try {
        if (members?.pem !== undefined) await machine.add(members.pem)
        else for (const name of known?.get(id)?.names ?? []) await machine.remove(name)
      } catch (error) {
        throw refusal(error as HalError) ?? explain(error as HalError, { kind: 'authority', id }, store.log)
      }
    },
    on: (listener) => machine.on((what) => what === 'authorities' && follow(listener))
  })
  return { close }
}

/** The message about a certificate that the machine does not take; undefined for another failure. */
export function refusal(error: HalError): MessageError | undefined {
  if (error.code !== 'EINVAL') return undefined
  return new MessageError(400, [message('Mgmt.CertificateNotAccepted', 'the certificate manager refuses it')])
}

/** By their ids; undefined until the machine tells them. */
function read({ authorities }: Certificates): ReadonlyMap<string, Authority> | undefined {
  if (authorities === undefined) return undefined
  const found = new Map<string, Authority>()
  for (const [name, text] of authorities) {
    const bytes = firstOf(text)
    if (bytes === undefined) continue
    const id = certificateId(bytes)
    const names = [...(found.get(id)?.names ?? []), name]
    found.set(id, {
      pem: pem('CERTIFICATE', bytes),
      subject: displayName(readCertificate(bytes)?.subject ?? []),
      names
    })
  }
  return found
}

function firstOf(text: string): Uint8Array | undefined {
  try {
    return certificatesFrom(text)[0]
  } catch (error) {
    if (error instanceof MessageError) return undefined
    throw error
  }
}
