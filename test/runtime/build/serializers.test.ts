import { pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'
import t from 'tap'

const { serializers } = await import(pathToFileURL('runtime/build/serializers.mjs').href)

type Stringify = (resource: object) => string
type Schemas = Readonly<Record<string, object>>

/** The module made for some schemas, bundled and minified as for a product. */
function bundle(schemas: Schemas): string {
  const routes = Object.entries(schemas).map(([template, schema]) => ({ template, module: { schema } }))
  const { outputFiles } = buildSync({
    stdin: { contents: serializers(routes), resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false
  })
  return outputFiles[0]?.text ?? ''
}

async function load(schemas: Schemas): Promise<Readonly<Record<string, Stringify>>> {
  const source = Buffer.from(bundle(schemas)).toString('base64')
  return (await import(`data:text/javascript;base64,${source}`)).serializers
}

const collection = (title: string) => ({
  title,
  type: 'object',
  required: ['@odata.id', 'Name'],
  properties: {
    Name: { type: 'string' },
    '@odata.etag': { type: 'string' },
    '@odata.id': { type: 'string' },
    Members: {
      type: 'array',
      items: { type: 'object', required: ['@odata.id'], properties: { '@odata.id': { type: 'string' } } }
    },
    'Members@odata.count': { type: 'integer' },
    'Members@odata.nextLink': { type: 'string' }
  }
})

const bios = {
  title: '#Bios.v1_0_0.Bios',
  type: 'object',
  properties: {
    Text: { type: 'string', nullable: true, enum: ['a', 'b'], maxLength: 1 },
    Count: { type: 'integer', nullable: true },
    Ratio: { type: 'number', nullable: true },
    On: { type: 'boolean', nullable: true },
    Time: { type: 'string', format: 'date-time', nullable: true },
    Part: { type: 'object', nullable: true, properties: { Text: { type: 'string' } } },
    List: { type: 'array', nullable: true, items: { type: 'string', nullable: true } },
    Attributes: {
      type: 'object',
      properties: {},
      additionalProperties: { type: ['string', 'integer', 'boolean', 'null'] }
    },
    Plain: { type: 'string' }
  }
}

t.test('a resource is written as JSON.stringify would, control properties first', async (t) => {
  const { '/c': write } = await load({ '/c': collection('#A') })
  const resource = {
    Name: 'a "quoted"\nname ü😀\u0007',
    Members: [{ '@odata.id': '/1/' }, { '@odata.id': '/2/' }],
    'Members@odata.count': 2,
    '@odata.etag': 'W/"1"',
    '@odata.id': '/c/'
  }
  const text = write?.(resource) ?? ''
  t.same(JSON.parse(text), resource)
  t.match(text, /^\{"@odata\.id":"\/c\/","@odata\.etag":"W\/\\"1\\"","Name":/)
})

t.test('null stays null for every type', async (t) => {
  const { '/b': write } = await load({ '/b': bios })
  const nothing = { Text: null, Count: null, Ratio: null, On: null, Time: null, Part: null, List: null }
  t.same(JSON.parse(write?.(nothing) ?? ''), nothing)
  t.same(JSON.parse(write?.({ List: ['a', null] }) ?? ''), { List: ['a', null] })
})

t.test('values keep their types, free members too', async (t) => {
  const { '/b': write } = await load({ '/b': bios })
  const values = {
    Text: 'a',
    Count: 7,
    Ratio: 0.5,
    On: false,
    Time: '2024-01-01T00:00:00Z',
    Part: {},
    List: [],
    Attributes: { A: '1', B: 1, C: true, D: null, 'E"': '' },
    Plain: ''
  }
  t.same(JSON.parse(write?.(values) ?? ''), values)
})

t.test('undefined and undeclared members are left out', async (t) => {
  const { '/b': write } = await load({ '/b': bios })
  t.equal(write?.({ Text: undefined, Secret: 'x', Attributes: { A: undefined } }), '{"Attributes":{}}')
  t.equal(write?.({}), '{}')
})

t.test('additional properties are written as their schema declares', async (t) => {
  const part = { type: 'object', properties: { Text: { type: 'string' } } }
  const { '/f': write } = await load({ '/f': { type: 'object', properties: {}, additionalProperties: part } })
  t.equal(write?.({ A: { Text: 'a', Secret: 'x' }, B: {} }), '{"A":{"Text":"a"},"B":{}}')
})

t.test('null in a property that is not nullable is an error, not an empty string', async (t) => {
  const { '/b': write } = await load({ '/b': bios })
  t.throws(() => write?.({ Plain: null }), TypeError)
})

t.test('a resource without its first required member is an error', async (t) => {
  const { '/c': write } = await load({ '/c': collection('#A') })
  t.throws(() => write?.({ Name: 'x' }), /@odata\.id/)
})

t.test('equal shapes share one function', async (t) => {
  const { '/a': a, '/b': b, '/c': c } = await load({ '/a': collection('#A'), '/b': collection('#B'), '/c': bios })
  t.equal(a, b)
  t.not(a, c)
})

t.test('forty resources stay small', async (t) => {
  const schemas = Object.fromEntries(
    Array.from({ length: 40 }, (_, each) => {
      const own = Array.from({ length: 20 }, (_, index) => [
        `Property${each}x${index}`,
        { type: 'string', nullable: true }
      ])
      const { properties, ...rest } = collection('#A')
      return [`/${each}`, { ...rest, properties: { ...properties, ...Object.fromEntries(own) } }]
    })
  )
  const perProperty = (bundle(schemas).length - bundle({ '/': collection('#A') }).length) / (40 * 20)
  t.ok(perProperty < 110, `${Math.round(perProperty)} bytes for a property`)
})

t.test('a schema that needs a validator is refused, with the place', async (t) => {
  for (const word of ['anyOf', 'oneOf', 'if', 'allOf']) {
    const schema = { type: 'object', properties: { A: { type: 'array', items: { [word]: [{ type: 'string' }] } } } }
    t.throws(() => serializers([{ template: '/x', module: { schema } }]), new RegExp(`/x.*${word}`))
  }
})

t.test('a handler of files has no function', async (t) => {
  t.match(serializers([{ template: '/x', module: {} }]), /serializers = \{\s*\}/)
})
