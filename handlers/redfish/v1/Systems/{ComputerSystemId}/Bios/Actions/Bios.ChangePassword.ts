import { acceptsPassword, biosUri, passwordChange, passwordPending } from '#data/bios'
import { deferred, event, fail, notFound, type Post } from '#runtime/contract'

const action = 'Bios.ChangePassword'

export const body = passwordChange

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

/** The old password is the one in force until the next reset; empty if no password is set. */
export const POST: Post<typeof body, 'ComputerSystemId'> = async ({ params, body, machine, state, credentials }) => {
  const system = params.ComputerSystemId
  const { passwords } = state.get('biosCurrent', system) ?? notFound()
  const { PasswordName, OldPassword, NewPassword } = body
  const present = passwords[PasswordName]
  const right = present === undefined ? OldPassword === '' : await credentials.matches(OldPassword, present)
  if (!right) fail(400, 'Base.ActionParameterValueError', 'OldPassword', action)
  if (!acceptsPassword(machine.attributeRegistry(system), PasswordName, NewPassword)) {
    fail(400, 'Base.ActionParameterValueError', 'NewPassword', action)
  }
  const hash = NewPassword === '' ? '' : await credentials.hash(NewPassword)
  const before = state.get('biosPending', system)
  const events = [event('MgmtEvents.BiosPasswordChanged', biosUri(system), PasswordName)]
  return { ...deferred({ biosPending: { [system]: passwordPending(before, PasswordName, hash) } }), events }
}
