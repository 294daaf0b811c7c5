import { pageDocument, pageHeaders, pageType } from '#data/page'
import { file, type GetFile, notFound } from '#runtime/contract'

/** Where a browser asks for it; other clients are sent on to the service root. */
export const alias = '/'

export const privileges = { GET: 'NoAuth' } as const

/** The page that shows the machine in a browser. It has no data; it asks for all of it with its user's login. */
export const GET: GetFile = ({ document, configuration }) => {
  const html = configuration.page ? document(pageDocument) : undefined
  return { ...file(pageType(pageDocument)!, html ?? notFound()), headers: [...pageHeaders, 'Vary', 'Accept'] }
}
