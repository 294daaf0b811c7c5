import { resource } from '#data/resource'
import { targetUris } from '#data/updates'
import type { Get, Schema } from '#runtime/contract'

export const schema = {
  title: '#UpdateServiceCapabilities.v1_0_0.UpdateServiceCapabilities',
  description: 'What can be updated',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    AllowableTargets: { type: 'array', items: { type: 'string' }, readonly: true }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ machine }) => ({
  Name: 'Capabilities of the update service',
  AllowableTargets: targetUris(machine).map((uri) => `${uri}/`)
})
