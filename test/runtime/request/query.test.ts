import t from 'tap'
import { chooseMembers, firstPage, parseQuery, soleMember, withoutOnly } from '#runtime/request/query.ts'
import { selectFrom } from '#runtime/request/select.ts'
import { toEnd } from '#runtime/request/turns.ts'
import { faults } from './faults.ts'

const limits = { jsonDepth: 4, collectionPage: 3, expandLevels: 6, expandResources: 20 }
const parse = (search: string) => faults(() => parseQuery(search, limits))
const none = () => undefined

/** A resource under a query. */
const answer = (resource: object, search: string, read: (uri: string) => object | undefined = none) =>
  faults(() => {
    const query = parseQuery(search, limits)
    if (query === undefined) return firstPage(resource, '/c/', limits)
    const whole = toEnd(chooseMembers(resource, query, '/c/', limits, read))
    return query.select === undefined ? whole : selectFrom(whole, query.select)
  })

const collection = (count: number) => ({
  '@odata.id': '/c/',
  Members: Array.from({ length: count }, (_, index) => ({ '@odata.id': `/c/${index}/` })),
  'Members@odata.count': count
})

const ids = (...numbers: number[]) => numbers.map((each) => ({ '@odata.id': `/c/${each}/` }))

t.test('without an option that the service knows there is no query', async (t) => {
  for (const search of ['', '&', 'x=1', 'top=1', 'select=Name&_=123', '%20only'])
    t.same(parse(search), { returned: undefined })
})

t.test('another option with a dollar is not implemented', async (t) => {
  t.same(parse('$orderby=Name'), [501, ['Base.QueryParameterUnsupported', '$orderby']])
  t.same(parse('%24search=x'), [501, ['Base.QueryParameterUnsupported', '$search']])
  t.same(parse('$__proto__=x'), [501, ['Base.QueryParameterUnsupported', '$__proto__']])
  t.same(parse('$rest=x'), [501, ['Base.QueryParameterUnsupported', '$rest']])
  t.same(parse('$only'), [501, ['Base.QueryParameterUnsupported', '$only']])
})

t.test('an option given twice is refused', async (t) => {
  t.same(parse('$top=1&$top=1'), [400, ['Base.QueryParameterValueError', '$top']])
  t.same(parse('only&only'), [400, ['Base.QueryParameterValueError', 'only']])
  t.same(parse('x=1&x=2'), { returned: undefined })
})

t.test('a bad escape in a query is refused', async (t) => {
  t.same(parse('$select=%zz'), [400, ['Base.QueryParameterValueFormatError', '%zz', '$select']])
  t.same(parse('$select=%ff'), [400, ['Base.QueryParameterValueFormatError', '%ff', '$select']])
  t.same(parse('%=1'), [400, ['Base.QueryParameterValueFormatError', '%', '?']])
})

t.test('only takes no value, and no company that would say otherwise', async (t) => {
  t.match(parse('only'), { returned: { only: true } })
  t.match(parse('only='), { returned: { only: true } })
  t.same(parse('only=1'), [400, ['Base.QueryParameterValueError', 'only']])
  t.same(parse('only&$top=0'), [400, ['Base.QueryCombinationInvalid']])
  t.match(parse('only&$select=Name'), { returned: { only: true } })
})

t.test('top and skip are natural numbers', async (t) => {
  t.match(parse('$top=0&$skip=12'), { returned: { top: 0, skip: 12 } })
  for (const value of ['', 'x', '1.5', '1e3', '0x1', ' 1']) {
    t.same(parse(`$top=${value}`), [400, ['Base.QueryParameterValueTypeError', value, '$top']])
  }
  const range = '0-9007199254740991'
  t.same(parse('$skip=-1'), [400, ['Base.QueryParameterOutOfRange', '-1', '$skip', range]])
  t.same(parse('$skip=9007199254740992'), [400, ['Base.QueryParameterOutOfRange', '9007199254740992', '$skip', range]])
})

t.test('count is true or false', async (t) => {
  t.match(parse('$count=false'), { returned: { count: false } })
  t.same(parse('$count=1'), [400, ['Base.QueryParameterValueTypeError', '1', '$count']])
})

