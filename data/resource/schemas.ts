/** Shapes that three resources or more share. Handlers spread them into their own schema. */

/** Properties of every resource; the runtime fills them in. */
export const resource = {
  required: ['@odata.id', '@odata.type', 'Id', 'Name'],
  properties: {
    '@odata.context': { type: 'string', readonly: true },
    '@odata.etag': { type: 'string', readonly: true },
    '@odata.id': { type: 'string', readonly: true },
    '@odata.type': { type: 'string', readonly: true },
    Id: { type: 'string', readonly: true },
    Name: { type: 'string', readonly: true },
    Description: { type: 'string', nullable: true, readonly: true }
  }
} as const

/** A reference to a resource. */
export const reference = {
  type: 'object',
  required: ['@odata.id'],
  properties: { '@odata.id': { type: 'string', readonly: true } }
} as const

/** An array of references. */
export const references = { type: 'array', items: reference, readonly: true } as const

/**
 * The status of a part of the machine, or of a service. The runtime fills it in (`#data/health`): a handler says the
 * state at most, `Status: { State: 'Disabled' }`.
 */
export const status = {
  type: 'object',
  properties: {
    State: {
      type: 'string',
      enum: ['Enabled', 'Disabled', 'StandbyOffline', 'Starting', 'Absent', 'Updating', 'UnavailableOffline'],
      nullable: true,
      readonly: true
    },
    Health: { type: 'string', enum: ['OK', 'Warning', 'Critical'], nullable: true, readonly: true },
    HealthRollup: { type: 'string', enum: ['OK', 'Warning', 'Critical'], nullable: true, readonly: true },
    Conditions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['MessageId', 'Timestamp'],
        properties: {
          LogEntry: reference,
          Message: { type: 'string', readonly: true },
          MessageArgs: { type: 'array', items: { type: 'string' }, readonly: true },
          MessageId: { type: 'string', readonly: true },
          OriginOfCondition: reference,
          Resolution: { type: 'string', nullable: true, readonly: true },
          Severity: { type: 'string', enum: ['OK', 'Warning', 'Critical'], nullable: true, readonly: true },
          Timestamp: { type: 'string', format: 'date-time', readonly: true }
        }
      },
      readonly: true
    }
  }
} as const

/** A text that may be unknown. */
export const text = { type: 'string', nullable: true, readonly: true } as const

export const integer = { type: 'integer', nullable: true, readonly: true } as const

export const number = { type: 'number', nullable: true, readonly: true } as const

export const flag = { type: 'boolean', nullable: true, readonly: true } as const

/** The location of a part, by the label at its place. */
export const location = {
  type: 'object',
  properties: { PartLocation: { type: 'object', properties: { ServiceLabel: text } } }
} as const

/** The printed identification of a piece of hardware. */
export const asset = { Manufacturer: text, Model: text, PartNumber: text, SKU: text, SerialNumber: text } as const

export const powerState = {
  type: 'string',
  enum: ['On', 'Off', 'PoweringOn', 'PoweringOff'],
  nullable: true,
  readonly: true
} as const

/**
 * An action that a resource offers, with the allowable values of the parameters named: `action('ResetType')`. Where it has
 * others, `actionInfo` leads to their description. The runtime fills in the target.
 */
export function action<const P extends string>(...parameters: readonly P[]) {
  const values = { type: 'array', items: { type: 'string' }, readonly: true } as const
  const allowable = Object.fromEntries(parameters.map((each) => [`${each}@Redfish.AllowableValues`, values]))
  return {
    type: 'object',
    required: ['target'],
    properties: {
      '@Redfish.ActionInfo': { type: 'string', format: 'uri-reference', readonly: true },
      target: { type: 'string', readonly: true },
      ...(allowable as { readonly [K in P as `${K}@Redfish.AllowableValues`]: typeof values })
    }
  } as const
}

/** The standard property of this name (its first letter is escaped so that a brand leaves it alone). */
export const standardVendor = '\u0056endor'

/** A collection of resources of one type, e.g. `collection('Chassis')`. */
export function collection<const T extends string>(type: T) {
  return {
    title: `#${type}Collection.${type}Collection`,
    description: `The members, of type ${type}`,
    type: 'object',
    required: ['@odata.id', '@odata.type', 'Name', 'Members', 'Members@odata.count'],
    properties: {
      '@odata.context': { type: 'string', readonly: true },
      '@odata.etag': { type: 'string', readonly: true },
      '@odata.id': { type: 'string', readonly: true },
      '@odata.type': { type: 'string', readonly: true },
      Name: { type: 'string', readonly: true },
      Description: { type: 'string', nullable: true, readonly: true },
      Members: { type: 'array', items: reference, readonly: true },
      'Members@odata.count': { type: 'integer', readonly: true },
      'Members@odata.nextLink': { type: 'string', readonly: true }
    }
  } as const
}

/**
 * The vendor's block of a resource, a type of its own: `oem('VendorSession.v1_0_0.VendorSession', { … })`. The runtime fills
 * in the type.
 */
export function oem<const T extends string, const P extends object>(type: T, properties: P) {
  return {
    type: 'object',
    properties: {
      Vendor: {
        title: `#${type}`,
        type: 'object',
        required: ['@odata.type'],
        properties: { '@odata.type': { type: 'string', readonly: true }, ...properties }
      }
    }
  } as const
}

/** A member of an array that links lead to (DSP0268, ReferenceableMember). */
export const arrayMember = {
  '@odata.id': { type: 'string', readonly: true },
  MemberId: { type: 'string', readonly: true }
} as const

/** Where a member of an array in a resource is: `showArrayMember(uri, 'Fans', 0)`. */
export function showArrayMember(uri: string, array: string, index: number) {
  return { '@odata.id': `${uri}/#/${array}/${index}`, MemberId: String(index) }
}

/** A file in each of its languages, as registries and schemas are offered. */
export const locations = {
  type: 'array',
  items: {
    type: 'object',
    required: ['Language', 'Uri'],
    properties: {
      Language: { type: 'string', readonly: true },
      Uri: { type: 'string', format: 'uri-reference', readonly: true }
    }
  },
  readonly: true
} as const

export const languages = { type: 'array', items: { type: 'string' }, readonly: true } as const
