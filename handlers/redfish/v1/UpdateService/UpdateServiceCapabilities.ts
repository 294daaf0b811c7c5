import { resource } from '#data/resource'
import { targetUris } from '#data/updates'
import { type Get, list } from '#runtime/contract'

export const schema = resource('UpdateServiceCapabilities.v1_0_0', 'What can be updated', {
  AllowableTargets: list({ type: 'string' })
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ machine }) => ({
  Name: 'Capabilities of the update service',
  AllowableTargets: targetUris(machine).map((uri) => `${uri}/`)
})
