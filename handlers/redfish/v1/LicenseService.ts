import { flag, reference, resource } from '#data/resource'
import { type Get, link, type Schema } from '#runtime/contract'

export const schema = {
  title: '#LicenseService.v1_1_2.LicenseService',
  description: 'Licenses, and how they are installed',
  type: 'object',
  required: resource.required,
  properties: { ...resource.properties, Licenses: reference, ServiceEnabled: flag }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri }) => ({
  Name: 'License service',
  Licenses: link(`${uri}/Licenses`),
  ServiceEnabled: true
})
