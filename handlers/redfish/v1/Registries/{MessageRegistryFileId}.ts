import { attributeRegistryFileUri, registryFiles, registryFileUri } from '#data/registries'
import { languages, locations, resource } from '#data/resource'
import { type Get, notFound } from '#runtime/contract'

export const schema = resource(
  'MessageRegistryFile.v1_1_3',
  'A registry of messages, and where its file is',
  ['Languages', 'Location', 'Registry'],
  {
    Languages: languages,
    Location: locations,
    Registry: { type: 'string', readonly: true }
  }
)

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'MessageRegistryFileId'> = (context) => {
  const id = context.params.MessageRegistryFileId
  const name = registryFiles(context).get(id) ?? notFound()
  const [, version] = /\.(\d+\.\d+)\.\d+\.json$/.exec(name) ?? []
  return {
    Name: `${id} registry`,
    Description: `Where the file of the registry ${id} is`,
    Languages: ['en'],
    Location: [{ Language: 'en', Uri: version === undefined ? attributeRegistryFileUri(id) : registryFileUri(id) }],
    Registry: version === undefined ? id : `${id}.${version}`
  }
}
