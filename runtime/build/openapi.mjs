/** @import { HandlerModule, Method } from '#runtime/contract' */
/** @import { Route } from './handlers.mjs' */
/** @import { Style } from './schemas.mjs' */
import { describe, untitled } from './schemas.mjs'
import { collectTypes } from './types.mjs'
import { yaml } from './yaml.mjs'

/** @type {Style} */
const style = { flag: 'readOnly', reference: (title) => `#/components/schemas/${title.slice(1)}` }
const json = (/** @type {object} */ schema) => ({ content: { 'application/json': { schema } } })
const component = (/** @type {string} */ title) => ({ $ref: style.reference(title) })
const failure = { $ref: '#/components/responses/Error' }

/**
 * The `openapi.yaml` of the service (OpenAPI 3.1): every URI with its methods, their privileges, bodies and answers.
 *
 * @param {readonly Route[]} routes
 * @param {{ version: string }} about the service
 */
export function openapi(routes, { version }) {
  const schemas = collectTypes(routes).map(({ title, schema }) => [title.slice(1), describe(untitled(schema), style)])
  const document = {
    openapi: '3.1.0',
    info: { title: 'Redfish service of a management controller', version },
    servers: [{ url: '/' }],
    security: [{ basic: [] }, { session: [] }],
    paths: Object.fromEntries(routes.map(({ template, module }) => [template, path(template, module)])),
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        session: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' }
      },
      parameters: Object.fromEntries(
        ['select', 'expand', 'filter', 'top', 'skip'].map((name) => [
          name,
          {
            name: `$${name}`,
            in: 'query',
            schema: ['top', 'skip'].includes(name) ? { type: 'integer', minimum: 0 } : { type: 'string' }
          }
        ])
      ),
      responses: { Error: { description: 'Registry messages say what is wrong', ...json(component('#RedfishError')) } },
      schemas: { RedfishError: error, ...Object.fromEntries(schemas) }
    }
  }
  return `${yaml(document)}\n`
}

const error = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        '@Message.ExtendedInfo': {
          type: 'array',
          items: {
            type: 'object',
            required: ['MessageId'],
            properties: {
              MessageId: { type: 'string' },
              MessageArgs: { type: 'array', items: { type: 'string' } },
              RelatedProperties: { type: 'array', items: { type: 'string' } }
            }
          }
        }
      }
    }
  }
}

/**
 * @param {string} template
 * @param {HandlerModule} module
 */
function path(template, module) {
  const parameters = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' }
  }))
  const methods = /** @type {Method[]} */ (Object.keys(module.privileges))
  const operations = methods.map((method) => [
    method.toLowerCase(),
    operation(method, module, template.includes('/Actions/'))
  ])
  return { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) }
}

/**
 * @param {Method} method
 * @param {HandlerModule} module
 * @param {boolean} action
 */
function operation(method, { schema, body, privileges }, action) {
  const open = privileges[method] === 'NoAuth' ? { security: [] } : {}
  const resource = schema && (schema.title ? component(schema.title) : describe(schema, style))
  if (method === 'GET') {
    const collection = schema?.properties.Members !== undefined
    const options = ['select', 'expand', ...(collection ? ['filter', 'top', 'skip'] : [])]
    const shown = resource ? json(resource) : {}
    return {
      ...open,
      ...(resource && { parameters: options.map((name) => ({ $ref: `#/components/parameters/${name}` })) }),
      responses: { 200: { description: 'The resource', ...shown }, default: failure }
    }
  }
  const accepted = method === 'POST' ? body && describe(untitled(body), { ...style, flag: undefined }) : resource
  const content = accepted && method !== 'DELETE' ? { requestBody: json(accepted) } : {}
  const created = method === 'POST' && !action
  const done = created
    ? {
        201: { description: 'Created', headers: { Location: { schema: { type: 'string', format: 'uri-reference' } } } }
      }
    : { 200: { description: 'Done', ...json(component('#RedfishError')) } }
  return { ...open, ...content, responses: { ...done, default: failure } }
}
