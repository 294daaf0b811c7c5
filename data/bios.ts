/**
 * BIOS settings: what an attribute registry says (DSP0268, AttributeRegistry 1.3.8), and the transfer of pending
 * values into the current area as firmware does it at a host reset.
 */

/** The value of an attribute; null is that of a password, which is never shown. */
export type Value = string | number | boolean | null

/** Values by attribute name. */
export type Values = Readonly<Record<string, Value>>

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
      readonly ProductName: string
      readonly SystemId: string
      readonly FirmwareVersion: string
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

const attributeTypes = ['Enumeration', 'String', 'Integer', 'Boolean', 'Password'] as const

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
const mappedProperties = {
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

/** What is wrong with a value: a message of the Base registry with its arguments. */
export interface Fault {
  readonly key:
    | 'Base.PropertyUnknown'
    | 'Base.PropertyNotWritable'
    | 'Base.PropertyValueTypeError'
    | 'Base.PropertyValueNotInList'
    | 'Base.PropertyValueOutOfRange'
    | 'Base.PropertyValueFormatError'
  readonly args: readonly string[]
}

/** A message of a transfer. */
export type TransferMessage =
  | { readonly key: 'Base.Success'; readonly args: readonly []; readonly related?: undefined }
  | (Fault & { readonly related: readonly string[] })

/** The most UTF-16 units of a string, whatever a registry allows: expressions are tested on no more than these. */
export const longestValue = 255

/** Passwords that Bios.ChangePassword knows. Each has an attribute, e.g. `UserPassword`, which says its bounds. */
export const biosPasswords = ['Administrator', 'User'] as const

/**
 * What is wrong with a value for an attribute, or nothing.
 *
 * @param definition as the registry has it, or as `evaluate` leaves it; undefined for a name that is in no registry
 */
export function checkAttribute(name: string, definition: Attribute | undefined, value: unknown): Fault | undefined {
  if (definition === undefined) return { key: 'Base.PropertyUnknown', args: [shorten(name)] }
  if (definition.ReadOnly || definition.GrayOut || definition.Immutable) return notWritable(name)
  const kind = valueFault(definition, value)
  return kind && { key: `Base.PropertyValue${kind}`, args: [display(definition, value), name] }
}

/** Whether Bios.ChangePassword may set this password. The empty one takes the password away. */
export function acceptsPassword(
  registry: AttributeRegistry,
  name: (typeof biosPasswords)[number],
  password: string
): boolean {
  const attribute = `${name}Password`
  const definition = registry.RegistryEntries.Attributes.find((each) => each.AttributeName === attribute)
  if (definition?.Type !== 'Password') return false
  return password === '' || valueFault(definition, password) === undefined
}

type ValueFault = 'TypeError' | 'NotInList' | 'OutOfRange' | 'FormatError'

function valueFault(definition: Attribute, value: unknown): ValueFault | undefined {
  switch (definition.Type) {
    case 'Boolean':
      return typeof value === 'boolean' ? undefined : 'TypeError'
    case 'Enumeration':
      if (typeof value !== 'string') return 'TypeError'
      return definition.Value?.some((each) => each.ValueName === value) ? undefined : 'NotInList'
    case 'Integer':
      return integerFault(definition, value)
    case 'String':
    case 'Password':
      return stringFault(definition, value)
  }
}

function integerFault(definition: Attribute, value: unknown): ValueFault | undefined {
  const { LowerBound = Number.MIN_SAFE_INTEGER, UpperBound = Number.MAX_SAFE_INTEGER, ScalarIncrement = 0 } = definition
  if (typeof value !== 'number') return 'TypeError'
  // JSON.parse makes infinity of a number that is too large.
  if (!Number.isInteger(value) && Number.isFinite(value)) return 'TypeError'
  if (!(value >= LowerBound && value <= UpperBound)) return 'OutOfRange'
  if (ScalarIncrement > 0 && (value - LowerBound) % ScalarIncrement !== 0) return 'OutOfRange'
  return matches(definition, String(value)) ? undefined : 'FormatError'
}

function stringFault(definition: Attribute, value: unknown): ValueFault | undefined {
  const { MinLength = 0, MaxLength = longestValue } = definition
  if (typeof value !== 'string') return 'TypeError'
  if (value.length < MinLength || value.length > Math.min(MaxLength, longestValue)) return 'FormatError'
  return matches(definition, value) ? undefined : 'FormatError'
}

/** Compiled expressions by their text: no more than registries have. */
const expressions = new Map<string, RegExp>()

function matches({ ValueExpression }: Attribute, text: string): boolean {
  if (ValueExpression === undefined) return true
  let expression = expressions.get(ValueExpression)
  if (expression === undefined) {
    expression = new RegExp(ValueExpression, 'u')
    expressions.set(ValueExpression, expression)
  }
  return expression.test(text)
}

function notWritable(name: string): Fault {
  return { key: 'Base.PropertyNotWritable', args: [name] }
}

/** A value as messages name it: the beginning of a long one, nothing of a password. */
function display({ Type }: Attribute, value: unknown): string {
  if (Type === 'Password') return '******'
  if (typeof value === 'string') return shorten(value)
  return typeof value === 'number' ? String(value) : shorten(String(JSON.stringify(value)))
}

function shorten(text: string): string {
  return text.length <= 64 ? text : `${text.slice(0, 64).replace(/[\ud800-\udbff]$/, '')}…`
}

/** RFC 6901 3. */
function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The values that a registry begins with. */
export function defaults(registry: AttributeRegistry): Values {
  return Object.fromEntries(registry.RegistryEntries.Attributes.map((each) => [each.AttributeName, each.DefaultValue]))
}

/** The values after Bios.ResetBios: what can be set has its default again, what only informs stays. */
export function resetValues(registry: AttributeRegistry, current: Values): Values {
  const informs = registry.RegistryEntries.Attributes.filter((each) => each.ReadOnly || each.Immutable)
  const kept = informs.map((each) => each.AttributeName).filter((name) => Object.hasOwn(current, name))
  return evaluate(registry, Object.fromEntries(kept.map((name) => [name, current[name] as Value]))).values
}

/** Attributes as the dependencies leave them. */
export interface Evaluation {
  /** Definitions by name in the order of the registry, with the properties that hold now. */
  readonly attributes: ReadonlyMap<string, Attribute>
  /** A value for each attribute of the registry, and for no other. */
  readonly values: Values
}

/** What the dependencies of a registry make of its attributes while they have these values, defaults for the rest. */
export function evaluate(registry: AttributeRegistry, values: Values): Evaluation {
  const { attributes, values: settled } = settle(registry, values, {})
  return { attributes, values: Object.fromEntries(settled) }
}

/**
 * The transfer of the pending area at a host reset. An attribute is judged by what the dependencies make of it once
 * those that it depends on have their new values; one that a dependency sets to something else is not writable.
 *
 * @returns the new current area, and `Success` followed by a message for each pending value that was not applied, in
 *   the order of the pending area
 */
export function transfer(
  registry: AttributeRegistry,
  current: Values,
  pending: Values
): { current: Values; messages: TransferMessage[] } {
  const { values, faults } = settle(registry, current, pending)
  const messages: TransferMessage[] = [{ key: 'Base.Success', args: [] }]
  for (const name of Object.keys(pending)) {
    const fault = values.has(name) ? faults.get(name) : checkAttribute(name, undefined, null)
    if (fault !== undefined) messages.push({ ...fault, related: [`#/Attributes/${escapePointer(shorten(name))}`] })
  }
  return { current: Object.fromEntries(values), messages }
}

/**
 * Goes once through the attributes, each after those that its dependencies read. Where attributes depend on one another
 * in a circle they are taken one after the other, as someone at the setup screen would change them: each sees what is
 * not yet its turn as it was.
 */
function settle(registry: AttributeRegistry, current: Values, pending: Values) {
  const { Attributes, Dependencies } = registry.RegistryEntries
  const attributes = new Map(Attributes.map((each) => [each.AttributeName, each]))
  const values = new Map(Attributes.map((each) => [each.AttributeName, valueIn(each, current)]))
  const faults = new Map<string, Fault>()
  const maps = mapsByTarget(Dependencies)

  const meets = ({ MapFromAttribute, MapFromProperty, MapFromCondition, MapFromValue }: MapFrom): boolean => {
    const property =
      MapFromProperty === 'CurrentValue'
        ? values.get(MapFromAttribute)
        : attributes.get(MapFromAttribute)?.[MapFromProperty]
    // A flag that a definition leaves out is false.
    return compare[MapFromCondition](property ?? (typeof MapFromValue === 'boolean' ? false : null), MapFromValue)
  }
  const holds = ({ MapFrom }: Dependency['Dependency']): boolean =>
    MapFrom.reduce((before, each, index) => {
      if (index === 0) return meets(each)
      return each.MapTerms === 'OR' ? before || meets(each) : before && meets(each)
    }, false)

  for (const name of sourcesFirst(attributes.keys(), maps)) {
    if (!attributes.has(name)) continue
    const own = maps.get(name) ?? []
    for (const map of own) {
      if (map.MapToProperty === 'CurrentValue' || !holds(map)) continue
      attributes.set(name, { ...(attributes.get(name) as Attribute), [map.MapToProperty]: map.MapToValue })
    }
    const set = (value: Value) => {
      values.set(name, value)
      for (const map of own) if (map.MapToProperty === 'CurrentValue' && holds(map)) values.set(name, map.MapToValue)
      return values.get(name)
    }
    const before = values.get(name) as Value
    if (Object.hasOwn(pending, name)) {
      const value = pending[name] as Value
      const fault = checkAttribute(name, attributes.get(name), value)
      if (fault === undefined && set(value) === value) continue
      faults.set(name, fault ?? notWritable(name))
    }
    set(before)
  }
  return { attributes, values, faults }
}

function valueIn({ AttributeName, Type, DefaultValue }: Attribute, values: Values): Value {
  if (Type === 'Password') return null
  return Object.hasOwn(values, AttributeName) ? (values[AttributeName] as Value) : DefaultValue
}

function mapsByTarget(dependencies: readonly Dependency[]): Map<string, Dependency['Dependency'][]> {
  const maps = new Map<string, Dependency['Dependency'][]>()
  for (const { Dependency } of dependencies) {
    const present = maps.get(Dependency.MapToAttribute)
    if (present === undefined) maps.set(Dependency.MapToAttribute, [Dependency])
    else present.push(Dependency)
  }
  return maps
}

/** The names in their order, but each after those that lead to it; no recursion, since chains may be long. */
function sourcesFirst(names: Iterable<string>, maps: ReturnType<typeof mapsByTarget>): Set<string> {
  const entered = new Set<string>()
  const left = new Set<string>()
  for (const root of names) {
    const stack = [root]
    for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
      if (entered.has(name)) {
        stack.pop()
        left.add(name)
        continue
      }
      entered.add(name)
      for (const { MapFrom } of maps.get(name) ?? []) {
        for (const { MapFromAttribute } of MapFrom) if (!entered.has(MapFromAttribute)) stack.push(MapFromAttribute)
      }
    }
  }
  return left
}

