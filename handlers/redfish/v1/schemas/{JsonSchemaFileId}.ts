import { schemaFileUri } from '#data/registries'
import { languages, locations, resource } from '#data/resource'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = {
  title: '#JsonSchemaFile.v1_1_5.JsonSchemaFile',
  type: 'object',
  required: [...resource.required, 'Languages', 'Location', 'Schema'],
  properties: {
    ...resource.properties,
    Languages: languages,
    Location: locations,
    Schema: { type: 'string', readonly: true }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'JsonSchemaFileId'> = ({ params, document }) => {
  const id = params.JsonSchemaFileId
  document(`schemas/${id}.json`) ?? notFound()
  const type = id.split('.')[0]
  return {
    Name: `${type} schema`,
    Description: `Where the file of the schema ${type} is`,
    Languages: ['en'],
    Location: [{ Language: 'en', Uri: schemaFileUri(id) }],
    Schema: `#${id}.${type}`
  }
}
