import { registryFiles } from '#data/registries'
import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('MessageRegistryFile')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = (context) => ({
  Name: 'Registries',
  ...members(context.uri, [...registryFiles(context).keys()])
})
