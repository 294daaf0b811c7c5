/** @import { Route } from './handlers.mjs' */
/** @import { AnyProperty, Type } from './types.mjs' */
import { collectTypes, isReference } from './types.mjs'
import { attributes, element } from './xml.mjs'

/**
 * The `$metadata` document (DSP0266 8.4.2): where the types are described that the service has. Those of the standard
 * are in the standard's own files, those of the vendor in `vendorSchemas`.
 *
 * @param {readonly Route[]} routes
 * @param {string} vendor the word that the names of the vendor's types begin with
 */
export function metadata(routes, vendor) {
  const types = collectTypes(routes)
  const { namespace } = types.find(({ name }) => name === 'ServiceRoot') ?? { namespace: 'ServiceRoot' }
  const container = `<EntityContainer Name="Service" Extends="${namespace}.ServiceContainer"/>`
  const extensions = reference('http://redfish.dmtf.org/schemas/v1/RedfishExtensions_v1.xml', [
    ['RedfishExtensions.v1_0_0', 'Redfish']
  ])
  const namespaces = ['Resource', 'Resource.v1_0_0', ...types.map((type) => type.namespace), ...types.map(base)]
  return document([extensions, ...references(namespaces, vendor)], [space('Service', [container])])
}

/**
 * The file with the vendor's types in CSDL (OData 4.0 part 3).
 *
 * @param {readonly Route[]} routes
 * @param {string} vendor
 */
