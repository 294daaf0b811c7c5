import { attributeRegistryFileUri, registryFiles, registryFileUri } from '#data/registries'
import { languages, locations, resource } from '#data/resource'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = {
  title: '#MessageRegistryFile.v1_1_3.MessageRegistryFile',
  type: 'object',
  required: [...resource.required, 'Languages', 'Location', 'Registry'],
  properties: {
    ...resource.properties,
    Languages: languages,
    Location: locations,
    Registry: { type: 'string', readonly: true }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'MessageRegistryFileId'> = ({ params, documents, configuration }) => {
  const id = params.MessageRegistryFileId
  const name = registryFiles(documents, configuration.profile).get(id) ?? notFound()
  const [, version] = /\.(\d+\.\d+)\.\d+\.json$/.exec(name) ?? []
  return {
    Name: `${id} registry`,
    Description: `Where the file of the registry ${id} is`,
    Languages: ['en'],
    Location: [{ Language: 'en', Uri: version === undefined ? attributeRegistryFileUri(id) : registryFileUri(id) }],
    Registry: version === undefined ? id : `${id}.${version}`
  }
}
