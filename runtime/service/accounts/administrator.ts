import { randomBytes } from 'node:crypto'
import { passwordFault } from '#data/accounts'
import type { Configuration } from '#data/configuration'
import { hex } from '#runtime/base/bytes.ts'
import { messageText } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Accounts } from './credentials.ts'

/** Letters and digits that are not easily confused. */
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/**
 * Makes the first administrator, `admin`, where there is no account yet.
 *
 * @param given its password, which may be one that is easy to guess; without one, a password is generated, which must be changed
 * at the first login. After a loss of all accounts it does not count, where the configuration wants presence, until the factory
 * defaults have been restored
 * @param hash the stored form of `given`; absent: it is computed
 * @returns the generated password, to be shown once
 */
export async function makeFirstAdministrator(
  store: Store,
  accounts: Pick<Accounts, 'hash'>,
  given: string | undefined,
  configuration: Configuration,
  hash?: string
): Promise<string | undefined> {
  if (store.keys('account').length > 0) return undefined
  // A reset to factory defaults forgets the loss.
  const isRefused =
    given !== undefined && configuration.presenceAfterLoss && store.get('recovery', 'Store') !== undefined
  if (isRefused)
    store.log.warning('all accounts were lost: the configured password of the first administrator is ignored')
  const known = isRefused ? undefined : given
  const password = known ?? generatePassword()
  await store.commit({
    account: {
      admin: {
        name: 'admin',
        number: 1,
        role: 'Administrator',
        password:
          (known === undefined ? undefined : hash) ??
          (await accounts.hash({ account: 'admin', address: '' }, password)),
        enabled: true,
        passwordChangeRequired: known === undefined,
        lockedUntil: 0,
        generation: hex(randomBytes(8))
      }
    }
  })
  const fault = known && passwordFault(known, 'admin', store.get('accountService', 'settings'), configuration)
  if (fault)
    store.log.warning('the password of the first administrator is easy to guess', { cause: messageText(fault) })
  store.log.info('the first administrator was created', { user: 'admin', passwordChangeRequired: known === undefined })
  return known === undefined ? password : undefined
}

/** A password of so many characters. Bytes that would make some characters likelier than others are thrown away. */
export function generatePassword(length = 16): string {
  let password = ''
  while (password.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 256 - (256 % alphabet.length) && password.length < length) password += alphabet[byte % alphabet.length]
    }
  }
  return password
}
