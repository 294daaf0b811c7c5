/** @import { Parameters, Property } from '../schema/schema.ts' */
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
 * @property {string} [memberOf]
 * @property {unknown} [constant]
 * @property {string} [child]
 */

/**
 * An action and its parameters.
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
 * @param {readonly Route[]} routes
 * @returns {Type[]} sorted by title
 */
export function collectTypes(routes) {
  const declared = [...routes.flatMap(({ module }) => [module.schema, module.sends]), ...registrySchemas]
  const schemas = new Map(
    declared.flatMap((schema) => (schema ? typesIn(schema) : [])).map((type) => [type.title, type])
  )
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
 * A schema and the objects in it, as far as they have titles.
 *
 * @param {AnyProperty} schema
 * @returns {(AnyProperty & { title: string })[]}
 */
export function typesIn(schema) {
  const { title, properties = {}, items, additionalProperties } = schema
  const inner = [...Object.values(properties), items, additionalProperties].flatMap((each) =>
    each === undefined ? [] : typesIn(each)
  )
  return title === undefined ? inner : [{ ...schema, title }, ...inner]
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
 * Whether a property is a link to a resource and nothing more.
 *
 * @param {AnyProperty} schema
 */
export function isReference({ type, properties = {} }) {
  return type === 'object' && Object.keys(properties).join() === '@odata.id'
}
