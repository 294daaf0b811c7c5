import { pageFile, pageHeaders, pageType } from '#data/page'
import { file, type GetFile, notFound } from '#runtime/contract'

export const privileges = { GET: 'NoAuth' } as const

/** A file of the page. Its name says what is in it, so that browsers keep it. */
export const GET: GetFile<'PageFile'> = ({ params, document, configuration }) => {
  const type = pageType(params.PageFile) ?? notFound()
  const found = configuration.page ? document(pageFile(params.PageFile)) : undefined
  return { ...file(type, found ?? notFound()), headers: pageHeaders, immutable: true }
}
