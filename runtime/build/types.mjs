import { registrySchemas } from './registries.mjs'

/**
 * The types that the service has: every resource, every object in one that has a title of its own, and the registries.
 *
 * A type that stands in several places is described once, with what it has in any of them.
 *
 * @returns sorted by title: `title` (`#Chassis.v1_22_0.Chassis`), `namespace` (`Chassis.v1_22_0`), `name` (`Chassis`),
 *   the `schema`, `resource` (whether it has a URI of its own), and the `actions` `{ name, body }` of its resources
 */
export function collectTypes(routes) {
  const schemas = new Map()
  const visit = (schema) => {
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
  return [...schemas.values()]
    .map((schema) => {
      const parts = schema.title.slice(1).split('.')
      const name = parts.pop()
      const resource = '@odata.id' in schema.properties
      return {
        title: schema.title,
        namespace: parts.join('.'),
        name,
        schema,
        resource,
        actions: actions.get(name) ?? []
      }
    })
    .sort((a, b) => (a.title < b.title ? -1 : 1))
}

/** The last segment of an action's template is `Type.Action`. */
function collectActions(routes) {
  const actions = new Map()
  for (const { template, module } of routes) {
    const [, type, name] = /\/Actions\/(?:.*\/)?([^/.]+)\.([^/]+)$/.exec(template) ?? []
    if (type === undefined) continue
    const body = module.body ?? { type: 'object', properties: {} }
    const others = (actions.get(type) ?? []).filter((other) => other.name !== name)
    actions.set(type, [...others, { name, body }])
  }
  return actions
}

/** Two descriptions of a type in one that both keep to. */
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
    both.properties = { ...a.properties }
    for (const [name, property] of Object.entries(b.properties)) {
      both.properties[name] = name in a.properties ? union(a.properties[name], property) : property
    }
  }
  return both
}

/** Whether a property is a link to a resource and nothing more. */
export function isReference(schema) {
  return schema.type === 'object' && Object.keys(schema.properties).join() === '@odata.id'
}
