import { collection, registryId } from '#data'
import { type Get, members, type Schema } from '#runtime'

export const schema = collection('MessageRegistryFile') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, documents }) => ({
  Name: 'Registries',
  ...members(
    uri,
    documents.flatMap((name) => registryId(name) ?? [])
  )
})
