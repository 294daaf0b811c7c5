import { privilegeRegistry } from './privileges.mjs'

const text = { type: 'string' }
const texts = { type: 'array', items: text }
const head = { '@odata.type': text, Id: text, Name: text, Description: text }

const operation = {
  type: 'array',
  items: { type: 'object', required: ['Privilege'], properties: { Privilege: texts } }
}
const operations = {
  type: 'object',
  properties: { GET: operation, HEAD: operation, PATCH: operation, POST: operation, PUT: operation, DELETE: operation }
}

/** The types of the registries themselves (DMTF DSP8010). */
export const registrySchemas = [
  {
    title: '#MessageRegistry.v1_6_0.MessageRegistry',
    type: 'object',
    required: [
      '@odata.type',
      'Id',
      'Language',
      'Messages',
      'Name',
      'OwningEntity',
      'RegistryPrefix',
      'RegistryVersion'
    ],
    properties: {
      ...head,
      Language: text,
      OwningEntity: text,
      RegistryPrefix: text,
      RegistryVersion: text,
      Messages: {
        type: 'object',
        properties: {},
        additionalProperties: {
          type: 'object',
          required: ['Description', 'Message', 'MessageSeverity', 'NumberOfArgs', 'Resolution'],
          properties: {
            Description: text,
            Message: text,
            MessageSeverity: { type: 'string', enum: ['OK', 'Warning', 'Critical'] },
            NumberOfArgs: { type: 'integer', minimum: 0 },
            ParamTypes: { type: 'array', items: { type: 'string', enum: ['string', 'number'] } },
            Resolution: text,
            Severity: text
          }
        }
      }
    }
  },
  {
    title: '#PrivilegeRegistry.v1_1_5.PrivilegeRegistry',
    type: 'object',
    required: ['@odata.type', 'Id', 'Mappings', 'Name', 'OEMPrivilegesUsed', 'PrivilegesUsed'],
    properties: {
      ...head,
      PrivilegesUsed: texts,
      OEMPrivilegesUsed: texts,
      Mappings: {
        type: 'array',
        items: {
          type: 'object',
          required: ['Entity', 'OperationMap'],
          properties: {
            Entity: text,
            OperationMap: operations,
            ResourceURIOverrides: {
              type: 'array',
              items: { type: 'object', properties: { Targets: texts, OperationMap: operations } }
            }
          }
        }
      }
    }
  }
]

/**
 * The registries as files: the message registries as they are, named by prefix and version, and `privileges.json`, the
 * privilege registry.
 *
 * @param registries parsed message registries
 * @returns `{ name, text }` of each file
 */
export function registryFiles(routes, registries) {
  const files = registries.map((registry) => ({
    name: `registries/${registry.RegistryPrefix}.${registry.RegistryVersion}.json`,
    text: JSON.stringify(registry)
  }))
  return [...files, { name: 'privileges.json', text: JSON.stringify(privilegeRegistry(routes)) }]
}
