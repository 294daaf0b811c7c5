import { readFileSync } from 'node:fs'
import t from 'tap'
import {
  type Attribute,
  type AttributeRegistry,
  acceptsPassword,
  biosPasswords,
  checkAttribute,
  defaults,
  evaluate,
  transfer,
  type Value,
  type Values
} from '#data/bios'
import { memoryGiB } from '#data/board'
import base from '#registries/base.json' with { type: 'json' }

const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8')).systems['1']
const shipped: AttributeRegistry = JSON.parse(
  readFileSync('registries/bios/BiosAttributeRegistryRS220.v1_1_0.json', 'utf8')
)
const { Attributes, Dependencies, Menus, SupportedSystems } = shipped.RegistryEntries

t.test('the registry is of the size of a real server and uses all that registries can say', async (t) => {
  t.ok(Attributes.length >= 270, `${Attributes.length} attributes`)
  t.ok(Menus.length >= 22, `${Menus.length} menus`)
  t.ok(Dependencies.length >= 25, `${Dependencies.length} dependencies`)
  t.same([...new Set(Attributes.map((each) => each.Type))].sort(), [
    'Boolean',
    'Enumeration',
    'Integer',
    'Password',
    'String'
  ])
  t.ok(Attributes.filter((each) => each.Type === 'String' && each.ValueExpression !== undefined).length >= 10)
  t.ok(Attributes.some((each) => each.ReadOnly && each.Type !== 'Password'))
  const terms = Dependencies.flatMap((each) => each.Dependency.MapFrom)
  t.same([...new Set(terms.map((each) => each.MapFromCondition))].sort(), ['EQU', 'GEQ', 'GTR', 'LEQ', 'LSS', 'NEQ'])
  t.same([...new Set(terms.flatMap((each) => each.MapTerms ?? []))].sort(), ['AND', 'OR'])
  const targets = new Set(Dependencies.map((each) => each.Dependency.MapToProperty))
  for (const target of ['GrayOut', 'ReadOnly', 'Hidden', 'CurrentValue', 'LowerBound', 'UpperBound'] as const) {
    t.ok(targets.has(target), target)
  }
})

t.test(
  'each attribute has the members that the specification lists for its type, and each menu has attributes',
  async (t) => {
    const isWhole = (each: unknown) => Number.isInteger(each)
    const wrong = Attributes.filter((each) => {
      const isShown = /\S/.test(each.DisplayName) && /\S.*\.$/s.test(each.HelpText)
      if (!isShown || typeof each.GrayOut !== 'boolean' || !isWhole(each.DisplayOrder)) return true
      if (each.Type === 'Enumeration') return !each.Value?.every((value) => value.ValueDisplayName !== '')
      if (each.Type === 'Integer') return ![each.LowerBound, each.UpperBound, each.ScalarIncrement].every(isWhole)
      if (each.Type !== 'String') return false
      // The expression tests the whole value.
      return ![each.MinLength, each.MaxLength].every(isWhole) || !/^\^.*\$$/.test(each.ValueExpression ?? '')
    })
    t.same(wrong, [])
    for (const { MenuPath } of Menus) {
      const orders = Attributes.filter((each) => each.MenuPath === MenuPath).map((each) => each.DisplayOrder)
      t.same(
        orders,
        orders.map((_, index) => index + 1),
        MenuPath
      )
      t.ok(orders.length > 0, MenuPath)
    }
  }
)

t.test('it is the registry of the simulated board', async (t) => {
  t.ok(SupportedSystems.some((each) => each.ProductName === board.model))
  const values = defaults(shipped)
  t.equal(values.SystemProductName, board.model)
  t.equal(values.SystemSerialNumber, board.serialNumber)
  t.equal(values.SystemUuid, board.uuid)
  t.equal(values.FirmwareVersion, board.biosVersion)
  t.equal(values.InstalledProcessors, Object.keys(board.processors).length)
  t.equal(values.InstalledMemoryModules, Object.keys(board.memory).length)
  t.equal(values.InstalledMemoryGiB, memoryGiB(board.memory))
  for (const name of biosPasswords) t.ok(acceptsPassword(shipped, name, 'a good password'))
})

t.test(
  'no attribute depends on itself by way of others, so each is judged by the values as they will be',
  async (t) => {
    const left = new Map<string, Set<string>>()
    for (const { Dependency } of Dependencies) {
      const sources = left.get(Dependency.MapToAttribute) ?? new Set()
      for (const { MapFromAttribute } of Dependency.MapFrom) {
        if (MapFromAttribute !== Dependency.MapToAttribute) sources.add(MapFromAttribute)
      }
      left.set(Dependency.MapToAttribute, sources)
    }
    for (let before = -1; before !== left.size; ) {
      before = left.size
      for (const [name, sources] of left) if (![...sources].some((each) => left.has(each))) left.delete(name)
    }
    t.same([...left.keys()], [])
  }
)

