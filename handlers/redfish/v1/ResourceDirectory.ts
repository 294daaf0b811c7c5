import { resource } from '#data/resource'
import { type Get, list, object } from '#runtime/contract'

const text = { type: 'string', readonly: true } as const

export const schema = resource('VendorResourceDirectory.v1_0_0', 'Every resource with its type and entity tag', {
  Instances: list(object(['@odata.id', '@odata.type', 'ETag'], { '@odata.id': text, '@odata.type': text, ETag: text }))
})

export const privileges = { GET: 'LoginPriv' } as const

/** The vendor's tools read it in place of walking, and go to what they need by its type. */
export const GET: Get<typeof schema> = ({ instances }) => ({
  Name: 'Resource directory',
  Instances: [...instances()]
})
