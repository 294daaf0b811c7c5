import t from 'tap'
import {
  type Attribute,
  type AttributeRegistry,
  acceptsPassword,
  checkAttribute,
  type Dependency,
  defaults,
  evaluate,
  longestValue,
  type MapFrom,
  type MappedProperty,
  type Menu,
  registryFaults,
  resetValues,
  transfer,
  type Value
} from '#data/bios'

const shared = {
  DisplayName: 'A setting',
  HelpText: 'Sets something.',
  MenuPath: './Main',
  DisplayOrder: 1,
  ReadOnly: false,
  GrayOut: false
}
const mode: Attribute = {
  ...shared,
  AttributeName: 'Mode',
  Type: 'Enumeration',
  DefaultValue: 'Auto',
  Value: ['Auto', 'Fast', 'Slow'].map((each) => ({ ValueName: each, ValueDisplayName: each }))
}
const level: Attribute = {
  ...shared,
  AttributeName: 'Level',
  Type: 'Integer',
  DefaultValue: 10,
  LowerBound: 5,
  UpperBound: 50,
  ScalarIncrement: 5
}
const label: Attribute = {
  ...shared,
  AttributeName: 'Label',
  Type: 'String',
  DefaultValue: 'none',
  MinLength: 2,
  MaxLength: 8,
  ValueExpression: '^[a-z]+$'
}
const lock: Attribute = { ...shared, AttributeName: 'Lock', Type: 'Boolean', DefaultValue: false }
const serial: Attribute = {
  ...shared,
  AttributeName: 'Serial',
  Type: 'String',
  DefaultValue: 'S1',
  ReadOnly: true
}
const password: Attribute = {
  ...shared,
  AttributeName: 'UserPassword',
  Type: 'Password',
  DefaultValue: null,
  ReadOnly: true,
  MinLength: 4,
  MaxLength: 8,
  ValueExpression: '^[!-~]*$'
}

function registry(dependencies: readonly Dependency[] = [], attributes = [mode, level, label, lock, serial, password]) {
  return {
    '@odata.type': '#AttributeRegistry.v1_3_8.AttributeRegistry',
    Id: 'BiosAttributeRegistryTest.v1_0_0',
    Name: 'Test',
    Language: 'en',
    OwningEntity: 'Test',
    RegistryVersion: '1.0.0',
    Description: 'Test',
    RegistryEntries: {
      Menus: [
        { MenuName: 'Main', DisplayName: 'Main', DisplayOrder: 1, ReadOnly: false, GrayOut: false, MenuPath: './Main' }
      ],
      Attributes: attributes,
      Dependencies: dependencies,
      SupportedSystems: []
    }
  } satisfies AttributeRegistry
}

function when(attribute: string, condition: MapFrom['MapFromCondition'], value: Value, term?: 'AND' | 'OR'): MapFrom {
  return {
    MapFromAttribute: attribute,
    MapFromProperty: 'CurrentValue',
    MapFromCondition: condition,
    MapFromValue: value,
    ...(term && { MapTerms: term })
  }
}

function map(terms: readonly MapFrom[], attribute: string, property: MappedProperty, value: Value): Dependency {
  return {
    DependencyFor: terms[0]?.MapFromAttribute ?? attribute,
    Type: 'Map',
    Dependency: { MapFrom: terms, MapToAttribute: attribute, MapToProperty: property, MapToValue: value }
  }
}

/** The messages of a transfer after the leading `Success`, each as its key and arguments. */
function refusals(dependencies: readonly Dependency[], pending: Record<string, Value>, current = {}) {
  const { messages } = transfer(registry(dependencies), current, pending)
  t.same(messages[0], { key: 'Base.Success', args: [] })
  return messages.slice(1).map(({ key, args }) => [key, ...args])
}

t.test('a value that conforms to its definition has no fault', async (t) => {
  for (const [definition, values] of [
    [mode, ['Auto', 'Slow']],
    [level, [5, 10, 50]],
    [label, ['ab', 'abcdefgh']],
    [lock, [true, false]]
  ] as const) {
    for (const value of values) t.equal(checkAttribute('Name', definition, value), undefined, `${value}`)
  }
})

