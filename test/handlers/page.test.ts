import t from 'tap'
import { pageDocument } from '#data/page'
import { GET } from '#handlers/page.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('the page is there unless the configuration switches it off', async (t) => {
  const documents = { [pageDocument]: '<html>' }
  t.match(GET(context({ documents, configuration: { page: true } })), { type: /^text\/html/ })
  t.same(await refusal(() => GET(context({ documents, configuration: { page: false } }))), missing)
  t.same(await refusal(() => GET(context({ configuration: { page: true } }))), missing)
})
