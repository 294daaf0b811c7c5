import { file, type GetFile, notFound } from '#runtime/contract'

export const privileges = { GET: 'NoAuth' } as const

/** The service as OpenAPI describes it (DSP0266 15). */
export const GET: GetFile = ({ document }) =>
  file('application/yaml;charset=utf-8', document('openapi.yaml') ?? notFound())
