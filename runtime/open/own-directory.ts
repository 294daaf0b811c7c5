import { Identity } from '#runtime/service/certificates/identity.ts'
import { machineCerts } from '#runtime/service/certificates/machine-certs.ts'
import { Secrets } from '#runtime/store/secrets.ts'
import { Store } from '#runtime/store/store.ts'
import type { Place, ServiceOptions } from './options.ts'

/** The data directory of a service that has one of its own. */
export function ownDirectory({ configuration, openCerts, clock }: Omit<ServiceOptions, 'place'>): Place {
  const { data, store } = configuration
  return {
    openStore: () => Store.open(`${data}/store`, store),
    openSecrets: (isExpected) => Secrets.open(`${data}/keys`, isExpected),
    async openIdentity(secrets, isExpected, keep, machine) {
      const own = keep(openCerts(`${data}/tls`))
      await machine?.settled
      const certs = machine === undefined ? own : machineCerts(own, machine)
      // A pair of its own is made as soon as the machine has none.
      const isOwn = isExpected && machine === undefined
      return { certs, identity: await Identity.open(certs, secrets, new Date(clock.now()), isOwn) }
    }
  }
}
