import { accountOwner, base32, keyUri, ownAccount } from '#data/accounts'
import { fqdnOf, hostNamesOf } from '#data/ethernet'
import { changed, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: ['UserConfigPriv', 'ConfigureSelf'] } as const

export const owner = accountOwner

/** Bytes of a key: as many as the hash has (RFC 4226, section 4). */
const sizes = { SHA1: 20, SHA256: 32 } as const

/**
 * Makes a key and shows it once, to its user only: a key that another person has seen proves nothing. The present key
 * stays in use until a code of the new one is verified.
 */
export const POST: Post<typeof body, 'ManagerAccountId'> = (context) => {
  const { params, machine, state, configuration, seal, random } = context
  const account = ownAccount(context)
  const { algorithm } = configuration.secondFactor
  const key = random(sizes[algorithm])
  const secret = base32(key)
  const [issuer = 'BMC'] = Object.entries(machine.board.managers).map(([id, manager]) =>
    fqdnOf(hostNamesOf(state, id, manager))
  )
  return {
    ...changed({ secondFactor: { [params.ManagerAccountId]: { pending: seal(`${algorithm} ${key}`) } } }),
    result: {
      SecretKey: secret,
      Oem: { Vendor: { KeyURI: keyUri(issuer, account.name, secret, algorithm) } }
    }
  }
}
