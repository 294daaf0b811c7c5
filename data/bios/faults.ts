import { compare } from './dependencies.ts'
import { faultOfExpression } from './expressions.ts'
import {
  type Attribute,
  type AttributeRegistry,
  attributeTypes,
  type Dependency,
  type MappedProperty,
  type Menu,
  mappedProperties,
  type Value
} from './registry.ts'
import { defaults, evaluate } from './transfer.ts'
import { longestValue, valueFault } from './values.ts'

/**
 * The faults of a registry, in one line each. A registry with faults must not be served. The caller who reads the file
 * checks that it has the arrays and names of its type.
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
  return parent === '.' || menus.has(parent) ? [] : [`menu ${MenuPath} is below a menu that does not exist`]
}

function attributeFaults(definition: Attribute, menus: ReadonlyMap<string, Menu>): string[] {
  const { AttributeName: name, DefaultValue, MenuPath, ReadOnly, Type, Value = [], ValueExpression } = definition
  if (!attributeTypes.includes(Type)) return [`${name}: ${Type} is not a type`]
  const faults: string[] = []
  for (const [property, type] of Object.entries(mappedProperties)) {
    const present = definition[property as keyof typeof mappedProperties]
    if (present !== undefined && typeof present !== type) faults.push(`${name}: ${property} is not a ${type}`)
  }
  if (faults.length > 0) return faults
  // DSP0268, AttributeRegistry.Attributes.AttributeName
  if (!/^[A-Za-z][A-Za-z0-9_]+$/.test(name)) faults.push(`${name} is not an attribute name`)
  const menu = menus.get(MenuPath)
  if (menu === undefined) faults.push(`${name} is in a menu that does not exist`)
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
  if (!attributes.has(DependencyFor)) faults.push(`${DependencyFor} does not exist`)
  if (MapFrom.length === 0) faults.push('has no condition')
  for (const [index, term] of MapFrom.entries()) {
    const { MapFromAttribute, MapFromCondition, MapFromProperty, MapFromValue, MapTerms } = term
    const fault = faultOfMapped(attributes.get(MapFromAttribute), MapFromProperty, MapFromValue)
    // The value to compare with must be of the attribute's type; it need not be one that the attribute can have.
    if (fault !== undefined && fault !== 'OutOfRange' && fault !== 'FormatError') {
      faults.push(`${fault} in the condition on ${MapFromAttribute}`)
    }
    if (!Object.hasOwn(compare, MapFromCondition)) faults.push(`${MapFromCondition} is not a condition`)
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
