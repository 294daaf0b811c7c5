import t from 'tap'
import { type Expansion, expand, parseExpand } from '#runtime/request/expand.ts'
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

const root = resources['/top/'] as object
const read = (uri: string) => resources[uri]
const expanded = (text: string, most = 100) =>
  faults(() => {
    const { resource, write } = toEnd(expand(root, parseExpand(text) as Expansion, most, read))
    t.equal(write(resource), JSON.stringify(resource), `the text of ${text}`)
    return resource
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

t.test('links to a part, and to what cannot be read, stay links', async (t) => {
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
})

t.test('what was read is not changed', async (t) => {
  const before = JSON.stringify(resources)
  expanded('*($levels=4)', 10_000)
  t.equal(JSON.stringify(resources), before)
})
