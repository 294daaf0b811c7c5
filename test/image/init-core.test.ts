import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { initFiles } from './init-parts.ts'

const { buildTest } = await import(pathToFileURL('runtime/build/addon.mjs').href)

const parts = initFiles(
  'clock',
  'dhcp',
  'dhcp6',
  'domains',
  'journal',
  'netlink',
  'port_settings',
  'probe',
  'random_bytes',
  'reset_line',
  'seed',
  'settings',
  'sha256',
  'small_file',
  'sntp'
)
const program = 'dist/native-sanitized/init_test'
const missing = buildTest({ files: ['../../test/image/init_test.c', ...parts], output: program })
const skip = missing !== undefined && process.env.CI !== 'true' && `it needs ${missing}`

t.test('the parsers of the init process pass their tests under ASan and UBSan', { skip }, async (t) => {
  const { status, stdout, stderr } = spawnSync(program, { encoding: 'utf8' })
  const lines = stdout.trim().split('\n')
  for (const line of lines) t.ok(line.startsWith('ok - '), line.replace(/^.*?ok - /, ''))
  t.equal(lines.length, 29, 'all of its tests ran')
  t.strictSame([status, stderr], [0, ''], 'and ended well')
})
