import {
  changedState,
  isMapped,
  keepAdministrator,
  predefinedRole,
  type Role,
  refuseBeyond,
  roleOf,
  rolePrivileges
} from '#data/accounts'
import { resource } from '#data/resource'
import {
  changed,
  type Delete,
  fail,
  type Get,
  list,
  type Methods,
  mergeArray,
  notFound,
  type Patch,
  standardPrivileges,
  vendorPrivileges
} from '#runtime/contract'

export const schema = resource('Role.v1_3_1', 'A role and its privileges', {
  AssignedPrivileges: { ...list({ type: 'string', enum: standardPrivileges }), readonly: false },
  IsPredefined: { type: 'boolean', readonly: true },
  OemPrivileges: { ...list({ type: 'string', enum: vendorPrivileges }), readonly: false },
  RoleId: { type: 'string', readonly: true }
})

export const privileges = { GET: 'LoginPriv', PATCH: 'UserConfigPriv', DELETE: 'UserConfigPriv' } as const

export const methods: Methods = ({ RoleId = '' }) =>
  predefinedRole(RoleId) === undefined ? ['GET', 'PATCH', 'DELETE'] : ['GET']

export const GET: Get<typeof schema, 'RoleId'> = ({ params, state }) => {
  const role = roleOf(state, params.RoleId) ?? notFound()
  const { description } = predefinedRole(params.RoleId) ?? { description: 'A custom role' }
  return {
    Name: params.RoleId,
    Description: description,
    AssignedPrivileges: role.standard,
    IsPredefined: predefinedRole(params.RoleId) !== undefined,
    OemPrivileges: role.vendor,
    RoleId: params.RoleId
  }
}

/** Takes effect at once for all accounts with the role. A role that allows more than the caller may do is not changed. */
export const PATCH: Patch<typeof schema, 'RoleId'> = ({ params, body, caller, state }) => {
  const before = state.get('role', params.RoleId) ?? notFound()
  const role: Role = {
    standard: patched(before.standard, body.AssignedPrivileges),
    vendor: patched(before.vendor, body.OemPrivileges)
  }
  for (const each of [before, role]) refuseBeyond(caller, rolePrivileges(each))
  keepAdministrator(state, changedState(state, 'role', params.RoleId, role))
  return changed({ role: { [params.RoleId]: role } })
}

export const DELETE: Delete<'RoleId'> = ({ params, caller, state }) => {
  refuseBeyond(caller, rolePrivileges(state.get('role', params.RoleId) ?? notFound()))
  const isUsed = state.keys('account').some((id) => state.get('account', id)?.role === params.RoleId)
  if (isUsed || isMapped(state, params.RoleId)) fail(409, 'Base.ResourceInUse')
  return changed({ role: { [params.RoleId]: null } })
}

function patched<T>(before: readonly T[], patch: readonly T[] | undefined): readonly T[] {
  return patch === undefined ? before : [...new Set(mergeArray(before, patch))]
}
