import { roles } from '#data/accounts'
import { entry } from '#data/board'
import { resource } from '#data/resource'
import { type Get, list, notFound, standardPrivileges, vendorPrivileges } from '#runtime/contract'

export const schema = resource('Role.v1_3_1', 'A role and its privileges', {
  AssignedPrivileges: list({ type: 'string', enum: standardPrivileges }),
  IsPredefined: { type: 'boolean', readonly: true },
  OemPrivileges: list({ type: 'string', enum: vendorPrivileges }),
  RoleId: { type: 'string', readonly: true }
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'RoleId'> = ({ params }) => {
  const role = entry(roles, params.RoleId) ?? notFound()
  return {
    Name: params.RoleId,
    Description: role.description,
    AssignedPrivileges: role.standard,
    IsPredefined: true,
    OemPrivileges: role.vendor,
    RoleId: params.RoleId
  }
}
