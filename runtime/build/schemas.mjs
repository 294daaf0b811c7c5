/** @import { Parameters } from '../schema/schema.ts' */
/** @import { Document } from './documents.mjs' */
/** @import { FileSchema } from './file-schemas.mjs' */
/** @import { Route } from './handlers.mjs' */
/** @import { AnyProperty, Type } from './types.mjs' */
import { collectTypes } from './types.mjs'

/**
 * How a schema is written in JSON Schema.
 *
 * @typedef {object} Style
 * @property {string | undefined} flag keyword for properties that clients cannot write, if there is one
 * @property {(title: string) => string} reference makes the URI of another type's schema
 * @property {object} [closed] of each object: it has no other members than its own and these
 */

/**
 * The JSON Schema files that the service publishes (DSP0266), one for each type and version.
 *
 * @param {readonly Route[]} routes
 * @returns {Document[]} `schemas/Chassis.v1_22_0.json` and so on
 */
export function schemaFiles(routes) {
  return collectTypes(routes).map((type) => ({
    name: `schemas/${type.namespace}.json`,
    text: `${JSON.stringify(schemaFile(type))}\n`
  }))
}

/**
 * A reference to a type's schema, by the name of its file: all are in one folder.
 *
 * @param {string} title
 */
const uriOf = (title) => {
  const [, namespace, name] = /^#(.+)\.([^.]+)$/.exec(title) ?? []
  return `${namespace}.json#/definitions/${name}`
}

/** @param {Type} type */
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
    definitions: { [name]: describe(untitled(schema), style), ...Object.fromEntries(acts) }
  }
}

/**
 * @param {Parameters} body
 * @param {Style} style
 */
function parameters({ properties, required = [] }, style) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      { ...describe(property, style), ...(required.includes(name) && { requiredParameter: true }) }
    ])
  )
}

/** Annotations that any object may have beside its properties (DSP0266). */
const annotations = {
  '^([a-zA-Z_][a-zA-Z0-9_]*)?@(odata|Redfish|Message)\\.[a-zA-Z_][a-zA-Z0-9_]*$': {
    type: ['array', 'boolean', 'integer', 'number', 'null', 'object', 'string']
  }
}

/**
 * The schema of a type, to be described itself rather than by a reference.
 *
 * @param {AnyProperty} schema
 * @returns {AnyProperty}
 */
export function untitled({ title: _, ...schema }) {
  return schema
}

/**
 * Our words for a property in those of JSON Schema.
 *
 * @param {AnyProperty} schema
 * @param {Style} style
 * @returns {object}
 */
export function describe(schema, style) {
  if (schema.title !== undefined) return { $ref: style.reference(schema.title) }
  if (Object.keys(schema.variants ?? {}).length > 0) return oneOf(schema, style)
  const {
    type,
    nullable,
    readonly,
    enum: list,
    items,
    properties = {},
    required,
    additionalProperties,
    variants: _,
    memberOf: __,
    constant: ___,
    child: ____,
    ...same
  } = schema
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

/**
 * Each variant has its own `type`, so that an editor finds the right one.
 *
 * @param {AnyProperty} schema
 * @param {Style} style
 */
function oneOf({ variants = {}, description }, style) {
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
 * @param {FileSchema} file
 */
export function fileSchema({ title, schema }) {
  const described = describe(schema, { flag: undefined, reference: uriOf, closed: {} })
  return `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', title, ...described })}\n`
}
