import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { GET, privileges } from '#handlers/redfish/v1/Registries/{MessageRegistryFileId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const documents = {
  'registries/Base.1.19.0.json': '{}',
  'registries/BiosX.v1_1_0.json': '{}',
  'registries/BiosY.v1_1_0.json': '{}'
}
const system = { ...sim.systems[1], attributeRegistry: 'BiosX.v1_1_0' }
const board = { ...sim, systems: { 1: system } } as Board
const registry = (MessageRegistryFileId: string) =>
  GET(context({ params: { MessageRegistryFileId }, documents, board }))

t.test('a registry has its version, its languages and the URI of its file', async (t) => {
  t.match(registry('Base'), {
    Registry: 'Base.1.19',
    Languages: ['en'],
    Location: [{ Language: 'en', Uri: '/redfish/v1/RegistryStore/registries/en/Base.json' }]
  })
})

t.test('the registry of BIOS attributes is known by its name with the version, and so is its file', async (t) => {
  t.match(registry('BiosX.v1_1_0'), {
    Registry: 'BiosX.v1_1_0',
    Location: [{ Language: 'en', Uri: '/redfish/v1/RegistryStore/registries/en/BiosX.v1_1_0.json/' }]
  })
})

t.test('the registry of a BIOS that the machine does not have is not there', async (t) => {
  t.same(await refusal(() => registry('BiosY.v1_1_0')), missing)
})

t.test('there is no registry but by its whole prefix', async (t) => {
  for (const id of ['Bas', 'Mgmt', 'Base.1', 'BiosX', 'BiosX.v1_1_0.json'])
    t.same(await refusal(() => registry(id)), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
