import { noAccess, refuseBeyond, roleId, roleIds, rolePrivileges } from '#data/accounts'
import { collection } from '#data/resource'
import {
  created,
  fail,
  type Get,
  list,
  members,
  object,
  type Post,
  standardPrivileges,
  vendorPrivileges
} from '#runtime/contract'

export const schema = collection('Role')

export const body = object(['RoleId'], {
  RoleId: roleId,
  AssignedPrivileges: list({ type: 'string', enum: standardPrivileges }),
  OemPrivileges: list({ type: 'string', enum: vendorPrivileges })
})

export const privileges = { GET: 'LoginPriv', POST: 'UserConfigPriv' } as const

export const GET: Get<typeof schema> = ({ uri, state }) => ({
  Name: 'Roles',
  ...members(uri, [...roleIds, ...state.keys('role')])
})

/** A custom role. It allows nothing that its maker may not do, and its id differs from others in more than their case. */
export const POST: Post<typeof body> = ({ uri, body, caller, state, configuration }) => {
  const { RoleId: id, AssignedPrivileges = [], OemPrivileges = [] } = body
  const isIt = (other: string) => other.toLowerCase() === id.toLowerCase()
  const known = state.keys('role')
  if ([...roleIds, noAccess].some(isIt)) fail(400, 'Base.RestrictedRole', id)
  if (known.some(isIt)) fail(409, 'Base.ResourceAlreadyExists', 'Role', 'RoleId', id)
  const role = { standard: distinct(AssignedPrivileges), vendor: distinct(OemPrivileges) }
  refuseBeyond(caller, rolePrivileges(role))
  if (known.length >= configuration.limits.roles) fail(409, 'Base.CreateLimitReachedForResource')
  return created(`${uri}/${id}`, { role: { [id]: role } }, { show: caller })
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}
