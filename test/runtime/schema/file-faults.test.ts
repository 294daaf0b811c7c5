import t from 'tap'
import { fileFaults, type Schema } from '#runtime/schema'

const schema = {
  type: 'object',
  required: ['name', 'parts'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 8 },
    kind: { type: 'string', enum: ['Rack', 'Blade'] },
    mac: { type: 'string', pattern: '^[0-9A-F]{2}$' },
    uuid: { type: 'string', format: 'uuid' },
    port: { type: 'integer', minimum: 0, maximum: 65_535 },
    share: { type: 'number', minimum: 1 },
    most: { type: 'integer', maximum: 5 },
    on: { type: 'boolean' },
    address: { type: 'string', nullable: true },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    key: { type: 'string', pattern: '^k' },
    option: { type: ['string', 'integer', 'null'] },
    parts: {
      type: 'object',
      properties: {},
      additionalProperties: {
        type: 'object',
        required: ['slot'],
        properties: { slot: { type: 'integer' }, readonly: { type: 'boolean', readonly: true } }
      }
    }
  }
} as const satisfies Schema

const sound = { name: 'x', parts: {} }
const of = (changed: object, separator?: string) => fileFaults(schema, { ...sound, ...changed }, separator)

t.test('a valid file has no faults, and null is accepted if declared', async (t) => {
  t.same(fileFaults(schema, sound), [])
  t.same(of({ address: null, option: null, parts: { 'CPU 1': { slot: 1, readonly: true } } }), [])
})

t.test('an undeclared member is named with its path, and so is an annotation', async (t) => {
  t.same(of({ colour: 'blue' }), ['colour is not known'])
  t.same(of({ parts: { 'CPU 1': { slot: 1, slto: 2, 'a@b.c': 3 } } }), [
    'parts/CPU 1/slto is not known',
    'parts/CPU 1/a@b.c is not known'
  ])
  t.same(of(JSON.parse('{"parts":{"__proto__":{"slot":1,"size":2}}}')), ['parts/__proto__/size is not known'])
})

t.test('a member that is missing is named', async (t) => {
  t.same(fileFaults(schema, { parts: { a: {} } }), ['parts/a/slot is missing', 'name is missing'])
  t.same(of({ name: undefined }), ['name is missing'])
})

t.test('a value of another type is named, with the expected type', async (t) => {
  t.same(of({ name: 7, port: '1', share: true, on: 1, tags: {}, parts: [], option: {} }), [
    'name is not a string',
    'parts is not an object',
    'port is not an integer from 0 to 65535',
    'share is not a number from 1',
    'on is not true or false',
    'tags is not an array',
    'option is not a string, an integer or null'
  ])
  t.same(of({ port: Number.NaN, address: 7 }), [
    'port is not an integer from 0 to 65535',
    'address is not a string or null'
  ])
  for (const content of [null, [], 'text', 7]) t.same(fileFaults(schema, content), ['it is not an object'])
})

t.test('a value that its schema refuses is named and shown, with the expected one', async (t) => {
  t.same(of({ kind: 'Sledgehammer', port: 65_536, share: 0.5, most: 6 }), [
    'kind is Sledgehammer, not one of Rack, Blade',
    'port is 65536, not an integer from 0 to 65535',
    'share is 0.5, not a number from 1',
    'most is 6, not an integer up to 5'
  ])
  t.same(of({ name: '', mac: 'zz', uuid: 'x' }), [
    'name has fewer than 1 characters',
    'mac is zz, which does not match ^[0-9A-F]{2}$',
    'uuid is x, which is not a uuid'
  ])
  t.same(of({ name: 'a name too long', tags: ['a', 'b', 'c'] }), [
    'name has more than 8 characters',
    'tags has more than 2 elements'
  ])
  t.same(of({ tags: ['a', 'b\0'] }), ['tags/1 is b\\u0000, which is not text'])
})

t.test('a member whose name denotes a secret is not shown', async (t) => {
  t.same(of({ key: 'secret' }), ['key is ******, which does not match ^k'])
})

t.test('paths can have another separator and a prefix', async (t) => {
  t.same(of({ parts: { a: {} } }, '.'), ['parts.a.slot is missing'])
  t.same(fileFaults(schema, sound, '/', ['systems', '1']), [])
  t.same(fileFaults(schema, { name: 'x' }, '/', ['systems', '1']), ['systems/1/parts is missing'])
  t.same(fileFaults(schema, 7, '/', ['systems', '1']), ['systems/1 is not an object'])
})

t.test('each fault is one line, and a long one is cut', async (t) => {
  t.same(of({ 'a\nb': 1, [`${'n'.repeat(100)}`]: 1 }), ['a\\nb is not known', `${'n'.repeat(64)}… is not known`])
})
