import { Identity } from '#runtime/service/certificates/identity.ts'
import { Secrets } from '#runtime/store/secrets.ts'
import { Store } from '#runtime/store/store.ts'
import type { Place, ServiceOptions } from './options.ts'

/** The data directory of a service that has one of its own. */
export function ownDirectory({ configuration, openCerts, clock }: Omit<ServiceOptions, 'place'>): Place {
  const { data, store } = configuration
  return {
    openStore: () => Store.open(`${data}/store`, store),
    openSecrets: (isExpected) => Secrets.open(`${data}/keys`, isExpected),
    async openIdentity(secrets, isExpected, keep) {
      const certs = keep(openCerts(`${data}/tls`))
      return { certs, identity: await Identity.open(certs, secrets, new Date(clock.now()), isExpected) }
    }
  }
}