t.test('each fault of a value has its message', async (t) => {
  const faults: readonly [Attribute | undefined, unknown, string, ...string[]][] = [
    [undefined, 1, 'PropertyUnknown', 'Name'],
    [{ ...lock, ReadOnly: true }, true, 'PropertyNotWritable', 'Name'],
    [{ ...lock, GrayOut: true }, true, 'PropertyNotWritable', 'Name'],
    [{ ...lock, Immutable: true }, true, 'PropertyNotWritable', 'Name'],
    [password, 'secret', 'PropertyNotWritable', 'Name'],
    [lock, 'true', 'PropertyValueTypeError', 'true', 'Name'],
    [lock, null, 'PropertyValueTypeError', 'null', 'Name'],
    [mode, 1, 'PropertyValueTypeError', '1', 'Name'],
    [mode, ['Auto'], 'PropertyValueTypeError', '["Auto"]', 'Name'],
    [level, '10', 'PropertyValueTypeError', '10', 'Name'],
    [level, 12.5, 'PropertyValueTypeError', '12.5', 'Name'],
    [level, undefined, 'PropertyValueTypeError', 'undefined', 'Name'],
    [label, 7, 'PropertyValueTypeError', '7', 'Name'],
    [label, { a: 1 }, 'PropertyValueTypeError', '{"a":1}', 'Name'],
    [mode, 'auto', 'PropertyValueNotInList', 'auto', 'Name'],
    [mode, '', 'PropertyValueNotInList', '', 'Name'],
    [level, 0, 'PropertyValueOutOfRange', '0', 'Name'],
    [level, 55, 'PropertyValueOutOfRange', '55', 'Name'],
    [level, 12, 'PropertyValueOutOfRange', '12', 'Name'],
    [level, Number.POSITIVE_INFINITY, 'PropertyValueOutOfRange', 'Infinity', 'Name'],
    [label, 'a', 'PropertyValueFormatError', 'a', 'Name'],
    [label, 'abcdefghi', 'PropertyValueFormatError', 'abcdefghi', 'Name'],
    [label, 'ABC', 'PropertyValueFormatError', 'ABC', 'Name'],
    [{ ...level, ValueExpression: '^.$' }, 10, 'PropertyValueFormatError', '10', 'Name'],
    [{ ...password, ReadOnly: false }, 'abc', 'PropertyValueFormatError', '******', 'Name']
  ]
  for (const [definition, value, key, ...args] of faults) {
    t.same(checkAttribute('Name', definition, value), { key: `Base.${key}`, args }, `${key} of ${String(value)}`)
  }
})

t.test('an integer without bounds accepts every number that JSON represents exactly', async (t) => {
  const free: Attribute = { ...shared, AttributeName: 'Free', Type: 'Integer', DefaultValue: 0, ScalarIncrement: 0 }
  for (const value of [-3, 0, Number.MAX_SAFE_INTEGER]) t.equal(checkAttribute('Free', free, value), undefined)
  t.match(checkAttribute('Free', free, 2 ** 53), { key: 'Base.PropertyValueOutOfRange' })
})

t.test('steps begin at the lower bound', async (t) => {
  const shifted = { ...level, LowerBound: 3 }
  for (const value of [3, 8, 48]) t.equal(checkAttribute('Level', shifted, value), undefined, `${value}`)
  for (const value of [5, 10]) t.match(checkAttribute('Level', shifted, value), { key: 'Base.PropertyValueOutOfRange' })
})

t.test(
  'a string longer than the limit is refused, whatever its definition allows, and not repeated in full',
  async (t) => {
    const wide = { ...label, MaxLength: 100_000 }
    t.equal(checkAttribute('Label', wide, 'a'.repeat(longestValue)), undefined)
    t.same(checkAttribute('Label', wide, 'a'.repeat(longestValue + 1))?.args, [`${'a'.repeat(64)}…`, 'Label'])
  }
)

