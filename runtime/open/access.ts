import { opening } from '#runtime/base/opening.ts'
import { Authentication } from '#runtime/request/authenticate.ts'
import { Grants } from '#runtime/request/grants.ts'
import { Accounts } from '#runtime/service/accounts/credentials.ts'
import { Sessions } from '#runtime/service/accounts/sessions.ts'
import { ClientCertificates } from '#runtime/service/certificates/client.ts'
import { openDirectories } from '#runtime/service/directory/directories.ts'
import type { PlacedOptions } from './options.ts'
import type { OpenState } from './state.ts'

export type OpenAccess = Awaited<ReturnType<typeof openAccess>>

/** Opens what says who a client is, and what may go on: before anything goes on that a client asked for. */
export function openAccess({ configuration, clock }: PlacedOptions, { store, events, secrets }: OpenState) {
  return opening(async (keep) => {
    const accounts = new Accounts(store, configuration, events, clock, secrets)
    const directories = openDirectories({ store, secrets, configuration, clock })
    accounts.consult(directories)
    const clientCertificates = new ClientCertificates(store, clock.now)
    const sessions = new Sessions(store, accounts, clientCertificates, configuration, clock)
    const authentication = new Authentication(accounts, sessions, clientCertificates)
    const grants = keep(new Grants(store, authentication, clock.now))
    return { accounts, directories, clientCertificates, sessions, authentication, grants }
  })
}
