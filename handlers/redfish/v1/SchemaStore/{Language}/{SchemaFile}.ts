import { file, type GetFile, notFound } from '#runtime/contract'

export const privileges = { GET: 'LoginPriv' } as const

export const GET: GetFile<'Language' | 'SchemaFile'> = ({ params, document }) => {
  if (params.Language !== 'en') notFound()
  return file('application/json;charset=utf-8', document(`schemas/${params.SchemaFile}`) ?? notFound())
}