const ordered =
  (compare: (a: number, b: number) => boolean) =>
  (a: unknown, b: unknown): boolean =>
    typeof a === 'number' && typeof b === 'number' && compare(a, b)

const compare = {
  EQU: (a: unknown, b: unknown) => a === b,
  NEQ: (a: unknown, b: unknown) => a !== b,
  GTR: ordered((a, b) => a > b),
  GEQ: ordered((a, b) => a >= b),
  LSS: ordered((a, b) => a < b),
  LEQ: ordered((a, b) => a <= b)
}

/**
 * What is wrong with a registry, in one line each: one with faults is not to be served. Whether it has the arrays and
 * names that the types above ask for is for whoever reads the file.
 */
export function registryFaults(registry: AttributeRegistry): string[] {
  const { Id, RegistryVersion } = registry
  const { Menus, Attributes, Dependencies } = registry.RegistryEntries
  const menus = new Map(Menus.map((each) => [each.MenuPath, each]))
  const attributes = new Map(Attributes.map((each) => [each.AttributeName, each]))
  const faults = [
    ...repeated(Menus.map((each) => each.MenuPath)).map((path) => `menu ${path} stands twice`),
    ...repeated(Attributes.map((each) => each.AttributeName)).map((name) => `${name} stands twice`),
    ...Menus.flatMap((each) => menuFaults(each, menus)),
    ...Attributes.flatMap((each) => attributeFaults(each, menus)),
    ...Dependencies.flatMap((each, index) =>
      dependencyFaults(each, attributes).map((fault) => `dependency ${index + 1}: ${fault}`)
    )
  ]
  const version = RegistryVersion.replaceAll('.', '_')
  if (!Id.endsWith(`.v${version}`)) faults.push(`${Id} is not of version ${RegistryVersion}`)
  return faults.length > 0 ? faults : unstableDefaults(registry)
}