t.test('each condition compares as it says', async (t) => {
  const truths = { EQU: [10], NEQ: [5, 15], GTR: [15], GEQ: [10, 15], LSS: [5], LEQ: [5, 10] } as const
  for (const [condition, levels] of Object.entries(truths)) {
    const dependency = map([when('Level', condition as MapFrom['MapFromCondition'], 10)], 'Label', 'GrayOut', true)
    for (const value of [5, 10, 15]) {
      const { attributes } = evaluate(registry([dependency]), { Level: value })
      t.equal(attributes.get('Label')?.GrayOut, (levels as readonly number[]).includes(value), `${value} ${condition}`)
    }
  }
})

t.test('an order between values that are not numbers is false', async (t) => {
  for (const condition of ['GTR', 'GEQ', 'LSS', 'LEQ'] as const) {
    const { attributes } = evaluate(registry([map([when('Mode', condition, 'Auto')], 'Label', 'GrayOut', true)]), {})
    t.equal(attributes.get('Label')?.GrayOut, false, condition)
  }
})

t.test('terms are joined from left to right', async (t) => {
  const gray = (terms: readonly MapFrom[]) =>
    evaluate(registry([map(terms, 'Label', 'GrayOut', true)]), {}).attributes.get('Label')?.GrayOut
  const yes = (term?: 'AND' | 'OR') => when('Mode', 'EQU', 'Auto', term)
  const no = (term?: 'AND' | 'OR') => when('Mode', 'EQU', 'Slow', term)
  t.equal(gray([yes(), yes('AND')]), true)
  t.equal(gray([yes(), no('AND')]), false)
  t.equal(gray([no(), yes('OR')]), true)
  t.equal(gray([no(), no('OR')]), false)
  t.equal(gray([yes(), yes('OR'), no('AND')]), false)
  t.equal(gray([no(), no('AND'), yes('OR')]), true)
})

t.test('conditions read properties as well as values, also those that another dependency sets', async (t) => {
  const hidden: MapFrom = { ...when('Label', 'EQU', true), MapFromProperty: 'Hidden' }
  const dependencies = [
    map([hidden], 'Lock', 'GrayOut', true),
    map([when('Mode', 'EQU', 'Slow')], 'Label', 'Hidden', true)
  ]
  t.equal(evaluate(registry(dependencies), {}).attributes.get('Lock')?.GrayOut, false)
  t.equal(evaluate(registry(dependencies), { Mode: 'Slow' }).attributes.get('Lock')?.GrayOut, true)
  const shown: MapFrom = { ...hidden, MapFromValue: false }
  t.equal(evaluate(registry([map([shown], 'Lock', 'GrayOut', true)]), {}).attributes.get('Lock')?.GrayOut, true)
})

t.test('a property that a dependency sets is in effect while the condition holds', async (t) => {
  for (const [name, property, value] of [
    ['Level', 'GrayOut', true],
    ['Level', 'ReadOnly', true],
    ['Level', 'Hidden', true],
    ['Level', 'LowerBound', 10],
    ['Level', 'UpperBound', 20],
    ['Level', 'ScalarIncrement', 10],
    ['Label', 'MinLength', 1],
    ['Label', 'MaxLength', 20],
    ['Label', 'ValueExpression', '.'],
    ['Label', 'HelpText', 'Sets nothing now.']
  ] as const) {
    const bios = registry([map([when('Mode', 'EQU', 'Slow')], name, property, value)])
    const before = evaluate(bios, {}).attributes.get(name)
    t.equal(before, name === 'Level' ? level : label, `${property} before`)
    t.same(evaluate(bios, { Mode: 'Slow' }).attributes.get(name), { ...before, [property]: value }, property)
  }
})

t.test('of several dependencies that set one property the last that holds is right', async (t) => {
  const dependencies = [
    map([when('Mode', 'NEQ', 'Auto')], 'Level', 'UpperBound', 40),
    map([when('Mode', 'EQU', 'Slow')], 'Level', 'UpperBound', 20)
  ]
  const bound = (value: string) => evaluate(registry(dependencies), { Mode: value }).attributes.get('Level')?.UpperBound
  t.same(['Auto', 'Fast', 'Slow'].map(bound), [50, 40, 20])
})

