import { collectTypes } from './types.mjs'

/**
 * The JSON Schema files that the service publishes (DSP0266), one for each type and version.
 *
 * @returns `{ name, text }` of each file: `schemas/Chassis.v1_22_0.json`
 */
export function schemaFiles(routes) {
  return collectTypes(routes).map((type) => ({
    name: `schemas/${type.namespace}.json`,
    text: JSON.stringify(schemaFile(type))
  }))
}

const uriOf = (title) => {
  const [, namespace, name] = /^#(.+)\.([^.]+)$/.exec(title)
  return `/redfish/v1/SchemaStore/en/${namespace}.json#/definitions/${name}`
}

function schemaFile({ title, namespace, name, schema, actions }) {
  const style = { flag: 'readonly', reference: uriOf, closed: { patternProperties: annotations } }
  const acts = actions.map((action) => [
    action.name,
    {
      type: 'object',
      additionalProperties: false,
      parameters: parameters(action.body, style),
      properties: { target: { type: 'string', format: 'uri-reference' }, title: { type: 'string' } }
    }
  ])
  return {
    $id: `/redfish/v1/SchemaStore/en/${namespace}.json`,
    $ref: `#/definitions/${name}`,
    $schema: 'http://redfish.dmtf.org/schemas/v1/redfish-schema-v1.json',
    title,
    definitions: { [name]: describe({ ...schema, title: undefined }, style), ...Object.fromEntries(acts) }
  }
}

function parameters({ properties, required = [] }, style) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      { ...describe(property, style), ...(required.includes(name) && { requiredParameter: true }) }
    ])
  )
}

/** What may stand in any object beside its properties (DSP0266). */
const annotations = {
  '^([a-zA-Z_][a-zA-Z0-9_]*)?@(odata|Redfish|Message)\\.[a-zA-Z_][a-zA-Z0-9_]*$': {
    type: ['array', 'boolean', 'integer', 'number', 'null', 'object', 'string']
  }
}

/**
 * Our words for a property in those of JSON Schema.
 *
 * @param style `flag` is the keyword for what a client cannot write, if it is said; `reference` makes the URI of
 *   another type's schema from its title; `closed` says of each object that it has nothing else but what it holds
 */
export function describe(schema, style) {
  if (schema.title !== undefined) return { $ref: style.reference(schema.title) }
  if (Object.keys(schema.variants ?? {}).length > 0) return oneOf(schema, style)
  const { type, nullable, readonly, enum: list, items, properties, required, additionalProperties, ...same } = schema
  delete same.title
  delete same.variants
  return {
    ...same,
    type: nullable ? [type, 'null'] : type,
    ...(list && { enum: nullable ? [...list, null] : list }),
    ...(items && { items: describe(items, { ...style, flag: undefined }) }),
    ...(style.flag && type !== 'object' && { [style.flag]: readonly !== false }),
    ...(type === 'object' && {
      ...(style.closed && { additionalProperties: false, ...style.closed }),
      ...(additionalProperties && { additionalProperties: describe(additionalProperties, style) }),
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, describe(each, style)])),
      ...(required?.length && { required })
    })
  }
}

/** Each variant says its `type` itself, so that an editor finds the one that is meant. */
function oneOf({ variants, description }, style) {
  const described = Object.entries(variants).map(([type, { required = [], properties, ...variant }]) =>
    describe(
      {
        ...variant,
        required: ['type', ...required],
        properties: { type: { type: 'string', enum: [type] }, ...properties }
      },
      style
    )
  )
  return { ...(description && { description }), oneOf: described }
}

/**
 * The text of a JSON Schema file for the editors of files that people write (draft 7, which editors know best).
 *
 * @param file `title` of such files, and their `schema`
 */
export function fileSchema({ title, schema }) {
  const described = describe(schema, { closed: {} })
  return JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', title, ...described })
}
