import { type Context, changed, deferred, fail, notFound, type Outcome, type Writable } from '#runtime/contract'
import { addPending } from './pending.ts'
import type { biosAttributes } from './schemas.ts'

type Settings = Context<'ComputerSystemId', { readonly Attributes?: Writable<typeof biosAttributes> }>

/**
 * 200 with `SystemResetRequired`: the values that a client asks for wait for the next reset. A BIOS and its `Settings`
 * take them alike.
 *
 * @param combine how they go together with what waits already
 * @throws MessageError 507 when more would wait than the limit allows
 */
export function changeBiosSettings({ params, body, configuration, state }: Settings, combine = addPending): Outcome {
  const system = params.ComputerSystemId
  const { attributes } = state.get('biosCurrent', system) ?? notFound()
  if (body.Attributes === undefined) return changed({})
  const before = state.get('biosPending', system)
  const pending = combine(attributes, before, body.Attributes, configuration.limits.biosPending)
  return deferred({ biosPending: { [system]: pending ?? fail(507, 'Base.InsufficientStorage') } })
}
