import { file, type GetFile, notFound } from '#runtime/contract'

export const privileges = { GET: 'LoginPriv' } as const

/** JSON Schema, and the vendor's types in CSDL as well. */
export const GET: GetFile<'Language' | 'SchemaFile'> = ({ params, document }) => {
  if (params.Language !== 'en') notFound()
  const type = params.SchemaFile.endsWith('.xml') ? 'application/xml' : 'application/json'
  return file(`${type};charset=utf-8`, document(`schemas/${params.SchemaFile}`) ?? notFound())
}
