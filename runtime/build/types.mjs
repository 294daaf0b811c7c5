/** @import { Parameters, Property } from '#runtime/contract/schema.ts' */
/** @import { Route } from './handlers.mjs' */
import { registrySchemas } from './registry-schemas.mjs'

/**
 * A property of any kind, with the words that matter here.
 *
 * @typedef {object} AnyProperty
 * @property {Property['type']} type
 * @property {string} [title]
 * @property {string} [format]
 * @property {readonly string[]} [enum]
 * @property {boolean} [nullable]
 * @property {boolean} [readonly]
 * @property {AnyProperty} [items]
 * @property {readonly string[]} [required]
 * @property {Readonly<Record<string, AnyProperty>>} [properties]
 * @property {AnyProperty} [additionalProperties]
 * @property {string} [description]
 * @property {Readonly<Record<string, AnyProperty>>} [variants]
 */

/**
 * An action, and what it takes.
 *
 * @typedef {{ name: string, body: Parameters }} Action
 */

/**
 * A type that the service has.
 *
 * @typedef {object} Type
 * @property {string} title `#Chassis.v1_22_0.Chassis`
 * @property {string} namespace `Chassis.v1_22_0`
 * @property {string} name `Chassis`
 * @property {AnyProperty} schema
 * @property {boolean} resource whether it has a URI of its own
 * @property {Action[]} actions of its resources
 */

/**
 * The types that the service has: every resource, every object in one that has a title of its own, and the registries.
 *
 * A type that stands in several places is described once, with what it has in any of them.
 *
 * @param {readonly Route[]} routes
 * @returns {Type[]} sorted by title
 */
export function collectTypes(routes) {
  /** @type {Map<string, AnyProperty>} */
  const schemas = new Map()
  const visit = (/** @type {AnyProperty} */ schema) => {
    if (schema.title !== undefined) {
      const before = schemas.get(schema.title)
      schemas.set(schema.title, before === undefined ? schema : union(before, schema))
    }
    for (const property of Object.values(schema.properties ?? {})) visit(property)
    for (const inner of [schema.items, schema.additionalProperties]) if (inner !== undefined) visit(inner)
  }
  for (const schema of [...routes.flatMap(({ module }) => [module.schema, module.sends]), ...registrySchemas])
    if (schema) visit(schema)
  const actions = collectActions(routes)
  return [...schemas]
    .map(([title, schema]) => {
      const end = title.lastIndexOf('.')
      const name = title.slice(end + 1)
      const resource = '@odata.id' in (schema.properties ?? {})
      return { title, namespace: title.slice(1, end), name, schema, resource, actions: actions.get(name) ?? [] }
    })
    .sort((a, b) => (a.title < b.title ? -1 : 1))
}

/**
 * The actions of each type. The last segment of an action's template is `Type.Action`.
 *
 * @param {readonly Route[]} routes
 */
function collectActions(routes) {
  /** @type {Map<string, Action[]>} */
  const actions = new Map()
  for (const { template, module } of routes) {
    const [, type, name] = /\/Actions\/(?:.*\/)?([^/.]+)\.([^/]+)$/.exec(template) ?? []
    if (type === undefined || name === undefined) continue
    /** @type {Parameters} */
    const body = module.body ?? { type: 'object', properties: {} }
    const others = (actions.get(type) ?? []).filter((other) => other.name !== name)
    actions.set(type, [...others, { name, body }])
  }
  return actions
}

/**
 * Two descriptions of a type in one that both keep to.
 *
 * @param {AnyProperty} a
 * @param {AnyProperty} b
 * @returns {AnyProperty}
 */
function union(a, b) {
  if (a.type !== b.type) return a
  const both = { ...b, ...a }
  if (a.enum && b.enum) both.enum = [...new Set([...a.enum, ...b.enum])]
  else delete both.enum
  if (a.nullable || b.nullable) both.nullable = true
  if (a.readonly === false || b.readonly === false) both.readonly = false
  if (a.required || b.required) both.required = (a.required ?? []).filter((name) => b.required?.includes(name))
  if (a.items && b.items) both.items = union(a.items, b.items)
  if (a.properties && b.properties) {
    const properties = { ...a.properties }
    for (const [name, property] of Object.entries(b.properties)) {
      const own = a.properties[name]
      properties[name] = own === undefined ? property : union(own, property)
    }
    both.properties = properties
  }
  return both
}

/**
 * Whether a property is a link to a resource and nothing more.
 *
 * @param {AnyProperty} schema
 */
export function isReference({ type, properties = {} }) {
  return type === 'object' && Object.keys(properties).join() === '@odata.id'
}
