import { acceptsPassword, biosUri, passwordChange, passwordPending } from '#data/bios'
import { deferred, type Exists, event, fail, notFound, type Post } from '#runtime/contract'

const action = 'Bios.ChangePassword'

export const body = passwordChange

/** A firmware that takes its settings from another program has its passwords from elsewhere. */
export const exists: Exists<'ComputerSystemId'> = ({ params, machine }) => machine.ownsBios(params.ComputerSystemId)

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

/** The old password is the one in force until the next reset; empty if no password is set. */
export const POST: Post<typeof body, 'ComputerSystemId'> = async ({ params, body, machine, state, credentials }) => {
  const system = params.ComputerSystemId
  const { passwords } = state.get('biosCurrent', system) ?? notFound()
  const { PasswordName, OldPassword, NewPassword } = body
  const present = passwords[PasswordName]
  const right = present === undefined ? OldPassword === '' : await credentials.matchesOther(OldPassword, present)
  if (!right) fail(400, 'Base.ActionParameterValueError', 'OldPassword', action)
  if (!acceptsPassword(machine.attributeRegistry(system), PasswordName, NewPassword)) {
    fail(400, 'Base.ActionParameterValueError', 'NewPassword', action)
  }
  const hash = NewPassword === '' ? '' : await credentials.hashOther(NewPassword)
  const before = state.get('biosPending', system)
  const events = [event('MgmtEvents.BiosPasswordChanged', biosUri(system), PasswordName)]
  return { ...deferred({ biosPending: { [system]: passwordPending(before, PasswordName, hash) } }), events }
}