/** Defaults that the dependencies would change at once. */
function unstableDefaults(registry: AttributeRegistry): string[] {
  const initial = defaults(registry)
  const settled = evaluate(registry, initial).values
  const changed = Object.keys(initial).filter((name) => initial[name] !== settled[name])
  return changed.map((name) => `${name}: a dependency changes its default`)
}

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>()
  return names.filter((name) => seen.size === seen.add(name).size)
}

function menuFaults({ MenuName, MenuPath }: Menu, menus: ReadonlyMap<string, Menu>): string[] {
  const parent = MenuPath.slice(0, -MenuName.length - 1)
  if (MenuPath !== `${parent}/${MenuName}`) return [`menu ${MenuPath} does not end in its name`]
  return parent === '.' || menus.has(parent) ? [] : [`menu ${MenuPath} is below a menu that is not there`]
}

function attributeFaults(definition: Attribute, menus: ReadonlyMap<string, Menu>): string[] {
  const { AttributeName: name, DefaultValue, MenuPath, ReadOnly, Type, Value = [], ValueExpression } = definition
  if (!attributeTypes.includes(Type)) return [`${name}: ${Type} is no type`]
  const faults: string[] = []
  for (const [property, type] of Object.entries(mappedProperties)) {
    const present = definition[property as keyof typeof mappedProperties]
    if (present !== undefined && typeof present !== type) faults.push(`${name}: ${property} is no ${type}`)
  }
  if (faults.length > 0) return faults
  // DSP0268, AttributeRegistry.Attributes.AttributeName
  if (!/^[A-Za-z][A-Za-z0-9_]+$/.test(name)) faults.push(`${name} is no name of an attribute`)
  const menu = menus.get(MenuPath)
  if (menu === undefined) faults.push(`${name} is in a menu that is not there`)
  if (menu?.ReadOnly && !ReadOnly) faults.push(`${name} can be written in a menu that cannot`)
  const values = Value.map((each) => each.ValueName)
  for (const value of values) if (!/^\D/.test(value)) faults.push(`${name}: ${value} begins with a digit`)
  for (const value of repeated(values)) faults.push(`${name}: ${value} stands twice`)
  if ((definition.MaxLength ?? 0) > longestValue) faults.push(`${name} is longer than ${longestValue}`)
  const expressionFault = ValueExpression === undefined ? undefined : faultOfExpression(ValueExpression)
  if (expressionFault !== undefined) return [...faults, `${name}: ${expressionFault}`]
  if (Type !== 'Password') {
    const fault = valueFault(definition, DefaultValue)
    if (fault !== undefined) faults.push(`${name}: ${fault} of its default`)
  } else if (DefaultValue !== null || !ReadOnly) {
    faults.push(`${name} is a password: read-only, since Bios.ChangePassword sets it, and null`)
  }
  return faults
}

