import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { registryFaults } from '#data/bios'
import { boardFaults, boardSchema } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { loadBackends } from '#hal/backends.ts'
import bios from '#registries/bios/BiosAttributeRegistryQ35.v1_0_0.json' with { type: 'json' }
import events from '#registries/resource-event.json' with { type: 'json' }
import * as contract from '#runtime/contract'
import * as schema from '#runtime/schema'

const backends = await loadBackends()

const load = (file: string) => import(pathToFileURL(`runtime/build/${file}`).href)
const { listHandlers } = await load('handlers.mjs')
const { importSources } = await load('sources.mjs')
const { jsonFiles } = await load('json-files.mjs')
const { boardMistakes } = await load('checks/boards.mjs')
const { handlerMistakes } = await load('checks/handlers.mjs')
const { nounMistakes } = await load('checks/nouns.mjs')
const { attributeRegistryMistakes, messageRegistryMistakes } = await load('checks/registries.mjs')

t.test('the build names each mistake in a handler, and the text to write instead', async (t) => {
  const fixtures = 'test/runtime/build/fixtures/handlers'
  const cases = readdirSync(fixtures).map((name) => {
    const files = listHandlers(resolve(fixtures, name), {})
    return {
      name,
      files,
      expected: readFileSync(join(fixtures, name, 'stderr'), 'utf8')
        .trimEnd()
        .split('\n')
    }
  })
  const all = cases.flatMap(({ files }) => files)
  const { handlers, sources } = await importSources(all, t.testdir({}), [])
  for (const { name, files, expected } of cases)
    t.same(handlerMistakes(handlers.splice(0, files.length), sources), expected, name)
})

/** A file of a noun that adds to an interface of the contract. */
const adding = (name: string, member: string, more = '') =>
  `declare module '#runtime/contract' {\n  interface ${name} {\n    ${member}\n  }\n}\n${more}`

t.test('a noun that declares something twice or incompletely is named, with the text to write', async (t) => {
  const said = (nouns: Parameters<typeof t.testdir>[0]) => {
    const folder = t.testdir(nouns)
    const prefix = relative('.', folder)
    return nounMistakes(folder, []).map((line: string) => line.replaceAll(`${prefix}/`, ''))
  }
  const declared = "table('shelf', { survives: [] })\n"
  const shelf = adding('Tables', 'shelf: { label: string }', declared)
  t.same(said({ shelf: { 'index.ts': '', 'records.ts': shelf } }), [])
  t.same(said({ shelf: { 'records.ts': shelf } }), [
    'shelf/index.ts: the noun has no index; export its files from there'
  ])
  t.same(said({ rack: { 'index.ts': shelf }, shelf: { 'index.ts': shelf } }), [
    'shelf/index.ts: declares Tables.shelf, as rack/index.ts does; remove one, or name it otherwise',
    "shelf/index.ts: declares table('shelf'), as rack/index.ts does; remove one"
  ])
  t.same(said({ shelf: { 'index.ts': adding('Tables', 'shelf: { label: string }') } }), [
    "shelf/index.ts: does not say which resets shelf survives; add table('shelf', { survives: [] })"
  ])
  t.same(said({ shelf: { 'index.ts': declared } }), [
    'shelf/index.ts: does not say what a record of shelf is; add shelf to the interface Tables'
  ])
  t.same(said({ shelf: { 'index.ts': adding('Service', 'shelves(): string[]') } }), [
    'shelf/index.ts: adds to the interface Service; write Services'
  ])
})

/** Values as the files of a folder. */
const filesOf = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).map(([name, value]) => ({ file: name, name, text: '', value }))

t.test('a board that contradicts itself, another one, or the registries is named', async (t) => {
  const said = (boards: object, ids = ['BiosAttributeRegistryRS220.v1_1_0']) =>
    boardMistakes(filesOf(boards as Record<string, unknown>), ids, { backends, boardFaults, boardSchema })
  t.same(said({ 'sim.json': sim }), [])
  t.same(said({ 'sim.json': { ...sim, colour: 'blue' } }), [
    `sim.json: colour is not known; write one of ${Object.keys(boardSchema(backends).properties).join(', ')}`
  ])
  const rack = { ...sim.chassis['1'], contanedBy: 'enclosure' }
  t.same(said({ 'sim.json': { ...sim, chassis: { ...sim.chassis, 1: rack } } }), [
    'sim.json: chassis/1/contanedBy is not known; write containedBy'
  ])
  t.same(said({ 'sim.json': { ...sim, managers: undefined } }), ['sim.json: managers is missing; see docs/boards.md'])
  t.same(said({ 'rack.json': sim, 'sim.json': sim }), [`sim.json: is named ${sim.name}, as rack.json is; rename one`])
  t.same(said({ 'sim.json': sim }, ['BiosAttributeRegistryRS220.v1_2_0']), [
    'sim.json: systems/1/attributeRegistry is BiosAttributeRegistryRS220.v1_1_0, which does not exist; write BiosAttributeRegistryRS220.v1_2_0'
  ])
})

t.test('a message registry that is wrong, declared twice or not at all is named, with the text to write', async (t) => {
  const said = (registries: object) =>
    messageRegistryMistakes(filesOf(registries as Record<string, unknown>), { contract, schema })
  const created = events.Messages.ResourceCreated
  const changed = (message: object) => ({
    'a.json': { ...events, Messages: { ResourceCreated: { ...created, ...message } } }
  })
  t.same(said({ 'a.json': events }), [])
  t.same(said({ 'a.json': events, 'b.json': events }), [
    'b.json: is the registry ResourceEvent, as a.json is; put its messages into one of them'
  ])
  t.same(said({ 'a.json': { ...events, RegistryPrefix: 'Rack', Id: 'Rack.1.0.0' } }), [
    'a.json: no message of Rack is known; import it in runtime/contract/messages.ts',
    `a.json: its Id is Rack.1.0.0; write Rack.${events.RegistryVersion}`
  ])
  t.same(said(changed({ Resolution: undefined })), [
    'a.json: Messages/ResourceCreated/Resolution is missing; see DSP0268, MessageRegistry'
  ])
  t.same(said(changed({ Message: 'It is %1.' })), [
    'a.json: NumberOfArgs of ResourceCreated is 0; use exactly no place in Message'
  ])
  t.same(said(changed({ ParamTypes: ['string'], Severity: 'Warning', Resolution: 'none' })), [
    'a.json: ResourceCreated has 1 ParamTypes; write 0, one for each argument',
    'a.json: Severity of ResourceCreated is Warning; write OK, as MessageSeverity',
    'a.json: Resolution of ResourceCreated is not a sentence; write one, with a full stop'
  ])
})

t.test('an attribute registry that is wrong is named, with the expected file name', async (t) => {
  const said = (registries: object) =>
    attributeRegistryMistakes(filesOf(registries as Record<string, unknown>), { schema, registryFaults })
  t.same(said({ [`${bios.Id}.json`]: bios }), [])
  t.same(said({ 'q35.json': bios }), [`q35.json: its Id is ${bios.Id}; name it ${bios.Id}.json`])
  t.same(said({ [`${bios.Id}.json`]: { ...bios, RegistryVersion: '1.0.1' } }), [
    `${bios.Id}.json: ${bios.Id} is not of version 1.0.1; see DSP0268, AttributeRegistry`
  ])
})

t.test('a file that is not JSON is named', async (t) => {
  const folder = t.testdir({ 'a.json': '{', 'b.json': '{}' })
  t.throws(() => jsonFiles(folder), { message: /^\S+a\.json: is not JSON; .+$/ })
})
