import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type Configuration, configuration as defaults, SettingsError } from '#data/configuration'
import { readSettings } from '#runtime/command/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'minnow-settings-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'minnow.json')

/** The configuration of a start with this in its configuration file, or the line that refuses it. */
function settings(content: unknown, ...args: string[]): Configuration | string {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  try {
    const wish = readSettings(['--config', file, ...args], {})
    return 'configuration' in wish ? wish.configuration : wish.show
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.message.replace(`${file}: `, '')
  }
}

t.test('a setting that a file does not name has its default', async (t) => {
  t.same(readSettings([], {}), { configuration: defaults, adminPassword: undefined, namesPort: false })
  t.same(settings({}), defaults)
  t.same(settings({ limits: { head: 4096 }, machine: { disk: 'disk.img' } }), {
    ...defaults,
    limits: { ...defaults.limits, head: 4096 },
    machine: { ...defaults.machine, disk: 'disk.img' }
  })
  t.equal(defaults.limits.head, 8192, 'the defaults themselves stay as they are')
})

t.test('flags win over the environment, the environment over the file', async (t) => {
  writeFileSync(file, JSON.stringify({ port: 1, address: '127.0.0.1', data: 'a', board: 'b' }))
  const environment = { MINNOW_CONFIG: file, MINNOW_PORT: '2', MINNOW_DATA: 'c' }
  t.match(readSettings(['--port=3'], environment), {
    namesPort: true,
    configuration: { port: 3, address: '127.0.0.1', data: 'c', board: 'b' }
  })
})

t.test('a file may name its schema for an editor, which is no setting', async (t) => {
  t.same(settings({ $schema: './configuration.schema.json' }), defaults)
})

for (const [content, line] of [
  [{ colour: 'blue' }, 'colour is not known'],
  [{ limits: { sesions: 3 } }, 'limits.sesions is not known'],
  [{ limits: { sessions: 'many' } }, 'limits.sessions is not an integer from 0'],
  [{ limits: { sessions: 1.5 } }, 'limits.sessions is not an integer from 0'],
  [{ limits: { sessions: null } }, 'limits.sessions is not an integer from 0'],
  [{ limits: 7 }, 'limits is not an object'],
  [[], 'it is not an object'],
  [{ profile: 'loud' }, 'profile is loud, not one of compact, verbose'],
  [{ log: 'trace' }, 'log is trace, not one of error, warning, info, debug'],
  [{ password: { complexity: 'yes' } }, 'password.complexity is not true or false'],
  [{ password: { iterations: 0 } }, 'password.iterations is 0, not an integer from 1'],
  [{ port: 65_536 }, 'port is 65536, not an integer from 0 to 65535'],
  [{ sensors: { interval: 0 } }, 'sensors.interval is 0, not a number from 1'],
  [{ sensors: { samples: 0.5 } }, 'sensors.samples is not an integer from 1'],
  [{ media: { time: -1 } }, 'media.time is -1, not a number from 0'],
  ['{ port: 1 }', /^.*minnow\.json is not JSON: /]
] as const) {
  t.test(`${JSON.stringify(content)} is refused in one line`, async (t) => {
    t.match(settings(content), line)
    if (typeof line === 'string') t.equal(settings(content), line)
  })
}

t.test('a flag that is wrong is named without the file, which may be right', async (t) => {
  t.equal(settings({ port: 1 }, '--port', '65536'), 'port is 65536, not an integer from 0 to 65535')
  for (const port of ['https', '', '1.5', '-1x']) {
    t.equal(settings({}, `--port=${port}`), 'port is not an integer from 0 to 65535', port)
  }
})