function dependencyFaults(
  { DependencyFor, Type, Dependency: { MapFrom, MapToAttribute, MapToProperty, MapToValue } }: Dependency,
  attributes: ReadonlyMap<string, Attribute>
): string[] {
  const faults: string[] = []
  if (Type !== 'Map') faults.push(`is not of type Map`)
  if (!attributes.has(DependencyFor)) faults.push(`${DependencyFor} is not there`)
  if (MapFrom.length === 0) faults.push('has no condition')
  for (const [index, term] of MapFrom.entries()) {
    const { MapFromAttribute, MapFromCondition, MapFromProperty, MapFromValue, MapTerms } = term
    const fault = faultOfMapped(attributes.get(MapFromAttribute), MapFromProperty, MapFromValue)
    // What is compared with need not be a value that the attribute can have, but of its kind.
    if (fault !== undefined && fault !== 'OutOfRange' && fault !== 'FormatError') {
      faults.push(`${fault} in the condition on ${MapFromAttribute}`)
    }
    if (!Object.hasOwn(compare, MapFromCondition)) faults.push(`${MapFromCondition} is no condition`)
    else if (!/^(EQU|NEQ)$/.test(MapFromCondition) && typeof MapFromValue !== 'number') {
      faults.push(`${MapFromCondition} is for numbers`)
    }
    if (index > 0 && MapTerms !== 'AND' && MapTerms !== 'OR') faults.push(`${MapTerms} joins no terms`)
  }
  const fault = faultOfMapped(attributes.get(MapToAttribute), MapToProperty, MapToValue)
  if (fault !== undefined) faults.push(`${fault} in ${MapToProperty} of ${MapToAttribute}`)
  return faults
}

