import { list, type ObjectProperty, object, type Properties } from '#runtime/schema'

/** Shapes that three resources or more share. Handlers spread them into their own schema. */

type Versioned = `${string}.v${number}_${number}_${number}`

/** `#Type.v1_0_0.Type` of `Type.v1_0_0`. */
type Title<T extends string> = T extends `${infer Name}.${string}` ? `#${T}.${Name}` : never

const title = <T extends string>(type: T) => `#${type}.${type.split('.')[0]}` as Title<T>

/** Properties of every resource; the runtime fills them in. */
const common = {
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

/**
 * A type of resources: `resource('Shelf.v1_0_0', 'A shelf', ['Label'], { Label: text, Depth: integer })`. The list of the
 * properties that each of them has, besides those that all resources have, may be left out.
 */
export function resource<const T extends Versioned, const P extends Properties>(
  type: T,
  description: string,
  properties: P
): ResourceType<T, P, never>
export function resource<const T extends Versioned, const P extends Properties, const R extends keyof P & string>(
  type: T,
  description: string,
  required: readonly R[],
  properties: P
): ResourceType<T, P, R>
export function resource(
  type: string,
  description: string,
  ...declared: [Properties] | [readonly string[], Properties]
): ObjectProperty {
  const [required, properties] = declared.length === 1 ? [[], declared[0]] : declared
  return {
    title: title(type),
    description,
    type: 'object',
    required: [...common.required, ...required],
    properties: { ...common.properties, ...properties }
  }
}

interface ResourceType<T extends string, P, R extends string> {
  readonly title: Title<T>
  readonly description: string
  readonly type: 'object'
  readonly required: readonly ((typeof common.required)[number] | R)[]
  readonly properties: typeof common.properties & P
}

/** A reference to a resource. */
export const reference = object(['@odata.id'], { '@odata.id': { type: 'string', readonly: true } })

/** A link to the resource below this one, which the runtime fills in: `Fans: child('Fans')`. */
export const child = <const P extends string>(path: P) => ({ ...reference, child: `/${path}/` }) as const

/** An array of references. */
export const references = list(reference)

/**
 * The status of a part of the machine, or of a service. The runtime fills it in (`#data/health`): a handler says the
 * state at most, `Status: { State: 'Disabled' }`.
 */
export const status = object({
  State: {
    type: 'string',
    enum: ['Enabled', 'Disabled', 'StandbyOffline', 'Starting', 'Absent', 'Updating', 'UnavailableOffline'],
    nullable: true,
    readonly: true
  },
  Health: { type: 'string', enum: ['OK', 'Warning', 'Critical'], nullable: true, readonly: true },
  HealthRollup: { type: 'string', enum: ['OK', 'Warning', 'Critical'], nullable: true, readonly: true },
  Conditions: list(
    object(['MessageId', 'Timestamp'], {
      LogEntry: reference,
      Message: { type: 'string', readonly: true },
      MessageArgs: list({ type: 'string' }),
      MessageId: { type: 'string', readonly: true },
      OriginOfCondition: reference,
      Resolution: { type: 'string', nullable: true, readonly: true },
      Severity: { type: 'string', enum: ['OK', 'Warning', 'Critical'], nullable: true, readonly: true },
      Timestamp: { type: 'string', format: 'date-time', readonly: true }
    })
  )
})

/** A text that may be unknown. */
export const text = { type: 'string', nullable: true, readonly: true } as const

export const integer = { type: 'integer', nullable: true, readonly: true } as const

export const number = { type: 'number', nullable: true, readonly: true } as const

export const flag = { type: 'boolean', nullable: true, readonly: true } as const

/** The location of a part, by the label at its place. */
export const location = object({ PartLocation: object({ ServiceLabel: text }) })

/** The printed identification of a piece of hardware. */
export const asset = { Manufacturer: text, Model: text, PartNumber: text, SKU: text, SerialNumber: text } as const

/** That of a part, which `machine.label` shows. */
export const label = {
  Manufacturer: text,
  Model: text,
  PartNumber: text,
  SerialNumber: text,
  SparePartNumber: text
} as const

export const powerState = {
  type: 'string',
  enum: ['On', 'Off', 'PoweringOn', 'PoweringOff'],
  nullable: true,
  readonly: true
} as const

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
      Members: list(reference),
      'Members@odata.count': { type: 'integer', readonly: true },
      'Members@odata.nextLink': { type: 'string', readonly: true }
    }
  } as const
}

/**
 * The vendor's block of a resource, a type of its own: `oem('VendorSession.v1_0_0', { … })`. The runtime fills
 * in the type.
 */
export function oem<const T extends Versioned, const P extends Properties>(type: T, properties: P) {
  return object({
    Vendor: {
      title: title(type),
      type: 'object',
      required: ['@odata.type'],
      properties: { '@odata.type': { type: 'string', readonly: true }, ...properties }
    }
  })
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
export const locations = list(
  object(['Language', 'Uri'], {
    Language: { type: 'string', readonly: true },
    Uri: { type: 'string', format: 'uri-reference', readonly: true }
  })
)

export const languages = list({ type: 'string' })