t.test('expand names its links and its levels', async (t) => {
  t.match(parse('$expand=.'), { returned: { expand: { links: '.', levels: 1 } } })
  t.match(parse('%24expand=%2A%28%24levels%3D6%29'), { returned: { expand: { links: '*', levels: 6 } } })
  for (const value of ['', 'Members', '.()', '~($levels=)', '.($levels=1', '.($levels=-1)', '..']) {
    t.same(parse(`$expand=${value}`), [400, ['Base.QueryParameterValueFormatError', value, '$expand']], value)
  }
  t.same(parse('$expand=.($levels=7)'), [400, ['Base.QueryParameterOutOfRange', '7', '$expand', '1-6']])
  t.same(parse('$expand=.($levels=0)'), [400, ['Base.QueryParameterOutOfRange', '0', '$expand', '1-6']])
})

t.test('a selection has no empty names', async (t) => {
  for (const value of ['', ',', 'A,', 'A//B', '/A', 'A/']) {
    t.same(parse(`$select=${value}`), [400, ['Base.QueryParameterValueFormatError', value, '$select']], value)
  }
})

t.test('a wrong filter is refused, cut to a length fit for a message', async (t) => {
  t.same(parse('$filter=Name'), [400, ['Base.QueryParameterValueFormatError', 'Name', '$filter']])
  const cut = `${'x'.repeat(64)}…`
  t.same(parse(`$filter=${'x'.repeat(100)}`), [400, ['Base.QueryParameterValueFormatError', cut, '$filter']])
})

const bios = {
  '@odata.id': '/b/',
  '@odata.type': '#Bios.v1_0_0.Bios',
  Id: 'Bios',
  Boot: { '@odata.type': '#Boot', Target: 'Pxe', 'Target@Redfish.AllowableValues': ['None', 'Pxe'], Mode: 'UEFI' },
  Attributes: { A: 1, B: null },
  Slots: [{ Name: 'a', Lanes: 4 }, { Name: 'b' }, 5],
  '@Redfish.Settings': { '@odata.type': '#Settings', Messages: [{ MessageId: 'x' }], ETag: 'y' }
}

t.test('$select keeps the named and the control properties', async (t) => {
  const control = { '@odata.id': '/b/', '@odata.type': '#Bios.v1_0_0.Bios' }
  t.same(answer(bios, '$select=Attributes/A'), { returned: { ...control, Attributes: { A: 1 } } })
  t.same(answer(bios, '$select=Id,%20Attributes/B'), { returned: { ...control, Id: 'Bios', Attributes: { B: null } } })
  t.same(answer(bios, '$select=@Redfish.Settings/Messages'), {
    returned: { ...control, '@Redfish.Settings': { '@odata.type': '#Settings', Messages: [{ MessageId: 'x' }] } }
  })
  t.same(answer(bios, '$select=Nothing,Id/Deeper'), { returned: control })
  t.same(answer(bios, '$select=*'), { returned: bios })
})

t.test('select of a property brings its annotations', async (t) => {
  t.same(answer(bios, '$select=Boot/Target'), {
    returned: {
      '@odata.id': '/b/',
      '@odata.type': '#Bios.v1_0_0.Bios',
      Boot: { '@odata.type': '#Boot', Target: 'Pxe', 'Target@Redfish.AllowableValues': ['None', 'Pxe'] }
    }
  })
})

t.test('select applies to the elements of arrays, and a whole property includes its parts', async (t) => {
  t.match(answer(bios, '$select=Slots/Name'), { returned: { Slots: [{ Name: 'a' }, { Name: 'b' }, 5] } })
  t.notMatch(answer(bios, '$select=Slots/Name'), { returned: { Slots: [{ Lanes: 4 }] } })
  t.match(answer(bios, '$select=Boot/Mode,Boot'), { returned: { Boot: { Target: 'Pxe', Mode: 'UEFI' } } })
  t.match(answer(bios, '$select=Boot,Boot/Mode'), { returned: { Boot: { Target: 'Pxe', Mode: 'UEFI' } } })
})

t.test('a short collection is shown whole', async (t) => {
  t.same(answer(collection(3), ''), { returned: collection(3) })
})

