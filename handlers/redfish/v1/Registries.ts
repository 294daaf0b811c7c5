import { collection } from '#data'
import { type Get, members, type Schema } from '#runtime'

export const schema = collection('MessageRegistryFile') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, documents }) => {
  const prefixes = documents.flatMap((name) => /^registries\/([^.]+)\./.exec(name)?.[1] ?? [])
  return { Name: 'Registries', ...members(uri, prefixes) }
}