export function vendorSchemas(routes, vendor) {
  const types = collectTypes(routes).filter(({ namespace }) => namespace.startsWith(vendor))
  /** @type {Map<string, string[]>} */
  const spaces = new Map()
  const into = (/** @type {string} */ name, /** @type {string[]} */ lines) =>
    spaces.set(name, [...(spaces.get(name) ?? []), ...lines])
  for (const type of types) {
    const isVersioned = type.namespace !== base(type)
    const restrictions = type.resource ? restrictionLines(type, routes) : []
    if (type.resource && isVersioned) {
      const own = { Name: type.name, BaseType: 'Resource.v1_0_0.Resource', Abstract: 'true' }
      into(base(type), element('EntityType', own, restrictions))
    }
    into(base(type), actionSpace(type))
    into(type.namespace, typeLines(type, isVersioned ? [] : restrictions))
  }
  const own = [...spaces].map(([name, lines]) => space(name, lines))
  const used = [...own.join('').matchAll(/Type="(?:Collection\()?([\w.]+)\.\w+/g)].map(([, name]) => String(name))
  const others = used.filter((name) => name !== 'Edm' && !name.startsWith(vendor))
  const vocabularies = [
    reference(`${vocabulary}/Org.OData.Core.V1.xml`, [['Org.OData.Core.V1', 'OData']]),
    reference(`${vocabulary}/Org.OData.Capabilities.V1.xml`, [['Org.OData.Capabilities.V1', 'Capabilities']]),
    reference('http://redfish.dmtf.org/schemas/v1/RedfishExtensions_v1.xml', [['RedfishExtensions.v1_0_0', 'Redfish']])
  ]
  return { name: `schemas/${fileOf(vendor)}`, text: document([...vocabularies, ...references(others, vendor)], own) }
}

const oasis = 'http://docs.oasis-open.org/odata'
const vocabulary = `${oasis}/odata/v4.0/errata03/csd01/complete/vocabularies`

const fileOf = (/** @type {string} */ vendor) => `${vendor}Extensions_v1.xml`

/**
 * The namespace without version.
 *
 * @param {Pick<Type, 'namespace'>} type
 */
const base = ({ namespace }) => namespace.replace(/\..*/, '')

/**
 * @param {readonly string[]} references
 * @param {readonly string[]} spaces
 */
function document(references, spaces) {
  return `<?xml version="1.0" encoding="UTF-8"?>
<edmx:Edmx xmlns:edmx="${oasis}/ns/edmx" Version="4.0">
${references.join('\n')}
<edmx:DataServices>
${spaces.join('\n')}
</edmx:DataServices>
</edmx:Edmx>
`
}

/**
 * References to the files of namespaces, each file once.
 *
 * @param {readonly string[]} namespaces
 * @param {string} vendor
 */
function references(namespaces, vendor) {
  /** @type {Map<string, [string][]>} */
  const files = new Map()
  for (const name of [...new Set(namespaces)].sort()) {
    const type = base({ namespace: name })
    const uri = type.startsWith(vendor) ? `/redfish/v1/SchemaStore/en/${fileOf(vendor)}` : standardFile(type)
    files.set(uri, [...(files.get(uri) ?? []), [name]])
  }
  return [...files].map(([uri, includes]) => reference(uri, includes))
}

/**
 * @param {string} uri
 * @param {readonly (readonly [namespace: string, alias?: string])[]} includes
 */
function reference(uri, includes) {
  const lines = includes.map(([Namespace, Alias]) => element('edmx:Include', { Namespace, Alias }, []))
  return [`<edmx:Reference Uri="${uri}">`, ...lines.flat(), '</edmx:Reference>'].join('\n')
}

/**
 * The storage industry describes volumes (SNIA Swordfish), and publishes its files beside those of the DMTF.
 *
 * @param {string} type
 */
function standardFile(type) {
  const folder = /^Volume(Collection)?$/.test(type) ? 'swordfish/v1' : 'v1'
  return `http://redfish.dmtf.org/schemas/${folder}/${type}_v1.xml`
}

/**
 * @param {string} name
 * @param {readonly string[]} lines
 */
function space(name, lines) {
  return [`<Schema xmlns="${oasis}/ns/edm" Namespace="${name}">`, ...lines, '</Schema>'].join('\n')
}

/** The properties that every resource, and every collection, inherits (Resource_v1.xml). */
const inherited = new Set(['Id', 'Name', 'Description', 'Oem'])

/**
 * A type, the types of its parts, and what else they need. Objects in `Oem` derive from the standard's type for them.
 *
 * @param {Type} type
 * @param {readonly string[]} annotations
 */
function typeLines({ namespace, name, schema, resource }, annotations) {
  const parts = new Parts(namespace, name)
  const isVersioned = namespace.includes('.')
  const root = isVersioned ? `${base({ namespace })}.${name}` : 'Resource.v1_0_0.ResourceCollection'
  const properties = Object.entries(schema.properties ?? {}).filter(([each]) => !resource || !inherited.has(each))
  const inner = objectLines({ ...schema, properties: Object.fromEntries(properties) }, name, parts)
  const first = resource
    ? element('EntityType', { Name: name, BaseType: root }, [...annotations, ...inner])
    : element('ComplexType', { Name: name, BaseType: 'Resource.OemObject' }, inner)
  return [...first, ...parts.lines]
}

/**
 * The annotations on whether clients may create, change and delete resources of a type.
 *
 * @param {Type} type
 * @param {readonly Route[]} routes
 */
function restrictionLines({ title }, routes) {
  const methods = new Set(
    routes
      .filter(({ module }) => module.schema?.title === title)
      .flatMap(({ module }) => Object.keys(module.privileges))
  )
  const terms = { POST: ['Insert', 'Insertable'], PATCH: ['Update', 'Updatable'], DELETE: ['Delete', 'Deletable'] }
  return Object.entries(terms).map(([method, [term, property]]) => {
    const value = `<PropertyValue Property="${property}" Bool="${methods.has(method)}"/>`
    return `<Annotation Term="Capabilities.${term}Restrictions"><Record>${value}</Record></Annotation>`
  })
}

/**
 * The actions of a type, which messages name without its version.
 *
 * @param {Type} type
 */
function actionSpace({ namespace, name, schema, actions }) {
  const parts = new Parts(base({ namespace }), name)
  const bound = `${namespace}.${'Actions' in (schema.properties ?? {}) ? 'Actions' : name}`
  const lines = actions.flatMap(({ name: action, body }) => {
    const parameters = Object.entries(body.properties).map(([parameter, property]) => {
      const Nullable = body.required?.includes(parameter) ? 'false' : undefined
      return `<Parameter${attributes({ Name: parameter, Type: typeOf(property, parameter, action, parts), Nullable })}/>`
    })
    const self = `<Parameter${attributes({ Name: name, Type: bound })}/>`
    return element('Action', { Name: action, IsBound: 'true' }, [self, ...parameters])
  })
  return [...lines, ...parts.lines]
}

/** The types of the parts of a type, by their names; a name that is taken is made longer with the parent's. */
class Parts {
  #namespace
  /** @type {Map<string, { tag: string, lines: string[], text: string } | undefined>} */
  #parts

  /**
   * @param {string} namespace
   * @param {string} name of the type, which no part may have
   */
  constructor(namespace, name) {
    this.#namespace = namespace
    this.#parts = new Map([[name, undefined]])
  }

  /**
   * @param {string} wanted
   * @param {string} parent
   * @param {string} tag
   * @param {string[]} lines
   */
  define(wanted, parent, tag, lines) {
    const text = JSON.stringify([tag, lines])
    let own = wanted
    for (let longer = `${parent}${wanted}`; this.#isTaken(own, text); longer = `${parent}${longer}`) own = longer
    this.#parts.set(own, { tag, lines, text })
    return `${this.#namespace}.${own}`
  }

  /**
   * @param {string} name
   * @param {string} text
   */
  #isTaken(name, text) {
    return this.#parts.has(name) && this.#parts.get(name)?.text !== text
  }

  get lines() {
    return [...this.#parts].flatMap(([Name, part]) => (part ? element(part.tag, { Name }, part.lines) : []))
  }
}

const identifier = /^[A-Za-z_]\w*$/

/**
 * The members of an object, and whether it may have others: actions, whose names CSDL has no word for, or any.
 *
 * @param {AnyProperty} schema
 * @param {string} parent
 * @param {Parts} parts
 * @returns {string[]}
 */
function objectLines(schema, parent, parts) {
  const action = Object.entries(schema.properties ?? {}).find(([name]) => name.startsWith('#'))?.[1]
  const { additionalProperties: any } = schema
  const others = [
    ...(action ? [['^#[A-Za-z0-9_.]+$', typeOf(action, 'Action', parent, parts)]] : []),
    ...(any ? [['^[A-Za-z_][A-Za-z0-9_]*$', typeOf(any, 'Value', parent, parts)]] : [])
  ]
  const records = others.map(
    ([pattern, type]) =>
      `<Record><PropertyValue Property="Pattern" String="${pattern}"/><PropertyValue Property="Type" String="${type}"/></Record>`
  )
  return [
    `<Annotation Term="OData.AdditionalProperties" Bool="${others.length > 0}"/>`,
    ...(others.length > 0
      ? [`<Annotation Term="Redfish.DynamicPropertyPatterns"><Collection>${records.join('')}</Collection></Annotation>`]
      : []),
    ...memberLines(schema, parent, parts)
  ]
}

/**
 * @param {AnyProperty} schema
 * @param {string} parent
 * @param {Parts} parts
 * @returns {string[]}
 */
function memberLines({ properties = {}, required = [] }, parent, parts) {
  return Object.entries(properties)
    .filter(([name]) => identifier.test(name))
    .flatMap(([name, property]) => {
      const type = typeOf(property, name, parent, parts)
      const many = property.type === 'array'
      const link = isReference(property.items ?? property)
      const optional = property.nullable || (property.type === 'object' && !required.includes(name))
      const Nullable = many || optional ? undefined : 'false'
      const permission = property.readonly === false ? 'ReadWrite' : 'Read'
      const annotation = `<Annotation Term="OData.Permissions" EnumMember="OData.Permission/${permission}"/>`
      return element(link ? 'NavigationProperty' : 'Property', { Name: name, Type: type, Nullable }, [annotation])
    })
}

/** @type {Readonly<Record<string, string>>} */
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
 * @param {Parts} parts
 * @returns {string}
 */
function typeOf(property, name, parent, parts) {
  if (property.items) return `Collection(${typeOf(property.items, name, parent, parts)})`
  if (property.title !== undefined) return property.title.slice(1)
  if (property.type === 'object') {
    // A schema does not distinguish links to resources from links to collections.
    if (isReference(property)) return 'Resource.ItemOrCollection'
    return parts.define(name, parent, 'ComplexType', objectLines(property, name, parts))
  }
  if (property.enum?.every((member) => identifier.test(member))) {
    const members = property.enum.map((member) => `<Member Name="${member}"/>`)
    return parts.define(name, parent, 'EnumType', members)
  }
  return primitives[property.format ?? ''] ?? primitives[String(property.type)] ?? 'Edm.PrimitiveType'
}