t.test('a dependency sets a value, and later dependencies see it', async (t) => {
  const dependencies = [
    map([when('Level', 'EQU', 20)], 'Label', 'GrayOut', true),
    map([when('Mode', 'EQU', 'Slow')], 'Level', 'CurrentValue', 20)
  ]
  const { attributes, values } = evaluate(registry(dependencies), { Mode: 'Slow', Level: 45 })
  t.equal(values.Level, 20)
  t.equal(attributes.get('Label')?.GrayOut, true)
})

t.test('values are those of the registry, with its defaults, without others and without passwords', async (t) => {
  const { values } = evaluate(registry(), { Level: 45, Gone: 1, UserPassword: 'secret' })
  t.same(values, { Mode: 'Auto', Level: 45, Label: 'none', Lock: false, Serial: 'S1', UserPassword: null })
  t.same(defaults(registry()), { ...values, Level: 10 })
})

t.test('names that objects inherit are no values', async (t) => {
  const bios = registry([], [{ ...lock, AttributeName: 'toString' }])
  t.same(evaluate(bios, {}).values, { toString: false })
  t.same(transfer(bios, {}, {}).messages, [{ key: 'Base.Success', args: [] }])
})

t.test('a transfer applies the valid values and names each invalid one, in the order given', async (t) => {
  const current = { Mode: 'Fast', Level: 20, Label: 'abc', Lock: false, Serial: 'S2' }
  const pending = JSON.parse(`{ "Nope": 1, "Mode": "Slow", "Serial": "S3", "Level": 7, "Label": "A", "Lock": true,
    "__proto__": 1, "a/b~c": 2, "UserPassword": "secret" }`)
  const result = transfer(registry(), current, pending)
  t.same(result.current, { ...current, Mode: 'Slow', Lock: true, UserPassword: null })
  t.same(result.messages, [
    { key: 'Base.Success', args: [] },
    { key: 'Base.PropertyUnknown', args: ['Nope'], related: ['#/Attributes/Nope'] },
    { key: 'Base.PropertyNotWritable', args: ['Serial'], related: ['#/Attributes/Serial'] },
    { key: 'Base.PropertyValueOutOfRange', args: ['7', 'Level'], related: ['#/Attributes/Level'] },
    { key: 'Base.PropertyValueFormatError', args: ['A', 'Label'], related: ['#/Attributes/Label'] },
    { key: 'Base.PropertyUnknown', args: ['__proto__'], related: ['#/Attributes/__proto__'] },
    { key: 'Base.PropertyUnknown', args: ['a/b~c'], related: ['#/Attributes/a~1b~0c'] },
    { key: 'Base.PropertyNotWritable', args: ['UserPassword'], related: ['#/Attributes/UserPassword'] }
  ])
  t.notMatch(JSON.stringify(result), 'secret')
})

t.test('a name that is too long to repeat is named by its beginning', async (t) => {
  t.same(transfer(registry(), {}, { ['a'.repeat(65)]: 1 }).messages[1], {
    key: 'Base.PropertyUnknown',
    args: [`${'a'.repeat(64)}…`],
    related: [`#/Attributes/${'a'.repeat(64)}…`]
  })
})

t.test('a transfer of nothing says that it ran, and leaves its arguments alone', async (t) => {
  const current = Object.freeze({ Mode: 'Fast' })
  const result = transfer(registry(), current, Object.freeze({}))
  t.same(result.messages, [{ key: 'Base.Success', args: [] }])
  t.equal(result.current.Mode, 'Fast')
})

t.test('an attribute is checked against the new values of its dependencies, in any order', async (t) => {
  for (const property of ['GrayOut', 'ReadOnly'] as const) {
    const dependency = [map([when('Lock', 'EQU', true)], 'Mode', property, true)]
    t.same(refusals(dependency, { Mode: 'Slow', Lock: true }), [['Base.PropertyNotWritable', 'Mode']])
    t.same(refusals(dependency, { Mode: 'Slow', Lock: false }, { Lock: true }), [])
    t.same(refusals(dependency, { Mode: 'Slow' }, { Lock: true }), [['Base.PropertyNotWritable', 'Mode']])
  }
  const bound = [map([when('Lock', 'EQU', true)], 'Level', 'UpperBound', 20)]
  t.same(refusals(bound, { Level: 30 }), [])
  t.same(refusals(bound, { Level: 30, Lock: true }), [['Base.PropertyValueOutOfRange', '30', 'Level']])
  const hidden = [map([when('Lock', 'EQU', true)], 'Mode', 'Hidden', true)]
  t.same(refusals(hidden, { Mode: 'Slow', Lock: true }), [], 'what is only hidden can be set')
})

