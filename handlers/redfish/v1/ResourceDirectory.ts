import { resource } from '#data/resource'
import type { Get, Schema } from '#runtime/contract'

const text = { type: 'string', readonly: true } as const

export const schema = {
  title: '#VendorResourceDirectory.v1_0_0.VendorResourceDirectory',
  description: 'Every resource with its type and entity tag',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    Instances: {
      type: 'array',
      items: {
        type: 'object',
        required: ['@odata.id', '@odata.type', 'ETag'],
        properties: { '@odata.id': text, '@odata.type': text, ETag: text }
      }
    }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** The vendor's tools read it in place of walking, and go to what they need by its type. */
export const GET: Get<typeof schema> = ({ instances }) => ({
  Name: 'Resource directory',
  Instances: [...instances()]
})
