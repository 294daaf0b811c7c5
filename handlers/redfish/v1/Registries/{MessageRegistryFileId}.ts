import { languages, locations, resource } from '#data'
import { type Get, notFound, type Schema } from '#runtime'

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

export const GET: Get<typeof schema, 'MessageRegistryFileId'> = ({ params, documents }) => {
  const prefix = params.MessageRegistryFileId
  const name = documents.find((each) => each.split('.')[0] === `registries/${prefix}`) ?? notFound()
  const [, major, minor] = name.split('.')
  return {
    Name: `${prefix} registry`,
    Description: `Where the file of the message registry ${prefix} is`,
    Languages: ['en'],
    Location: [{ Language: 'en', Uri: `/redfish/v1/RegistryStore/registries/en/${prefix}.json` }],
    Registry: `${prefix}.${major}.${minor}`
  }
}
