import t from 'tap'
import { openFixture } from '#test/runtime/service.ts'

t.test('every resource has a description', async (t) => {
  const { ask, close } = await openFixture()
  t.teardown(close)
  const found = new Set<string>()
  const waiting = ['/redfish/v1/']
  for (let uri = waiting.pop(); uri !== undefined; uri = waiting.pop()) {
    if (found.has(uri)) continue
    found.add(uri)
    const { text, json } = await ask('GET', uri)
    if (json === undefined) continue
    t.type(json.Description, 'string', `${uri} ${json['@odata.type']}`)
    for (const [, link] of text.matchAll(/"@odata\.id":"([^"#]+\/)"/g)) waiting.push(link!)
  }
})