t.test('a value that is refused decides nothing', async (t) => {
  const dependencies = [
    map([when('Level', 'GTR', 50)], 'Mode', 'GrayOut', true),
    map([when('Mode', 'EQU', 'Slow')], 'Lock', 'ReadOnly', true),
    map([when('Serial', 'EQU', 'S9')], 'Mode', 'GrayOut', true)
  ]
  const result = transfer(registry(dependencies), {}, { Lock: true, Mode: 'Fast', Level: 55, Serial: 'S9' })
  t.match(result.current, { Lock: true, Mode: 'Fast', Level: 10, Serial: 'S1' })
  t.same(
    result.messages.slice(1).map((each) => each.args.at(-1)),
    ['Level', 'Serial']
  )
})

t.test('a value that a dependency sets to another is named', async (t) => {
  const preset = [map([when('Lock', 'EQU', true)], 'Level', 'CurrentValue', 20)]
  t.same(refusals(preset, { Level: 30, Lock: true }), [['Base.PropertyNotWritable', 'Level']])
  t.same(refusals(preset, { Level: 30, Lock: true }, { Level: 30 }), [['Base.PropertyNotWritable', 'Level']])
  t.same(refusals(preset, { Level: 20, Lock: true }), [])
  t.equal(transfer(registry(preset), { Level: 30 }, { Lock: true }).current.Level, 20)
})

t.test(
  'a dependency of an attribute on itself locks it once it is set, and refuses or corrects its value',
  async (t) => {
    const locking = [map([when('Lock', 'EQU', true)], 'Lock', 'ReadOnly', true)]
    t.same(refusals(locking, { Lock: true }), [])
    t.same(refusals(locking, { Lock: false }, { Lock: true }), [['Base.PropertyNotWritable', 'Lock']])
    const capping = [map([when('Level', 'GTR', 20)], 'Level', 'CurrentValue', 20)]
    t.same(refusals(capping, { Level: 40 }), [['Base.PropertyNotWritable', 'Level']])
    t.equal(transfer(registry(capping), {}, { Level: 40 }).current.Level, 10, 'what is refused leaves no trace')
    t.equal(transfer(registry(capping), { Level: 40 }, {}).current.Level, 20)
  }
)

t.test('of two that shut each other out both cannot be set, but one can take the place of the other', async (t) => {
  const other = { ...lock, AttributeName: 'Other' }
  const bios = registry(
    [
      map([when('Other', 'EQU', true)], 'Lock', 'GrayOut', true),
      map([when('Lock', 'EQU', true)], 'Other', 'GrayOut', true)
    ],
    [lock, other]
  )
  const set = (Lock: boolean, Other: boolean, pending: Record<string, Value>) => {
    const { current, messages } = transfer(bios, { Lock, Other }, pending)
    return [current.Lock, current.Other, messages.length - 1]
  }
  t.same(set(false, false, { Lock: true }), [true, false, 0])
  t.same(set(true, false, { Other: true }), [true, false, 1])
  const both = set(false, false, { Lock: true, Other: true })
  t.same([both[0] !== both[1], both[2]], [true, 1])
})

t.test('circular dependencies end, with the same result each time', async (t) => {
  const names = ['A1', 'A2', 'A3', 'A4']
  const bios = registry(
    names.map((name, index) =>
      map([when(names[(index + 1) % 4] as string, 'EQU', false)], name, 'CurrentValue', index % 2 === 0)
    ),
    names.map((name) => ({ ...lock, AttributeName: name }))
  )
  const first = transfer(bios, {}, { A1: true, A3: true })
  t.same(transfer(bios, {}, { A3: true, A1: true }).current, first.current)
})

