import { schemaOf } from '#data/registries'
import { file, type GetFile, notFound } from '#runtime/contract'

export const privileges = { GET: 'LoginPriv' } as const

/** Which privileges each operation needs (DSP0266 13.4.5); made at build time from what the handlers declare. */
export const GET: GetFile = ({ document, documents }) => {
  const schema = schemaOf('PrivilegeRegistry', documents)
  return file('application/json;charset=utf-8', document('privileges.json') ?? notFound(), schema)
}
