import { directoryKinds, directorySettings } from '#data/accounts'
import { done, fail, notFound, object, type Post } from '#runtime/contract'

export const body = object(['Directory'], { Directory: { type: 'string', enum: directoryKinds } })

export const privileges = { POST: 'UserConfigPriv' } as const

/** Has each server of a directory asked by the settings that are stored, whether or not logins ask it. */
export const POST: Post<typeof body> = ({ body: { Directory: kind }, caller, credentials, state }) => {
  if (!credentials.asksDirectories) notFound()
  const { addresses, bases } = directorySettings(kind, state.get('directory', kind))
  for (const [name, values] of Object.entries({ ServiceAddresses: addresses, BaseDistinguishedNames: bases }))
    if (values.length === 0) fail(400, 'Base.PropertyMissing', name)
  return done([{ kind: 'testDirectory', directory: kind, address: caller.address }])
}
