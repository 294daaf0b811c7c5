import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('JsonSchemaFile')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, documents }) => ({
  Name: 'Schemas',
  ...members(
    uri,
    documents.flatMap((name) => /^schemas\/(.+)\.json$/.exec(name)?.[1] ?? [])
  )
})
