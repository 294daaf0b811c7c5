/** @import { Route } from './handlers.mjs' */
/** @import { Action, AnyProperty, Type } from './types.mjs' */
/** @import { Attributes } from './xml.mjs' */
import { collectTypes, isReference } from './types.mjs'
import { attributes, element } from './xml.mjs'

/**
 * The `$metadata` document: all types in CSDL (OData 4.0 part 3), in itself complete. Each version of a resource type
 * is derived from an abstract one in the namespace without version, which `@odata.context` names, and that from
 * `Resource.Item`, which links lead to.
 *
 * @param {readonly Route[]} routes
 */
export function metadata(routes) {
  const types = collectTypes(routes)
  const plain = [...new Set(types.filter(({ resource }) => resource).map(base))]
  const spaces = new Map([['Resource', ['<EntityType Name="Item" Abstract="true"/>']]])
  const into = (/** @type {string} */ space, /** @type {string[]} */ lines) =>
    spaces.set(space, [...(spaces.get(space) ?? []), ...lines])
  for (const name of plain) {
    const versioned = types.some((type) => base(type) === name && type.namespace !== name)
    if (versioned) into(name, [`<EntityType Name="${name}" BaseType="Resource.Item" Abstract="true"/>`])
  }
  for (const type of types) into(type.namespace, typeLines(type))
  into('Service', container(routes))
  return `<?xml version="1.0" encoding="UTF-8"?>
<edmx:Edmx xmlns:edmx="${oasis}/ns/edmx" Version="4.0">
<edmx:Reference Uri="${oasis}/odata/v4.0/errata03/csd01/complete/vocabularies/Org.OData.Core.V1.xml">
<edmx:Include Namespace="Org.OData.Core.V1" Alias="OData"/>
</edmx:Reference>
<edmx:DataServices>
${[...spaces].map(([name, lines]) => space(name, lines)).join('\n')}
</edmx:DataServices>
</edmx:Edmx>
`
}

const oasis = 'http://docs.oasis-open.org/odata'

/**
 * The namespace without version.
 *
 * @param {Type} type
 */
const base = ({ namespace }) => namespace.replace(/\..*/, '')

/**
 * Defines a part of a type in its namespace, under the name that is wanted or, when that is taken, under a longer one that
 * has the parent's in it; returns the qualified name.
 *
 * @callback Define
 * @param {string} wanted
 * @param {string} parent
 * @param {string} tag
 * @param {Attributes} values
 * @param {string[]} lines
 * @returns {string}
 */

/**
 * @param {string} name
 * @param {readonly string[]} lines
 */
function space(name, lines) {
  return [`<Schema xmlns="${oasis}/ns/edm" Namespace="${name}">`, ...lines, '</Schema>'].join('\n')
}

/**
 * A type, the types of its parts, and its actions.
 *
 * @param {Type} type
 */
function typeLines(type) {
  const { namespace, name, schema, resource, actions } = type
  /** @type {Map<string, { tag: string, values: Attributes, lines: string[] }>} */
  const parts = new Map([[name, { tag: '', values: {}, lines: [] }]])
  /** @type {Define} */
  const define = (wanted, parent, tag, values, lines) => {
    const part = { tag, values, lines }
    let own = wanted
    for (let longer = `${parent}${wanted}`; (parts.get(own) ?? part) !== part; longer = `${parent}${longer}`) {
      if (JSON.stringify(parts.get(own)) === JSON.stringify(part)) break
      own = longer
    }
    parts.set(own, part)
    return `${namespace}.${own}`
  }
  const root = type.namespace === base(type) ? 'Resource.Item' : `${base(type)}.${name}`
  const inner = memberLines(schema, name, define)
  const first = resource
    ? element('EntityType', { Name: name, BaseType: root, OpenType: isOpen(schema) }, inner)
    : element('ComplexType', { Name: name, OpenType: isOpen(schema) }, inner)
  const acts = actions.flatMap((action) => actionLines(action, `${namespace}.${name}`, define))
  parts.delete(name)
  const others = [...parts].flatMap(([own, { tag, values, lines }]) => element(tag, { Name: own, ...values }, lines))
  return [...first, ...others, ...acts]
}

