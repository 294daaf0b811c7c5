/** @import { Property, Schema } from '../schema/schema.ts' */

/** @type {Property} */
const text = { type: 'string' }

/** @type {Property} */
const texts = { type: 'array', items: text }
const control = { '@odata.context': text, '@odata.etag': text, '@odata.id': text, '@odata.type': text }
const head = { ...control, Id: text, Name: text, Description: text }

/** @type {Property} */
const operation = {
  type: 'array',
  items: { type: 'object', required: ['Privilege'], properties: { Privilege: texts } }
}

/** @type {Property} */
const operations = {
  type: 'object',
  properties: { GET: operation, HEAD: operation, PATCH: operation, POST: operation, PUT: operation, DELETE: operation }
}

/** @type {Property} */
const integer = { type: 'integer' }

/** @type {Property} */
const flag = { type: 'boolean' }

/** @type {Property} */
const value = { type: ['string', 'number', 'boolean', 'null'] }

/** @type {Property} */
const menu = {
  type: 'object',
  required: ['MenuName', 'MenuPath'],
  properties: {
    MenuName: text,
    DisplayName: text,
    DisplayOrder: integer,
    ReadOnly: flag,
    GrayOut: flag,
    MenuPath: text
  }
}

/** @type {Property} */
const attribute = {
  type: 'object',
  required: ['AttributeName', 'Type'],
  properties: {
    AttributeName: text,
    DefaultValue: value,
    DisplayName: text,
    DisplayOrder: integer,
    GrayOut: flag,
    HelpText: text,
    Hidden: flag,
    Immutable: flag,
    IsSystemUniqueProperty: flag,
    LowerBound: integer,
    MaxLength: integer,
    MenuPath: text,
    MinLength: integer,
    ReadOnly: flag,
    ScalarIncrement: integer,
    Type: { type: 'string', enum: ['Enumeration', 'String', 'Integer', 'Boolean', 'Password'] },
    UpperBound: integer,
    Value: {
      type: 'array',
      items: { type: 'object', required: ['ValueName'], properties: { ValueName: text, ValueDisplayName: text } }
    },
    ValueExpression: text,
    WarningText: text
  }
}

/** @type {Property} */
const mapFrom = {
  type: 'object',
  properties: {
    MapFromAttribute: text,
    MapFromCondition: { type: 'string', enum: ['EQU', 'NEQ', 'GTR', 'GEQ', 'LSS', 'LEQ'] },
    MapFromProperty: text,
    MapFromValue: value,
    MapTerms: { type: 'string', enum: ['AND', 'OR'] }
  }
}

/** @type {Property} */
const dependency = {
  type: 'object',
  required: ['DependencyFor', 'Type'],
  properties: {
    Dependency: {
      type: 'object',
      properties: {
        MapFrom: { type: 'array', items: mapFrom },
        MapToAttribute: text,
        MapToProperty: text,
        MapToValue: value
      }
    },
    DependencyFor: text,
    Type: { type: 'string', enum: ['Map'] }
  }
}

/**
 * The types of the registries themselves (DMTF DSP8010).
 *
 * @type {readonly Schema[]}
 */
export const registrySchemas = [
  {
    title: '#AttributeRegistry.v1_3_8.AttributeRegistry',
    type: 'object',
    required: ['@odata.type', 'Id', 'Language', 'Name', 'OwningEntity', 'RegistryEntries', 'RegistryVersion'],
    properties: {
      ...head,
      Language: text,
      OwningEntity: text,
      RegistryEntries: {
        type: 'object',
        properties: {
          Attributes: { type: 'array', items: attribute },
          Dependencies: { type: 'array', items: dependency },
          Menus: { type: 'array', items: menu },
          SupportedSystems: {
            type: 'array',
            items: { type: 'object', properties: { ProductName: text, SystemId: text, FirmwareVersion: text } }
          }
        }
      },
      RegistryVersion: text
    }
  },
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
