import t from 'tap'
import { pageFile } from '#data/page'
import { GET } from '#handlers/page/{PageFile}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('browsers keep a file of the page, unless the configuration switches the page off', async (t) => {
  const given = (PageFile: string, page: boolean) =>
    context({ params: { PageFile }, documents: { [pageFile('app.js')]: 'x' }, configuration: { page } })
  t.match(GET(given('app.js', true)), { type: /javascript/, immutable: true })
  for (const [name, page] of [
    ['app.js', false],
    ['other.js', true],
    ['app', true]
  ] as const)
    t.same(await refusal(() => GET(given(name, page))), missing, name)
})
