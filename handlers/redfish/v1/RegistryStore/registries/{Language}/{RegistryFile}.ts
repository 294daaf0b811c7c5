import { registryFiles, schemaOf } from '#data/registries'
import { file, type GetFile, notFound } from '#runtime/contract'

export const privileges = { GET: 'LoginPriv' } as const

/** `Base.json` and `Base.1.19.0.json` are the same file. */
export const GET: GetFile<'Language' | 'RegistryFile'> = (context) => {
  const { params, document, documents } = context
  if (params.Language !== 'en') notFound()
  const prefix = /^([^.]+)\.json$/.exec(params.RegistryFile)?.[1]
  const files = registryFiles(context)
  const named = [...files.values()].find((each) => each.endsWith(`/${params.RegistryFile}`))
  const name = (prefix === undefined ? named : files.get(prefix)) ?? notFound()
  const type = /\.\d+\.\d+\.\d+\.json$/.test(name) ? 'MessageRegistry' : 'AttributeRegistry'
  return file('application/json;charset=utf-8', document(name) ?? notFound(), schemaOf(type, documents))
}
