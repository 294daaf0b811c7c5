import t from 'tap'
import { utf8, utf8Text } from '#runtime/base/bytes.ts'
import { type Content, type Expansion, expand, parseExpand, readExpansion } from '#runtime/request/expand.ts'
import { toEnd } from '#runtime/request/turns.ts'
import { faults } from './faults.ts'

const link = (uri: string) => ({ '@odata.id': uri })

const resources: Record<string, object> = {
  '/top/': {
    ...link('/top/'),
    Systems: link('/systems/'),
    Part: link('/top/#/Temperatures/0'),
    Secret: link('/secret/'),
    Oem: { Own: { Extra: link('/extra/') } },
    Links: { Chassis: [link('/chassis/')], Oem: { Log: link('/extra/') } }
  },
  '/systems/': { ...link('/systems/'), Members: [link('/s1/'), link('/s2/')], 'Members@odata.count': 2 },
  '/s1/': { ...link('/s1/'), Id: '1', Links: { Chassis: [link('/chassis/')] } },
  '/s2/': { ...link('/s2/'), Id: '2' },
  '/chassis/': { ...link('/chassis/'), Name: 'rack', Root: link('/top/'), Links: { Systems: [link('/s1/')] } },
  '/extra/': { ...link('/extra/'), Name: 'extra', Nothing: null, Empty: [], List: [null, 1] }
}

const content = (resource: object, moments?: Int32Array) => ({ body: utf8(`${JSON.stringify(resource)}\n`), moments })
const root = resources['/top/'] as object
const contents = new Map(Object.entries(resources).map(([uri, resource]) => [uri, content(resource)]))
const read = (uri: string) => contents.get(uri)

/** The content after an expansion. */
function expandedContent(whole: Content, text: string, most = 100): Content {
  const expansion = parseExpand(text) as Expansion
  toEnd(readExpansion(whole, expansion, most, read))
  return toEnd(expand(whole, expansion, read))
}

const expanded = (text: string, most?: number, of = root) =>
  faults(() => {
    const body = utf8Text(expandedContent(content(of), text, most).body)
    t.equal(body.indexOf('\n'), body.length - 1, 'one final newline')
    return JSON.parse(body)
  }) as { returned: object }

t.test('a dot expands the links outside of Links', async (t) => {
  t.same(expanded('.').returned, {
    ...root,
    Systems: resources['/systems/'],
    Oem: { Own: { Extra: resources['/extra/'] } }
  })
})

t.test('a tilde expands those in Links', async (t) => {
  t.same(expanded('~').returned, {
    ...root,
    Links: { Chassis: [resources['/chassis/']], Oem: { Log: resources['/extra/'] } }
  })
})

t.test('a star expands both', async (t) => {
  t.same(expanded('*').returned, {
    ...root,
    Systems: resources['/systems/'],
    Oem: { Own: { Extra: resources['/extra/'] } },
    Links: { Chassis: [resources['/chassis/']], Oem: { Log: resources['/extra/'] } }
  })
})

t.test('levels say through how many links', async (t) => {
  t.match(expanded('.').returned, { Systems: { Members: [link('/s1/'), link('/s2/')] } })
  t.notMatch(expanded('.').returned, { Systems: { Members: [{ Id: '1' }] } })
  t.match(expanded('.($levels=2)').returned, { Systems: { Members: [{ Id: '1' }, { Id: '2' }] } })
  t.same(expanded('~($levels=2)').returned, {
    ...root,
    Links: {
      Chassis: [{ ...resources['/chassis/'], Links: { Systems: [resources['/s1/']] } }],
      Oem: { Log: resources['/extra/'] }
    }
  })
})

t.test('links to a part, and to an unreadable resource, stay links', async (t) => {
  t.match(expanded('*($levels=6)').returned, { Part: link('/top/#/Temperatures/0'), Secret: link('/secret/') })
  t.same(Object.keys((expanded('*').returned as { Part: object }).Part), ['@odata.id'])
})

t.test('resources that link to one another end at the last level', async (t) => {
  const found = JSON.stringify(expanded('*($levels=6)', 10_000).returned)
  t.ok(found.length > JSON.stringify(expanded('*($levels=5)', 10_000).returned).length)
})

t.test('an answer that would grow beyond its bound is refused', async (t) => {
  t.same(expanded('*($levels=6)', 20), [507, ['Base.InsufficientStorage']])
  t.same(expanded('.', 3).returned, expanded('.', 100).returned)
  t.same(expanded('.', 2), [507, ['Base.InsufficientStorage']])
  // Two links, each with two more.
  const twice = { ...link('/twice/'), One: link('/systems/'), Two: link('/systems/') }
  t.match(expanded('.($levels=2)', 6, twice).returned, { Two: { Members: [{ Id: '1' }, { Id: '2' }] } })
  t.same(expanded('.($levels=2)', 5, twice), [507, ['Base.InsufficientStorage']], 'the same resource counts each time')
})

t.test('only links are expanded, whatever the text around them looks like', async (t) => {
  const odd = {
    ...link('/odd/'),
    Text: 'a "Links":{ "quoted" {"@odata.id":"/extra/"} \\" {',
    Ä: { Links: { 'a}b': 'c}"', Deep: { Extra: link('/extra/') } }, After: link('/s2/') },
    Whole: { ...link('/s1/'), Id: '1' },
    'Links@odata.count': 1
  }
  const deep = { Links: { 'a}b': 'c}"', Deep: { Extra: resources['/extra/'] } }, After: link('/s2/') }
  t.same(expanded('~', 9, odd).returned, { ...odd, Ä: deep })
  t.same(expanded('.', 9, odd).returned, { ...odd, Ä: { ...odd.Ä, After: resources['/s2/'] } })
})

t.test('the places of the time move with the text that they are in', async (t) => {
  const timed = (resource: object) => {
    const text = JSON.stringify(resource)
    const places = [...text.matchAll(/T\d/g)].map(({ index }) => utf8(text.slice(0, index)).length)
    return content(resource, Int32Array.from(places.flatMap((place, n) => [place, n])))
  }
  contents.set('/timed/', timed({ ...link('/timed/'), Ä: '€', A: 'T1', Extra: link('/extra/'), B: 'T2' }))
  t.teardown(() => contents.delete('/timed/'))
  const whole = timed({ A: 'T3', One: link('/timed/'), B: 'T4', Two: link('/timed/'), C: 'T5' })
  for (const [text, order] of [
    ['.', ['T3', 'T1', 'T2', 'T4', 'T1', 'T2', 'T5']],
    ['.($levels=2)', ['T3', 'T1', 'T2', 'T4', 'T1', 'T2', 'T5']],
    ['~', ['T3', 'T4', 'T5']]
  ] as const) {
    const { body, moments = [] } = expandedContent(whole, text)
    const places = [...moments].filter((_, n) => n % 2 === 0)
    t.same(
      places.map((place) => utf8Text(body.subarray(place, place + 2))),
      order,
      text
    )
  }
  t.equal(expandedContent(content(root), '*').moments, undefined)
})
