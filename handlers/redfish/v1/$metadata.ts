import { file, type GetFile, notFound } from '#runtime/contract'

export const privileges = { GET: 'NoAuth' } as const

/** The types of the service in OData's schema language (DSP0266 8.4.2). */
export const GET: GetFile = ({ document }) => file('application/xml;charset=utf-8', document('$metadata') ?? notFound())