t.test('a chain of dependencies may be as long as the registry, in any order', async (t) => {
  const names = Array.from({ length: 5000 }, (_, index) => `A${index}`)
  const attributes = names.map((AttributeName) => ({ ...lock, AttributeName }))
  for (const step of [1, -1]) {
    const chain = names.flatMap((name, index) => {
      const next = names[index + step]
      return next === undefined ? [] : [map([when(name, 'EQU', true)], next, 'CurrentValue', true)]
    })
    const { current } = transfer(registry(chain, attributes), {}, { [step === 1 ? 'A0' : 'A4999']: true })
    t.ok(Object.values(current).every((value) => value === true))
  }
})

t.test('a dependency on or of an unknown attribute changes nothing', async (t) => {
  const dependencies = [
    map([when('Gone', 'EQU', true)], 'Mode', 'GrayOut', true),
    map([when('Lock', 'EQU', false)], 'Gone', 'GrayOut', true)
  ]
  const { attributes, values } = evaluate(registry(dependencies), {})
  t.equal(attributes.get('Mode')?.GrayOut, false)
  t.notOk(attributes.has('Gone') || 'Gone' in values)
})

t.test('a reset restores settings, keeps information, and applies dependencies', async (t) => {
  const bios = registry([map([when('Serial', 'EQU', 'S7')], 'Mode', 'CurrentValue', 'Fast')])
  t.same(resetValues(bios, { Mode: 'Slow', Level: 50, Label: 'zz', Lock: true, Serial: 'S7' }), {
    ...defaults(bios),
    Serial: 'S7',
    Mode: 'Fast'
  })
  t.same(resetValues(registry(), {}), defaults(registry()))
})

t.test('a password keeps to the bounds of its attribute; the empty one takes it away', async (t) => {
  for (const good of ['abcd', 'abcdefgh', '']) t.equal(acceptsPassword(registry(), 'User', good), true, good)
  for (const bad of ['abc', 'abcdefghi', 'ab cd', 'a'.repeat(5000)]) {
    t.equal(acceptsPassword(registry(), 'User', bad), false, bad)
  }
  t.equal(acceptsPassword(registry(), 'Administrator', 'abcd'), false, 'not in this registry')
})

t.test('a sound registry has no faults', async (t) => {
  t.same(registryFaults(registry([map([when('Mode', 'EQU', 'Slow')], 'Level', 'LowerBound', 10)])), [])
})

t.test('each fault of an attribute is found', async (t) => {
  for (const [attribute, fault] of [
    [{ ...lock, AttributeName: '1st' }, /1st is not an attribute name/],
    [{ ...lock, AttributeName: 'A-b' }, /A-b is not an attribute name/],
    [{ ...lock, MenuPath: './Gone' }, /in a menu that does not exist/],
    [{ ...mode, Value: [...(mode.Value ?? []), { ValueName: '2x', ValueDisplayName: '' }] }, /2x begins with a digit/],
    [{ ...mode, Value: [...(mode.Value ?? []), { ValueName: 'Auto', ValueDisplayName: '' }] }, /Auto stands twice/],
    [{ ...mode, DefaultValue: 'Gone' }, /NotInList of its default/],
    [{ ...level, DefaultValue: 7 }, /OutOfRange of its default/],
    [{ ...level, LowerBound: 60 }, /OutOfRange of its default/],
    [{ ...label, DefaultValue: 'X' }, /FormatError of its default/],
    [{ ...lock, DefaultValue: null }, /TypeError of its default/],
    [{ ...label, MaxLength: longestValue + 1 }, /longer than/],
    [{ ...label, ValueExpression: '^(a' }, /Invalid regular expression/],
    [{ ...label, ValueExpression: '^(a+)+$' }, /may take forever/],
    [{ ...password, ReadOnly: false }, /is a password/],
    [{ ...password, DefaultValue: 'secret' }, /is a password/],
    [{ ...lock, Type: 'Float' as 'Boolean' }, /Float is not a type/],
    [{ ...level, LowerBound: null as unknown as number }, /LowerBound is not a number/]
  ] as const) {
    const faults = registryFaults(registry([], [attribute]))
    t.equal(faults.length, 1, `${fault}`)
    t.match(faults[0], fault)
  }
  t.match(registryFaults(registry([], [lock, lock])), ['Lock stands twice'])
})