function faultOfMapped(definition: Attribute | undefined, property: MappedProperty, value: Value): string | undefined {
  if (definition === undefined) return 'unknown attribute'
  if (property === 'CurrentValue' || property === 'DefaultValue') return valueFault(definition, value)
  if (!Object.hasOwn(mappedProperties, property)) return 'unknown property'
  if (typeof value !== mappedProperties[property]) return 'TypeError'
  return property === 'ValueExpression' ? faultOfExpression(String(value)) : undefined
}

function faultOfExpression(expression: string): string | undefined {
  try {
    new RegExp(expression, 'u')
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return backtracks(expression) ? `${expression} may take forever` : undefined
}

/**
 * Whether a group that is repeated holds a choice or a repetition itself: an engine that tries all ways to match then
 * may have exponentially many. A bounded choice up to four times, as in an IPv4 address, is let pass.
 */
function backtracks(expression: string): boolean {
  // What each open group holds: 0 one way to match, 1 a bounded choice, 2 a repetition without bound.
  const groups = [0]
  const hold = (what: number) => groups.push(Math.max(groups.pop() ?? 0, what))
  const tokens = /\\.|\[(?:\\.|[^\\\]])*\]|\((?:\?[:=!<]+)?|\)(?:[*+]|\{\d+(?:,\d*)?\})?|[|*+?]|\{\d+,\d*\}/gu
  for (const [token] of expression.matchAll(tokens)) {
    if (token.startsWith('(')) groups.push(0)
    else if (token.startsWith(')')) {
      const inner = groups.pop() ?? 0
      const times = token === ')' ? 1 : Number(/^\)\{(?:\d+,)?(\d+)\}/.exec(token)?.[1] ?? Number.POSITIVE_INFINITY)
      if ((inner === 1 && times > 4) || (inner === 2 && times > 1)) return true
      hold(times === Number.POSITIVE_INFINITY ? 2 : Math.max(inner, token.includes(',') ? 1 : 0))
    } else if (/^([*+]|\{\d+,\})$/.test(token)) hold(2)
    else if (/^[|?{]/.test(token)) hold(1)
  }
  return false
}
