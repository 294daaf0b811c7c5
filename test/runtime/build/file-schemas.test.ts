import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { Ajv } from 'ajv'
import t from 'tap'
import { chassisTypes } from '#data/board'
import { configuration } from '#data/configuration'
import { loadBackends } from '#hal/backends.ts'
import { formats } from '#runtime/schema'
import { openDocuments } from '#runtime/store/documents.ts'

const backends = await loadBackends()

const documents = openDocuments(readFileSync('dist/documents.bin'))
const published = (name: string) =>
  JSON.parse(new TextDecoder().decode(gunzipSync(documents.get(`${name}.schema.json`)!.gzip)))
const tests = Object.entries(formats).map(([name, format]) => [name, (text: string) => format.test(text)])
const ajv = new Ajv({ allErrors: true, formats: Object.fromEntries(tests) })
const isBoard = ajv.compile(published('board'))
const isConfiguration = ajv.compile(published('configuration'))
const board = (name = 'sim.json') => JSON.parse(readFileSync(`data/boards/${name}`, 'utf8'))

t.test('the published schema takes every board that ships, and a file that names it', async (t) => {
  for (const name of readdirSync('data/boards'))
    t.ok(isBoard(board(name)), `${name}: ${ajv.errorsText(isBoard.errors)}`)
  t.ok(isBoard({ $schema: './board.schema.json', ...board() }))
})

t.test('it refuses the same files as the service', async (t) => {
  for (const [path, value] of [
    ['colour', 'blue'],
    ['systems', undefined],
    ['chassis/1/type', 'Sledgehammer'],
    ['chassis/1/contanedBy', 'enclosure'],
    ['systems/1/processors/1/cores', 1.5],
    ['systems/1/uuid', 'x'],
    ['systems/1/power', { type: 'tape' }],
    ['systems/1/power', { type: 'sim', onTmie: 1 }],
    ['systems/1/power', { type: 'gpio' }],
    ['systems/1/nvram', { type: 'edk2', path: 7 }]
  ] as const) {
    const copy = board()
    const names = path.split('/')
    const last = names.pop()!
    Object.assign(
      names.reduce((within, name) => within[name], copy),
      { [last]: value }
    )
    t.notOk(isBoard(JSON.parse(JSON.stringify(copy))), path)
  }
})

t.test('it names the chassis types, and the back ends of each device with their options', async (t) => {
  const { systems, chassis } = published('board').properties
  t.same(chassis.additionalProperties.properties.type.enum, chassisTypes)
  const { power } = systems.additionalProperties.properties
  t.same(
    power.oneOf.map((each: typeof power) => each.properties.type.enum),
    Object.keys(backends.power).map((type) => [type])
  )
  t.same(power.oneOf[2].required, ['type', 'powerButton', 'powerGood'])
})

t.test('the schema of the configuration has the defaults, and accepts the same files as the service', async (t) => {
  t.equal(published('configuration').properties.limits.properties.head.default, 8192)
  for (const sound of [{}, configuration, { $schema: 'x', limits: { head: 1 } }]) {
    t.ok(isConfiguration(sound), ajv.errorsText(isConfiguration.errors))
  }
  for (const wrong of [{ colour: 'blue' }, { port: 65_536 }, { limits: { sesions: 1 } }, { log: 'trace' }, []]) {
    t.notOk(isConfiguration(wrong), JSON.stringify(wrong))
  }
})
