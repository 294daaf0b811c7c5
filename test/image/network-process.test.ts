import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { networkFiles } from './init-parts.ts'

const { buildTest } = await import(pathToFileURL('runtime/build/addon.mjs').href)

const program = 'dist/native-sanitized/network_process_test'
const files = [
  '../../test/image/network_process_test.c',
  '../../deploy/image/init/network_clients.h',
  '../../deploy/image/init/sntp.h',
  ...networkFiles
]
// The end of a process takes calls of ASan's own, which the filter does not know.
const missing = buildTest({ files, output: program, sanitize: 'undefined' })
const skip = missing !== undefined && process.env.CI !== 'true' && `it needs ${missing}`

t.test('the init process checks a network process that an attacker has taken over', { skip }, async (t) => {
  const { status, stdout, stderr } = spawnSync(program, { encoding: 'utf8' })
  const lines = stdout.trim().split('\n')
  for (const line of lines) t.ok(line.startsWith('ok - '), line.replace(/^.*?ok - /, ''))
  t.equal(lines.length, 10, 'all of its tests ran')
  t.strictSame([status, stderr], [0, ''], 'and ended well')
})