/**
 * @param {Action} action
 * @param {string} bound type
 * @param {Define} define
 */
function actionLines({ name, body }, bound, define) {
  const parameters = Object.entries(body.properties).map(([parameter, property]) => {
    const Nullable = body.required?.includes(parameter) ? 'false' : undefined
    return `<Parameter${attributes({ Name: parameter, Type: typeOf(property, parameter, name, define), Nullable })}/>`
  })
  const self = `<Parameter${attributes({ Name: 'bindingParameter', Type: bound, Nullable: 'false' })}/>`
  return element('Action', { Name: name, IsBound: 'true' }, [self, ...parameters])
}

const identifier = /^[A-Za-z_]\w*$/

/**
 * Whether an object has members that CSDL has no name for.
 *
 * @param {AnyProperty} schema
 */
function isOpen({ properties = {}, additionalProperties }) {
  const named = Object.keys(properties).every((name) => identifier.test(name) || name.includes('@'))
  return additionalProperties !== undefined || !named ? 'true' : undefined
}

/**
 * @param {AnyProperty} schema
 * @param {string} parent
 * @param {Define} define
 * @returns {string[]}
 */
function memberLines({ properties = {}, required = [] }, parent, define) {
  return Object.entries(properties)
    .filter(([name]) => identifier.test(name))
    .flatMap(([name, property]) => {
      const type = typeOf(property, name, parent, define)
      const many = property.type === 'array'
      const link = isReference(property.items ?? property)
      const optional = property.nullable || (property.type === 'object' && !required.includes(name))
      const Nullable = many || optional ? undefined : 'false'
      const permission = property.readonly === false ? 'ReadWrite' : 'Read'
      const annotation = `<Annotation Term="OData.Permissions" EnumMember="OData.Permission/${permission}"/>`
      return element(link ? 'NavigationProperty' : 'Property', { Name: name, Type: type, Nullable }, [annotation])
    })
}

/**
 * By `format` or `type`.
 *
 * @type {Readonly<Record<string, string>>}
 */
const primitives = {
  string: 'Edm.String',
  integer: 'Edm.Int64',
  number: 'Edm.Decimal',
  boolean: 'Edm.Boolean',
  'date-time': 'Edm.DateTimeOffset',
  duration: 'Edm.Duration',
  uuid: 'Edm.Guid'
}

/**
 * @param {AnyProperty} property
 * @param {string} name
 * @param {string} parent
 * @param {Define} define
 * @returns {string}
 */
function typeOf(property, name, parent, define) {
  if (property.items) return `Collection(${typeOf(property.items, name, parent, define)})`
  if (property.title !== undefined) return property.title.slice(1)
  if (property.type === 'object') {
    if (isReference(property)) return 'Resource.Item'
    const lines = memberLines(property, name, define)
    return define(name, parent, 'ComplexType', { OpenType: isOpen(property) }, lines)
  }
  if (property.enum?.every((member) => identifier.test(member))) {
    const members = property.enum.map((member) => `<Member Name="${member}"/>`)
    return define(name, parent, 'EnumType', {}, members)
  }
  return primitives[property.format ?? ''] ?? primitives[String(property.type)] ?? 'Edm.PrimitiveType'
}

/**
 * The resources at the root, by the names that the service document gives them.
 *
 * @param {readonly Route[]} routes
 */
function container(routes) {
  const singletons = routes.flatMap(({ template, module }) => {
    const name = template === '/redfish/v1' ? 'Service' : /^\/redfish\/v1\/([A-Za-z]+)$/.exec(template)?.[1]
    const title = module.schema?.title
    return name === undefined || title === undefined ? [] : [`<Singleton Name="${name}" Type="${title.slice(1)}"/>`]
  })
  return element('EntityContainer', { Name: 'ServiceContainer' }, singletons)
}
