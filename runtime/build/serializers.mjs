/** @import { Property } from '../schema/schema.ts' */
/** @import { Route } from './handlers.mjs' */
/** @import { AnyProperty } from './types.mjs' */
import build from 'fast-json-stringify'

/**
 * The source of an ES module whose `serializers` maps each template with a schema to a function that writes its
 * resource as JSON. fast-json-stringify makes the code, in one go for all resources: equal shapes, however deep,
 * become one definition and so one function.
 *
 * The functions write declared properties only, those of `@odata.` first, and omit undefined values. They trust
 * TypeScript for the types, and throw a TypeError for `null` in a property that is not nullable.
 *
 * @param {readonly Route[]} routes
 * @throws {Error} for a schema that would need a validator at run time (`anyOf` and its like)
 */
export function serializers(routes) {
  /** @type {Definitions} */
  const definitions = new Map()
  const shapes = routes.flatMap(({ template, module }) => {
    const shape = module.schema && reduce(module.schema, template, definitions).$ref
    return shape === undefined ? [] : [{ template, shape }]
  })
  const roots = [...new Set(shapes.map(({ shape }) => shape))]
  const all = {
    type: 'object',
    properties: Object.fromEntries(roots.map((shape) => [shape, { $ref: shape }])),
    definitions: Object.fromEntries([...definitions].map(([text, name]) => [name, JSON.parse(text)]))
  }
  const code = build(all, { mode: 'standalone' })
  const names = new Map(
    [...code.matchAll(/obj\["(#\/definitions\/\w+)"\][\s\S]*?json \+= (anonymous\d+)\(/g)].map(([, shape, name]) => [
      shape,
      name
    ])
  )
  const lines = shapes.map(({ template, shape }) => `  ${JSON.stringify(template)}: ${names.get(shape)}`)
  const source = `import Serializer from 'fast-json-stringify/lib/serializer.js'
const serializer = new Serializer()
${trim(functions(code))}
export const serializers = {
${lines.join(',\n')}
}
`
  if (names.size !== roots.length) throw new Error('fast-json-stringify names its functions in a new way')
  return source
}

/**
 * Names of definitions by their text, which is JSON.
 *
 * @typedef {Map<string, string>} Definitions
 */

/**
 * A schema without what does not concern writing, objects and arrays replaced by references to definitions.
 *
 * @param {AnyProperty} schema
 * @param {string} where template
 * @param {Definitions} definitions
 * @returns {{ $ref?: string, type?: Property['type'], nullable?: true }}
 */
function reduce(schema, where, definitions) {
  for (const word of ['anyOf', 'oneOf', 'allOf', 'if', 'not', '$ref', 'patternProperties', 'const']) {
    if (word in schema) throw new Error(`${where}: a schema cannot have ${word}, which needs a validator at run time`)
  }
  const { type, nullable, items, properties = {}, additionalProperties } = schema
  const plain = { type, ...(nullable && { nullable }) }
  if (items) return define({ ...plain, items: reduce(items, where, definitions) }, definitions)
  if (type !== 'object') return plain
  const writeable = Object.values(properties).some((each) => each.readonly === false)
  const declared = { ...properties, ...(writeable && { '@Redfish.WriteableProperties': names }) }
  const members = Object.entries(declared).sort(([a], [b]) => control(b) - control(a))
  // Where any member may be, none is to be left out: without a type they are written by JSON.stringify, in native code.
  if (members.length === 0 && isPlain(additionalProperties)) return {}
  // A required member is written first, and saves all others the question whether a comma is due.
  const first = ['@odata.id', members[0]?.[0] ?? ''].find((name) => schema.required?.includes(name))
  return define(
    {
      ...plain,
      ...(first && { required: [first] }),
      properties: Object.fromEntries(members.map(([name, member]) => [name, reduce(member, where, definitions)])),
      ...(additionalProperties && { additionalProperties: reduce(additionalProperties, where, definitions) })
    },
    definitions
  )
}

/**
 * The runtime's annotation of an object that clients can write to.
 *
 * @type {AnyProperty}
 */
const names = { type: 'array', items: { type: 'string' } }

/**
 * Whether values are scalars: members of objects and arrays would need their own code.
 *
 * @param {AnyProperty | undefined} schema
 */
const isPlain = (schema) => schema !== undefined && ![schema.type].flat().some((type) => /^(object|array)$/.test(type))

/** @param {string} name */
const control = (name) => Number(name.startsWith('@odata.'))

/**
 * @param {object} shape
 * @param {Definitions} definitions
 */
function define(shape, definitions) {
  const text = JSON.stringify(shape)
  if (!definitions.has(text)) definitions.set(text, `s${definitions.size}`)
  return { $ref: `#/definitions/${definitions.get(text)}` }
}

/**
 * The functions in standalone code, without the code around them.
 *
 * @param {string} code
 */
function functions(code) {
  const [, found] = /^\) \{$([\s\S]*)^ +const main = anonymous0$/m.exec(code) ?? []
  if (found === undefined || code.includes('Validator'))
    throw new Error('fast-json-stringify generated unexpected code')
  return found
}

const block = String.raw`\{[^}]+\}`
/**
 * Resources never hold dates, regular expressions or objects with toJSON. Most of the code is for them.
 *
 * @type {readonly [RegExp, string][]}
 */
const needless = [
  [/\(input && typeof input\.toJSON === 'function'\)\s+\? input\.toJSON\(\)\s+: input/g, 'input'],
  [
    new RegExp(
      [
        String.raw`if \(typeof (\w+) !== 'string'\) \{\s+if \(\1 === null\) ${block}`,
        String.raw`else if \(\1 instanceof Date\) ${block} else if \(\1 instanceof RegExp\) ${block}`,
        String.raw`else ${block}\s+\} else \{\s+(json \+= asString\(\1\))\s+\}`
      ].join(' '),
      'g'
    ),
    '$2'
  ]
]

/** @param {string} code */
function trim(code) {
  const short = needless.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), code)
  if (/\.toJSON\b|typeof \w+ !== 'string'/.test(short))
    throw new Error('fast-json-stringify generated longer code than expected')
  return short
}
