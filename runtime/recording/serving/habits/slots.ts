import { forgetSecondFactor, userName } from '#data/accounts'
import {
  changed,
  type Delete,
  fail,
  type HandlerModule,
  merged,
  type Outcome,
  type Patch,
  type Post
} from '#runtime/contract'
import type { Schema } from '#runtime/schema'
import type { Resource } from '../../resources.ts'
import { at } from '../context.ts'

type Change = Patch<Schema, string>

/**
 * An account in a slot, as makers have them: a PATCH of a free slot creates the account, and one that empties its name
 * deletes it.
 *
 * @param path of the slot
 * @param slot the account with its recorded members
 * @param accounts the collection of the service, with its URI
 */
export function slotted(path: string, slot: HandlerModule, accounts: HandlerModule, uri: string): HandlerModule {
  const { DELETE, ...module } = slot
  const names = Object.keys((accounts.body as Schema).properties)
  const PATCH: Change = async (context) => {
    const body = context.body as Resource
    const id = (context.params as Record<string, string>).ManagerAccountId ?? ''
    const isFree = context.state.get('account', id) === undefined
    if (body.UserName === '') {
      if (isFree) return changed({})
      const outcome = await (DELETE as Delete<string>)(at(id, context, undefined) as never)
      return { ...outcome, status: 200, writes: merged(outcome.writes ?? {}, { recorded: { [path]: null } }) }
    }
    if (!isFree) return await (slot.PATCH as Change)(context)
    for (const name of ['UserName', 'Password']) if (body[name] === undefined) fail(400, 'Base.PropertyMissing', name)
    const given = Object.fromEntries(names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]))
    const begun = at(uri, context, { RoleId: 'ReadOnly', ...given })
    const { writes }: Outcome = await (accounts.POST as Post<Schema, string>)(begun as never)
    const [account] = Object.values(writes?.account ?? {})
    return changed({ account: { [id]: account! }, ...forgetSecondFactor(id) })
  }
  const properties = { ...slot.schema?.properties, UserName: emptiable }
  return { ...module, schema: { type: 'object', ...slot.schema, properties }, PATCH }
}

/** The name of an account, or none. */
const emptiable = { ...userName, minLength: 0, pattern: `^$|${userName.pattern}`, readonly: false } as const
