import { child, flag, resource } from '#data/resource'
import type { Get } from '#runtime/contract'

export const schema = resource('LicenseService.v1_1_2', 'Licenses, and how they are installed', {
  Licenses: child('Licenses'),
  ServiceEnabled: flag
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = () => ({
  Name: 'License service',
  ServiceEnabled: true
})
