import { schemaFileUri } from '#data/registries'
import { languages, locations, resource } from '#data/resource'
import { type Get, notFound } from '#runtime/contract'

export const schema = resource(
  'JsonSchemaFile.v1_1_5',
  'A schema, and where its file is',
  ['Languages', 'Location', 'Schema'],
  {
    Languages: languages,
    Location: locations,
    Schema: { type: 'string', readonly: true }
  }
)

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
