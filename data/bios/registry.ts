import type {} from '#runtime/contract'

declare module '#runtime/contract' {
  interface Machine {
    /**
     * The attribute registry of a system's BIOS, read from its file each time: for what happens seldom.
     *
     * @throws MessageError 404 before the firmware has told its attributes
     */
    attributeRegistry(system: string): AttributeRegistry
    /** Whether this service applies the BIOS settings of a system; not where its firmware takes them from another program. */
    ownsBios(system: string): boolean
  }
}

/** The value of an attribute; null is that of a password, which is never shown. */
export type Value = string | number | boolean | null

/** Values by attribute name. */
export type Values = Readonly<Record<string, Value>>

/** The settings of a BIOS (DSP0268, AttributeRegistry 1.3.8). */
export interface AttributeRegistry {
  readonly '@odata.type': string
  readonly Id: string
  readonly Name: string
  readonly Language: string
  readonly OwningEntity: string
  /** `major.minor.errata`; a part of `Id` and of the file's name. */
  readonly RegistryVersion: string
  readonly Description: string
  readonly RegistryEntries: {
    readonly Menus: readonly Menu[]
    readonly Attributes: readonly Attribute[]
    readonly Dependencies: readonly Dependency[]
    readonly SupportedSystems: readonly {
      readonly ProductName?: string | undefined
      readonly SystemId?: string | undefined
      readonly FirmwareVersion?: string | undefined
    }[]
  }
}

export interface Menu {
  readonly MenuName: string
  readonly DisplayName: string
  readonly DisplayOrder: number
  readonly ReadOnly: boolean
  readonly GrayOut: boolean
  /** `./` and the names of the menus down to this one. */
  readonly MenuPath: string
}

export const attributeTypes = ['Enumeration', 'String', 'Integer', 'Boolean', 'Password'] as const

export interface Attribute {
  readonly AttributeName: string
  readonly Type: (typeof attributeTypes)[number]
  readonly DisplayName: string
  readonly HelpText: string
  readonly WarningText?: string
  readonly MenuPath: string
  readonly DisplayOrder: number
  readonly DefaultValue: Value
  readonly ReadOnly: boolean
  readonly GrayOut: boolean
  readonly Hidden?: boolean
  /** Says what the hardware is; never written. */
  readonly Immutable?: boolean
  /** Differs from machine to machine: not to be copied to another. */
  readonly IsSystemUniqueProperty?: boolean
  /** Of an enumeration. */
  readonly Value?: readonly { readonly ValueName: string; readonly ValueDisplayName: string }[]
  /** Of an integer, inclusive. */
  readonly LowerBound?: number
  readonly UpperBound?: number
  /** Steps from the lower bound on; 0 is any. */
  readonly ScalarIncrement?: number
  /** Of a string or password, in UTF-16 units as UEFI counts them. */
  readonly MinLength?: number
  readonly MaxLength?: number
  /** A regular expression, not anchored unless it says so. */
  readonly ValueExpression?: string
}

/** "If all of this holds, then that property of that attribute has this value." */
export interface Dependency {
  /** The attribute whose change is the occasion. */
  readonly DependencyFor: string
  readonly Type: 'Map'
  readonly Dependency: {
    readonly MapFrom: readonly MapFrom[]
    readonly MapToAttribute: string
    readonly MapToProperty: MappedProperty
    readonly MapToValue: Value
  }
}

export interface MapFrom {
  readonly MapFromAttribute: string
  readonly MapFromProperty: MappedProperty
  readonly MapFromCondition: 'EQU' | 'NEQ' | 'GTR' | 'GEQ' | 'LSS' | 'LEQ'
  readonly MapFromValue: Value
  /** How this term joins those before it, from left to right; that of the first means nothing. */
  readonly MapTerms?: 'AND' | 'OR'
}

/** The properties that dependencies read and set besides values, with what they hold. */
export const mappedProperties = {
  ReadOnly: 'boolean',
  GrayOut: 'boolean',
  Hidden: 'boolean',
  Immutable: 'boolean',
  LowerBound: 'number',
  UpperBound: 'number',
  ScalarIncrement: 'number',
  MinLength: 'number',
  MaxLength: 'number',
  DisplayOrder: 'number',
  DisplayName: 'string',
  HelpText: 'string',
  WarningText: 'string',
  ValueExpression: 'string'
} as const

export type MappedProperty = 'CurrentValue' | 'DefaultValue' | keyof typeof mappedProperties