t.test('each fault of a menu, and a version that is not that of the name, is found', async (t) => {
  const bios = registry()
  const menu = bios.RegistryEntries.Menus[0] as (typeof bios.RegistryEntries.Menus)[number]
  const faults = (...menus: Menu[]) =>
    registryFaults({ ...bios, RegistryEntries: { ...bios.RegistryEntries, Menus: menus, Attributes: [lock] } })
  t.same(faults(menu, menu), ['menu ./Main stands twice'])
  t.same(faults(menu, { ...menu, MenuPath: './Other' }), ['menu ./Other does not end in its name'])
  t.same(faults(menu, { ...menu, MenuPath: './Gone/Main' }), ['menu ./Gone/Main is below a menu that does not exist'])
  t.same(faults(menu, { ...menu, MenuName: 'Sub', MenuPath: './Main/Sub' }), [])
  t.same(faults({ ...menu, ReadOnly: true }), ['Lock can be written in a menu that cannot'])
  t.match(registryFaults({ ...bios, RegistryVersion: '1.0.1' }), [/is not of version 1.0.1/])
})

t.test('each fault of a dependency is found', async (t) => {
  const slow = when('Mode', 'EQU', 'Slow')
  const sound = map([slow], 'Lock', 'GrayOut', true)
  for (const [dependency, fault] of [
    [{ ...sound, DependencyFor: 'Gone' }, /Gone does not exist/],
    [{ ...sound, Type: 'Script' as 'Map' }, /not of type Map/],
    [{ ...map([], 'Lock', 'GrayOut', true) }, /has no condition/],
    [{ ...map([when('Gone', 'EQU', 1)], 'Lock', 'GrayOut', true), DependencyFor: 'Mode' }, /unknown attribute/],
    [map([when('Mode', 'EQU', 'Gone')], 'Lock', 'GrayOut', true), /NotInList in the condition on Mode/],
    [map([when('Lock', 'EQU', 'true')], 'Mode', 'GrayOut', true), /TypeError in the condition on Lock/],
    [map([when('Mode', 'GTR', 'Slow')], 'Lock', 'GrayOut', true), /GTR is for numbers/],
    [map([when('Mode', 'IS' as 'EQU', 'Slow')], 'Lock', 'GrayOut', true), /IS is not a condition/],
    [map([slow, slow], 'Lock', 'GrayOut', true), /undefined joins no terms/],
    [map([slow], 'Gone', 'GrayOut', true), /unknown attribute in GrayOut of Gone/],
    [map([slow], 'Lock', 'Colour' as 'GrayOut', true), /unknown property in Colour/],
    [map([slow], 'Lock', 'GrayOut', 'true'), /TypeError in GrayOut/],
    [map([slow], 'Level', 'LowerBound', 'low'), /TypeError in LowerBound/],
    [map([slow], 'Level', 'CurrentValue', 12), /OutOfRange in CurrentValue/],
    [map([slow], 'Label', 'ValueExpression', '('), /Invalid regular expression/],
    [map([when('Mode', 'EQU', 'Auto')], 'Level', 'CurrentValue', 20), /Level: a dependency changes its default/]
  ] as const) {
    const faults = registryFaults(registry([dependency]))
    t.equal(faults.length, 1, `${fault}`)
    t.match(faults[0], fault)
  }
})

t.test('expressions that may take exponential time are distinguished from similar ones', async (t) => {
  const faults = (ValueExpression: string) =>
    registryFaults(registry([], [{ ...label, DefaultValue: '', MinLength: 0, ValueExpression }]))
  for (const bad of ['(a*)*', '(a|b)+|', '((a?)){9,}|', '(a{1,5}){0,9}', '(?:x+y){2}|', '((a+)|b){3}|', '([*]|a)*']) {
    t.match(faults(bad), [/may take forever/], bad)
  }
  for (const good of [
    '[a-z]*',
    '(?:ab)*',
    '(\\(|a)?',
    '((a|b){2})?',
    '[(+]*(ab)*',
    '^(x+)?$',
    '(\\++)?',
    '(a{2}){0,9}',
    '([0-9a-f]){5}|'
  ]) {
    t.same(faults(good), [], good)
  }
})