t.test('strings are distinguished as their help text says', async (t) => {
  const definitions = new Map(Attributes.map((each) => [each.AttributeName, { ...each, ReadOnly: false }]))
  for (const [name, good, bad] of [
    ['PreBootIPv4Address', ['192.0.2.17', '0.0.0.0', '255.255.255.255'], ['256.0.0.1', '192.0.2', '01.2.3.4', '']],
    ['PreBootIPv6Address', ['::', 'fe80::1', '2001:db8::8e12:c2ff:fe0a:4160'], ['fe80', '2001:db8::g', '']],
    ['IscsiTargetName', ['', 'iqn.2025-01.example.array:disk1', 'iqn.1998-12.org.example'], ['iqn.25-01.a', 'eui.x']],
    ['HttpBootUrl', ['', 'http://192.0.2.1/boot.efi', 'https://example.org/a%20b'], ['ftp://a/b', 'https://a b']],
    ['ShellScriptUrl', ['https://example.org/start.nsh'], ['https://example.org/start.sh']],
    ['ServerName', ['', 'a', 'node-17'], ['-a', 'a-', 'a_b', 'a'.repeat(64)]],
    ['ContactEmail', ['', 'ops@example.org'], ['ops', '@example.org', 'a b@example.org']],
    ['CoreDisableMask1', ['0x0000ffFF'], ['0x0', '0000FFFF00', '0xGGGGGGGG']],
    ['TimeZone', ['UTC-05:00', 'UTC+05:45'], ['UTC+15:00', 'CET']],
    ['ServerOwner', ['', 'Test lab, room 5'], ['a\0b', 'Prüfstand', 'two\nlines']]
  ] as const) {
    for (const value of good) t.equal(checkAttribute(name, definitions.get(name), value), undefined, `${name} ${value}`)
    for (const value of bad) {
      t.match(checkAttribute(name, definitions.get(name), value), { key: 'Base.PropertyValueFormatError' }, value)
    }
  }
})

t.test('a workload profile sets its attributes, and Custom makes them writable again', async (t) => {
  const profile = transfer(shipped, defaults(shipped), { WorkloadProfile: 'LowLatency', HyperThreading: 'Enabled' })
  t.match(profile.current, { HyperThreading: 'Disabled', TurboBoost: 'Disabled', PowerPolicy: 'MaximumPerformance' })
  t.match(profile.messages, [
    { key: 'Base.Success' },
    { key: 'Base.PropertyNotWritable', args: ['HyperThreading'], related: ['#/Attributes/HyperThreading'] }
  ])
  const custom = transfer(shipped, profile.current, { HyperThreading: 'Enabled', WorkloadProfile: 'Custom' })
  t.equal(custom.messages.length, 1)
  t.match(custom.current, { HyperThreading: 'Enabled', TurboBoost: 'Disabled' })
})

/** Numbers from 0 on below a limit, the same for a seed (xorshift32). */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % limit
  }
}

function randomValue(attribute: Attribute, random: (limit: number) => number): Value {
  const oneOf = <T>(list: readonly T[]): T => list[random(list.length)] as T
  if (random(12) === 0) return oneOf<Value>([null, true, -1, 1.5, '', 'Nope', 'x'.repeat(300)])
  switch (attribute.Type) {
    case 'Boolean':
      return random(2) === 0
    case 'Enumeration':
      return oneOf(attribute.Value ?? []).ValueName
    case 'Integer': {
      const { LowerBound = 0, UpperBound = 0, ScalarIncrement = 1 } = attribute
      return LowerBound + random((UpperBound - LowerBound) / ScalarIncrement + 2) * ScalarIncrement
    }
    default:
      return oneOf([attribute.DefaultValue, 'abc', '192.0.2.1', 'https://example.org/a.nsh'])
  }
}

function randomPending(random: (limit: number) => number): Values {
  const names = Attributes.filter(() => random(4) === 0)
  const entries = names.map((each) => [each.AttributeName, randomValue(each, random)] as const)
  entries.push([`Unknown${random(10)}`, 1])
  entries.sort(([a], [b]) => ((a.length * 7919 + random(2)) % 13) - ((b.length * 7919) % 13))
  return Object.fromEntries(entries)
}

/** The broken promises of a transfer, in words. */
function broken(current: Values, pending: Values, { current: after, messages }: ReturnType<typeof transfer>): string[] {
  const named = new Set(messages.slice(1).map((each) => each.args.at(-1)))
  const applied = Object.entries(pending).filter(([name]) => !named.has(name))
  const again = transfer(shipped, current, Object.fromEntries(applied.toReversed()))
  return [
    ...applied.filter(([name, value]) => after[name] !== value).map(([name]) => `${name} is neither applied nor named`),
    ...again.messages.slice(1).map(({ args }) => `${args.at(-1)} was applied, but is refused on its own`),
    ...different(after, again.current).map((name) => `what was refused left a trace in ${name}`),
    ...different(after, evaluate(shipped, after).values).map((name) => `the dependencies of ${name} do not hold`)
  ]
}

function different(a: Values, b: Values): string[] {
  return Object.keys({ ...a, ...b }).filter((name) => a[name] !== b[name])
}

t.test('of any pending values, those without a message are applied and those with one are not', async (t) => {
  const seen = new Map<string, number>()
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomNumbers(seed * 2654435761)
    let current = defaults(shipped)
    const problems: string[] = []
    for (let boot = 1; boot <= 3; boot++) {
      const pending = randomPending(random)
      const result = transfer(shipped, current, pending)
      problems.push(...broken(current, pending, result))
      for (const { key, args } of result.messages) seen.set(key, args.length)
      current = result.current
    }
    t.same(problems, [], `seed ${seed}`)
  }
  t.equal(seen.size, 7, `all kinds of messages were met: ${[...seen.keys()]}`)
  for (const [key, count] of seen) {
    t.equal(base.Messages[key.slice('Base.'.length) as 'Success'].NumberOfArgs, count, key)
  }
})
