import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import t from 'tap'

const { buildTest } = await import(pathToFileURL('runtime/build/addon.mjs').href)

const folder = '../../runtime/embedded'
const parts = ['seccomp', 'seccomp_program'].flatMap((name) => [`${folder}/${name}.c`, `${folder}/${name}.h`])
const files = ['../../test/embedded/seccomp_test.c', ...parts]
const program = 'dist/native-sanitized/seccomp_test'
// ASan makes calls of its own.
const missing = buildTest({ files, output: program, sanitize: 'undefined' })
const skip = missing !== undefined && process.env.CI !== 'true' && `it needs ${missing}`

t.test('the filter of system calls, under UBSan', { skip }, async (t) => {
  const { status, stdout, stderr } = spawnSync(program, { encoding: 'utf8' })
  const lines = stdout.trim().split('\n')
  for (const line of lines) t.ok(line.startsWith('ok - '), line.replace(/^.*?ok - /, ''))
  t.equal(lines.length, process.arch === 'x64' ? 15 : 14, 'all of its tests ran')
  t.strictSame([status, stderr], [0, ''], 'and ended well')
})
