import {
  type Attribute,
  type AttributeRegistry,
  checkAttribute,
  registryFaults,
  type Value,
  type Values
} from '#data/bios'
import shipped from '#registries/bios/BiosAttributeRegistryRS220.v1_1_0.json' with { type: 'json' }

const model = shipped as unknown as AttributeRegistry

/**
 * A registry of any number of attributes: those of the registry that ships, over and over, with names that are all two
 * digits longer. Dependencies are included if their attributes are.
 *
 * @throws Error when it is not sound
 */
export function attributeRegistry(count: number): AttributeRegistry {
  const { Menus, Attributes, Dependencies, SupportedSystems } = model.RegistryEntries
  const rounds = Array.from({ length: Math.ceil(count / Attributes.length) }, (_, round) => String(round + 10))
  const attributes = rounds
    .flatMap((round) => Attributes.map((each) => ({ ...each, AttributeName: each.AttributeName + round })))
    .slice(0, count)
  const names = new Set(attributes.map((each) => each.AttributeName))
  const dependencies = rounds
    .flatMap((round) =>
      Dependencies.map(({ DependencyFor, Type, Dependency: { MapFrom, MapToAttribute, ...rest } }) => ({
        DependencyFor: DependencyFor + round,
        Type,
        Dependency: {
          MapFrom: MapFrom.map((each) => ({ ...each, MapFromAttribute: each.MapFromAttribute + round })),
          MapToAttribute: MapToAttribute + round,
          ...rest
        }
      }))
    )
    .filter(({ DependencyFor, Dependency: { MapFrom, MapToAttribute } }) =>
      [DependencyFor, MapToAttribute, ...MapFrom.map((each) => each.MapFromAttribute)].every((name) => names.has(name))
    )
  const registry = {
    ...model,
    Id: `BiosAttributeRegistry${count}.v1_0_0`,
    RegistryVersion: '1.0.0',
    RegistryEntries: { Menus, Attributes: attributes, Dependencies: dependencies, SupportedSystems }
  }
  const [fault] = registryFaults(registry)
  if (fault !== undefined) throw new Error(`the registry of ${count} attributes: ${fault}`)
  return registry
}

/** Some value other than the default that an attribute may have; the default, where none is found. */
function otherValue(attribute: Attribute): Value {
  const { AttributeName, DefaultValue, LowerBound, UpperBound, Value = [] } = attribute
  const candidates = [...Value.map((each) => each.ValueName), LowerBound, UpperBound, true, false, 'other', '']
  const other = candidates.find(
    (value) => value !== DefaultValue && checkAttribute(AttributeName, attribute, value) === undefined
  )
  return other ?? DefaultValue
}

/** A value other than its default for every attribute that can have one. */
export function changedValues({ RegistryEntries }: AttributeRegistry): Values {
  const others = RegistryEntries.Attributes.map((each) => [each, otherValue(each)] as const)
  return Object.fromEntries(
    others.filter(([each, value]) => value !== each.DefaultValue).map(([each, value]) => [each.AttributeName, value])
  )
}
