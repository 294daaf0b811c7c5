import {
  type Context,
  changed,
  deferred,
  type Exists,
  fail,
  type Machine,
  MessageError,
  message,
  notFound,
  type Outcome
} from '#runtime/contract'
import { pointerToken, type Writable } from '#runtime/schema'
import { addPending } from './pending.ts'
import type { Values } from './registry.ts'
import type { biosAttributes } from './schemas.ts'

/** Whether a system shows the settings of its BIOS. @throws MessageError 404 for an unknown system */
export function hasBiosSettings(machine: Pick<Machine, 'system'>, system: string): boolean {
  return machine.system(system).attributeRegistry !== undefined
}

/** `exists` of the BIOS of a system: its settings are known. */
export const ofBios: Exists<'ComputerSystemId'> = ({ params, machine, state }) =>
  hasBiosSettings(machine, params.ComputerSystemId) && state.get('biosCurrent', params.ComputerSystemId) !== undefined

type Settings = Context<'ComputerSystemId', { readonly Attributes?: Writable<typeof biosAttributes> }>

/**
 * 200 with `SystemResetRequired`: the values that a client asks for wait for the next reset. A BIOS and its `Settings`
 * take them alike.
 *
 * @param combine how they go together with what waits already
 * @throws MessageError 507 when more would wait than the limit allows, 400 for passwords: they would be readable until
 *   the reset
 */
export function changeBiosSettings({ params, body, configuration, state }: Settings, combine = addPending): Outcome {
  const system = params.ComputerSystemId
  const { attributes } = state.get('biosCurrent', system) ?? notFound()
  if (body.Attributes === undefined) return changed({})
  const before = state.get('biosPending', system)
  const values = withoutPasswords(attributes, body.Attributes)
  const pending = combine(attributes, before, values, configuration.limits.biosPending)
  return deferred({ biosPending: { [system]: pending ?? fail(507, 'Base.InsufficientStorage') } })
}

/** The values but for passwords. One that is null, as it is read, may come back so; another one is refused. */
function withoutPasswords(current: Values, values: Values): Values {
  const isPassword = (name: string) => Object.hasOwn(current, name) && current[name] === null
  const refused = Object.keys(values).filter((name) => isPassword(name) && values[name] !== null)
  if (refused.length > 0) {
    throw new MessageError(
      400,
      refused.map((name) => ({
        ...message('Mgmt.PasswordAttribute', name),
        related: [`#/Attributes/${pointerToken(name)}`]
      }))
    )
  }
  return Object.fromEntries(Object.entries(values).filter(([name]) => !isPassword(name)))
}