t.test('a long collection has pages, each with a link to the next', async (t) => {
  t.same(answer(collection(7), ''), {
    returned: { ...collection(7), Members: ids(0, 1, 2), 'Members@odata.nextLink': '/c/?$skip=3' }
  })
  t.same(answer(collection(7), '$skip=3'), {
    returned: { ...collection(7), Members: ids(3, 4, 5), 'Members@odata.nextLink': '/c/?$skip=6' }
  })
  t.same(answer(collection(7), '$skip=6'), { returned: { ...collection(7), Members: ids(6) } })
  t.same(answer(collection(7), '$skip=99'), { returned: { ...collection(7), Members: [] } })
})

t.test('top is the most that is wanted, over all pages', async (t) => {
  t.same(answer(collection(7), '$top=2&$skip=1'), { returned: { ...collection(7), Members: ids(1, 2) } })
  t.same(answer(collection(7), '$top=0'), { returned: { ...collection(7), Members: [] } })
  t.same(answer(collection(9), '$top=5'), {
    returned: { ...collection(9), Members: ids(0, 1, 2), 'Members@odata.nextLink': '/c/?$top=2&$skip=3' }
  })
  t.same(answer(collection(9), '$top=2&$skip=3'), { returned: { ...collection(9), Members: ids(3, 4) } })
})

t.test('the link to the next page repeats the other options as they were written', async (t) => {
  const members = (uri: string) => ({ '@odata.id': uri, On: uri !== '/c/0/' })
  t.match(answer(collection(9), '$filter=On%20eq%20true&x=1&$expand=.&$select=Members', members), {
    returned: {
      Members: ids(1, 2, 3),
      'Members@odata.count': 8,
      'Members@odata.nextLink': '/c/?$filter=On%20eq%20true&$expand=.&$select=Members&$skip=3'
    }
  })
})

t.test('filter reads the members, and leaves out those that cannot be read', async (t) => {
  const read = (uri: string) => (uri === '/c/2/' ? undefined : { '@odata.id': uri, Number: Number(uri.split('/')[2]) })
  t.same(answer(collection(5), '$filter=Number ge 1', read), {
    returned: { ...collection(5), Members: ids(1, 3, 4), 'Members@odata.count': 3 }
  })
  t.match(answer(collection(5), '$filter=Number+eq+null', read), {
    returned: { Members: [], 'Members@odata.count': 0 }
  })
  t.same(answer(collection(21), '$filter=Number ge 1', read), [507, ['Base.InsufficientStorage']])
})

t.test('filter looks into members that are in the collection themselves', async (t) => {
  const log = {
    Members: [
      { '@odata.id': '/l/1/', Severity: 'OK' },
      { '@odata.id': '/l/2/', Severity: 'Critical' }
    ]
  }
  t.same(answer(log, "$filter=Severity eq 'Critical'"), {
    returned: { Members: [{ '@odata.id': '/l/2/', Severity: 'Critical' }], 'Members@odata.count': 1 }
  })
})

t.test('options for collections are refused elsewhere', async (t) => {
  for (const search of ['$top=1', '$skip=0', '$filter=A eq 1', '$count=false']) {
    t.same(answer({ Id: '1' }, search), [400, ['Base.QueryNotSupportedOnResource']], search)
  }
})

t.test('only leaves the other options for the resource that is answered', async (t) => {
  const others = (search: string) => faults(() => withoutOnly(parseQuery(search, limits)!))
  t.same(others('only'), { returned: undefined })
  t.match(others('only&$select=Name'), { returned: { select: parseQuery('$select=Name', limits)!.select } })
  t.match(others('$expand=.&only='), { returned: { expand: { links: '.' }, rest: ['$expand=.'] } })
})

t.test('only knows the sole member of a collection', async (t) => {
  t.equal(soleMember(collection(1)), '/c/0/')
  t.equal(soleMember(collection(0)), undefined)
  t.equal(soleMember(collection(2)), undefined)
  t.same(
    faults(() => soleMember({ Id: '1' })),
    [400, ['Base.QueryNotSupportedOnResource']]
  )
})
