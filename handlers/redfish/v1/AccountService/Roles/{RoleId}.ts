import { roles } from '#data/accounts'
import { entry } from '#data/board'
import { resource } from '#data/resource'
import { type Get, notFound, type Schema, standardPrivileges, vendorPrivileges } from '#runtime/contract'

export const schema = {
  title: '#Role.v1_3_1.Role',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    AssignedPrivileges: { type: 'array', items: { type: 'string', enum: standardPrivileges }, readonly: true },
    IsPredefined: { type: 'boolean', readonly: true },
    OemPrivileges: { type: 'array', items: { type: 'string', enum: vendorPrivileges }, readonly: true },
    RoleId: { type: 'string', readonly: true }
  }
} as const satisfies Schema

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
