import t from 'tap'
import { handlers } from '#generated'
import { as, type Fixture, keys, openFixture, password } from '#test/runtime/service.ts'

const auth = as('admin', password)
const content = { 'content-type': 'application/json', 'content-length': '1' }

/** Needed by what not even an administrator may do unless it was given to them. */
const unheld = new Set(
  handlers
    .flatMap(({ module }) => Object.values(module.privileges).map((each) => JSON.stringify(each)))
    .filter((each) => each.includes('SystemRecoveryConfigPriv'))
)

/** The URIs of all resources that a client finds from the root. */
async function crawl({ ask }: Fixture): Promise<string[]> {
  const found = new Set<string>()
  const waiting = ['/redfish/v1/']
  for (let uri = waiting.pop(); uri !== undefined; uri = waiting.pop()) {
    if (found.has(uri)) continue
    found.add(uri)
    const { text } = await ask('GET', uri)
    for (const [, link] of text.matchAll(/"(?:@odata\.id|target)":"([^"#]+\/)"/g)) waiting.push(link!)
  }
  return [...found].map((uri) => uri.slice(0, -1))
}

/** The identifiers of a URI by the template of its handler, if it is of that template. */
function identifiers(template: string, uri: string): string[] | undefined {
  const [expected, segments] = [template.split('/'), uri.split('/')]
  const fits = expected.every((part, at) => part.startsWith('{') || part === segments[at])
  return expected.length === segments.length && fits
    ? segments.filter((_, at) => expected[at]!.startsWith('{'))
    : undefined
}

t.test('an unknown identifier in any position is 404, for every method and body', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const uris = await crawl(fixture)
  for (const { template, module } of handlers) {
    const count = template.split('{').length - 1
    if (count === 0) continue
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    const known = uris.flatMap((uri) => {
      const ids = identifiers(template, uri)
      return ids === undefined ? [] : [ids]
    })
    for (let place = 0; place < count; place += 1) {
      for (const method of ['GET', 'PATCH', 'POST', 'PUT', 'DELETE'] as const) {
        if (module[method] === undefined || unheld.has(JSON.stringify(module.privileges[method]))) continue
        const has = (ids: string[]) =>
          module.methods?.(Object.fromEntries(ids.map((id, at) => [names[at], id]))).includes(method) ?? true
        const ids = (known.find(has) ?? names.map(() => 'nowhere')).with(place, 'nowhere')
        const uri = template.replace(/\{\w+\}/g, () => ids.shift()!)
        for (const body of method === 'GET' || method === 'DELETE' ? [undefined] : ['{}', '{"Nothing":1}', '[']) {
          const answer = await fixture.ask(method, `${uri}/`, body, body === undefined ? auth : { ...content, ...auth })
          t.equal(answer.status, 404, `${method} ${uri} ${body}`)
          if (answer.status === 404) t.same(keys(answer), ['Base.ResourceMissingAtURI'])
        }
      }
    }
  }
})
