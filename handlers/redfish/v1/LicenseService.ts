import { flag, reference, resource } from '#data/resource'
import { type Get, link } from '#runtime/contract'

export const schema = resource('LicenseService.v1_1_2', 'Licenses, and how they are installed', {
  Licenses: reference,
  ServiceEnabled: flag
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri }) => ({
  Name: 'License service',
  Licenses: link(`${uri}/Licenses`),
  ServiceEnabled: true
})
