import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { type AttributeRegistry, registryFaults } from '#data/bios'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import type { BiosAttribute } from '#hal/bios.ts'
import { madeRegistry } from '#runtime/service/firmware/bios-registry.ts'

const system = { ...(sim as Board).systems['1']!, attributeRegistry: 'BiosAttributeRegistry.v2_0_1' }

/** As a client reads it. */
function registryOf(...given: Parameters<typeof madeRegistry>): AttributeRegistry {
  const { gzip, tag } = madeRegistry(...given)
  const {
    '@odata.context': context,
    '@odata.etag': shown,
    '@odata.id': uri,
    ...registry
  } = JSON.parse(new TextDecoder().decode(gunzipSync(gzip)))
  t.equal(shown, tag)
  t.equal(context, '/redfish/v1/$metadata#AttributeRegistry.AttributeRegistry')
  t.equal(uri, `/redfish/v1/RegistryStore/registries/en/${registry.Id}.json`)
  return registry
}

const attribute = (name: string, more: Partial<BiosAttribute>): BiosAttribute => ({
  name,
  type: 'String',
  isReadOnly: false,
  displayName: name,
  description: '',
  menu: [],
  standard: '',
  options: [],
  least: undefined,
  most: undefined,
  step: undefined,
  ...more
})

t.test('a registry is made of all kinds of attributes, without faults', async (t) => {
  const made = registryOf(system, [
    attribute('Name', { menu: ['Main'], most: 20_000 }),
    attribute('Label', { least: -1, most: 8 }),
    attribute('Mode', {
      type: 'Enumeration',
      menu: ['Boot', 'Order'],
      standard: 'A',
      options: [{ value: 'A', displayName: 'Aa' }]
    }),
    attribute('Count', { type: 'Integer', menu: ['Boot', 'Order'], standard: 4, least: 2, most: 8, step: 2 }),
    attribute('Free', { type: 'Integer', menu: ['Boot'], standard: 4, step: 0 }),
    attribute('Fast', { type: 'Boolean', menu: ['Boot'], standard: true }),
    attribute('UserPassword', { type: 'Password', standard: null, least: 8, most: 16 })
  ])
  t.same(registryFaults(made), [])
  t.match(made, { Id: system.attributeRegistry, RegistryVersion: '2.0.1' })
  const { Menus, Attributes } = made.RegistryEntries
  t.same(
    Menus.map(({ MenuPath, DisplayOrder }) => [MenuPath, DisplayOrder]),
    [
      ['./Main', 1],
      ['./Boot', 2],
      ['./Boot/Order', 1]
    ]
  )
  const found = (name: string) => Attributes.find(({ AttributeName }) => AttributeName === name)
  t.match(found('Name'), { MenuPath: './Main', DisplayOrder: 1, MinLength: 0, MaxLength: 255 })
  t.match(found('Label'), { MenuPath: './Main', DisplayOrder: 2, MinLength: 0, MaxLength: 8 })
  t.match(found('Mode'), { Value: [{ ValueName: 'A', ValueDisplayName: 'Aa' }] })
  t.match(found('Count'), { DisplayOrder: 2, LowerBound: 2, UpperBound: 8, ScalarIncrement: 2 })
  t.notOk(['LowerBound', 'UpperBound', 'ScalarIncrement', 'MaxLength'].some((each) => each in found('Free')!))
  t.match(found('UserPassword'), { ReadOnly: true, DefaultValue: null, MinLength: 8, MaxLength: 16 })
})

t.test('a registry whose id has no version is of the first one', async (t) => {
  t.equal(registryOf({ ...system, attributeRegistry: 'Bios' }, []).RegistryVersion, '1.0.0')
})

t.test('a registry of other attributes, or of another system, has another tag', async (t) => {
  const tag = (...given: Parameters<typeof madeRegistry>) => madeRegistry(...given).tag
  const first = tag(system, [attribute('Name', {})])
  t.match(first, /^W\/"[0-9a-f]{16}"$/)
  t.equal(tag(system, [attribute('Name', {})]), first)
  t.not(tag(system, [attribute('Label', {})]), first)
  t.not(tag({ ...system, biosVersion: '9' }, [attribute('Name', {})]), first)
})

t.test('menus and attributes that are not read-only can be changed', async (t) => {
  const { Menus, Attributes } = registryOf(system, [
    attribute('Name', {}),
    attribute('Serial', { isReadOnly: true, most: -1 })
  ]).RegistryEntries
  t.match(Menus, [{ MenuName: 'Main', DisplayName: 'Main', ReadOnly: false, GrayOut: false }])
  t.match(Attributes, [
    { ReadOnly: false, GrayOut: false },
    { ReadOnly: true, GrayOut: false, MinLength: 0, MaxLength: 0 }
  ])
})
