import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { type AttributeRegistry, defaults, transfer, type Value } from '#data/bios'
import {
  enteredValue,
  isFound,
  isOpen,
  type MenuBranch,
  menuTree,
  type Setting,
  settingsOf,
  shownValue,
  unsent
} from '#runtime/page/rules/settings.ts'

const registries = readdirSync('registries/bios').map(
  (name): AttributeRegistry => JSON.parse(readFileSync(`registries/bios/${name}`, 'utf8'))
)

/** A value that the attribute may have, and mostly not the one that it has. */
function another({
  Type,
  Value: values = [],
  LowerBound = 0,
  UpperBound = 1,
  DefaultValue
}: Setting['definition']): Value {
  if (Type === 'Boolean') return DefaultValue !== true
  if (Type === 'Enumeration') return values.find((each) => each.ValueName !== DefaultValue)?.ValueName ?? DefaultValue
  if (Type === 'Integer') return DefaultValue === UpperBound ? LowerBound : UpperBound
  return 'x'
}

t.test('the page judges each setting as the transfer does', async (t) => {
  for (const registry of registries) {
    const current = defaults(registry)
    for (const definition of registry.RegistryEntries.Attributes) {
      const name = definition.AttributeName
      const wanted = { [name]: another(definition) }
      const { current: after, messages } = transfer(registry, current, wanted)
      for (const setting of settingsOf(registry, current, wanted)) {
        const refused = messages.find((each) => each.related?.includes(`#/Attributes/${setting.name}`))
        const left = setting.settles === undefined ? setting.next : setting.settles
        if (setting.fault?.key !== refused?.key) t.fail(`${name}: ${setting.name} is judged another way`)
        if (setting.fault === undefined && left !== after[setting.name])
          t.fail(`${name}: ${setting.name} is ${after[setting.name]}`)
      }
    }
  }
})

const [registry] = registries as [AttributeRegistry]
const named = (settings: readonly Setting[], name: string) => settings.find((each) => each.name === name)!

t.test('a setting that depends on another one opens and closes with it', async (t) => {
  const map = registries
    .flatMap((each) => each.RegistryEntries.Dependencies.map(({ Dependency }) => ({ registry: each, Dependency })))
    .find(({ Dependency: { MapFrom, MapToProperty } }) => MapFrom.length === 1 && MapToProperty === 'GrayOut')
  t.ok(map, 'a registry has one')
  const { MapFrom, MapToAttribute } = map!.Dependency
  const { MapFromAttribute, MapFromValue } = MapFrom[0]!
  const current = defaults(map!.registry)
  const equal = MapFrom[0]!.MapFromCondition === 'EQU'
  const definition = map!.registry.RegistryEntries.Attributes.find((each) => each.AttributeName === MapFromAttribute)!
  const values = definition.Value?.map((each) => each.ValueName) ?? [true, false]
  const closing = equal ? MapFromValue : values.find((each) => each !== MapFromValue)!
  const closed = settingsOf(map!.registry, current, { [MapFromAttribute]: closing })
  t.equal(isOpen(named(closed, MapToAttribute)), !map!.Dependency.MapToValue)
})

t.test('the menus are nested by their paths, and none is lost', async (t) => {
  const count = (branches: readonly MenuBranch[]): number =>
    branches.reduce((sum, { inner }) => sum + 1 + count(inner), 0)
  for (const { RegistryEntries } of registries)
    t.equal(count(menuTree(RegistryEntries.Menus)), RegistryEntries.Menus.length)
})

t.test('settings are found by name, help and value', async (t) => {
  const [setting] = settingsOf(registry, defaults(registry), {}) as [Setting]
  const { DisplayName, HelpText } = setting.definition
  t.ok(isFound(setting, DisplayName.toUpperCase()))
  t.ok(isFound(setting, HelpText.split(' ').slice(0, 3).join('  ')))
  t.ok(isFound(setting, setting.name))
  t.notOk(isFound(setting, `${DisplayName} no such words`))
})

t.test('an entered value has the type of its attribute', async (t) => {
  const of = (Type: string) => ({ Type }) as Setting['definition']
  t.equal(enteredValue(of('Integer'), '12'), 12)
  t.equal(enteredValue(of('Integer'), ''), '', 'the service says what is wrong with it')
  t.equal(enteredValue(of('Boolean'), 'true'), true)
  t.equal(enteredValue(of('String'), '12'), '12')
  const choice = {
    Type: 'Enumeration',
    Value: [{ ValueName: 'A', ValueDisplayName: 'Always' }]
  } as unknown as Setting['definition']
  t.equal(shownValue(choice, 'A'), 'Always')
})

t.test('a pending value is not sent again', async (t) => {
  t.same(unsent({ a: 1, b: 2 }, { a: 1, b: 3 }), { b: 2 })
})
