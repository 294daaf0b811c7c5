import { acceptsPassword, biosUri, passwordChange, passwordPending } from '#data/bios'
import { deferred, type Exists, event, fail, notFound, type Post, type State } from '#runtime/contract'

const action = 'Bios.ChangePassword'

export const body = passwordChange

/** A firmware that takes its settings from another program may have its passwords from elsewhere. */
export const exists: Exists<'ComputerSystemId'> = ({ params, machine, state }) =>
  machine.ownsBios(params.ComputerSystemId) || takesPasswords(state, params.ComputerSystemId)

const takesPasswords = (state: Pick<State, 'get'>, system: string) =>
  state.get('biosCurrent', system)?.takesPasswords === true

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

/** The old password is the one in force until the next reset; empty if no password is set. */
export const POST: Post<typeof body, 'ComputerSystemId'> = async (context) => {
  const { params, body, machine, state, credentials, seal } = context
  const system = params.ComputerSystemId
  const { passwords } = state.get('biosCurrent', system) ?? notFound()
  const { PasswordName, OldPassword, NewPassword } = body
  const events = [event('MgmtEvents.BiosPasswordChanged', biosUri(system), PasswordName)]
  if (takesPasswords(state, system)) {
    const [present, next] = [seal(OldPassword), seal(NewPassword)]
    const commands = [{ kind: 'changeBiosPassword', system, whose: PasswordName, present, next }] as const
    return { ...deferred({}), commands, events }
  }
  const present = passwords[PasswordName]
  const right = present === undefined ? OldPassword === '' : await credentials.matchesOther(OldPassword, present)
  if (!right) fail(400, 'Base.ActionParameterValueError', 'OldPassword', action)
  if (!acceptsPassword(machine.attributeRegistry(system), PasswordName, NewPassword)) {
    fail(400, 'Base.ActionParameterValueError', 'NewPassword', action)
  }
  const hash = NewPassword === '' ? '' : await credentials.hashOther(NewPassword)
  const before = state.get('biosPending', system)
  return { ...deferred({ biosPending: { [system]: passwordPending(before, PasswordName, hash) } }), events }
}
