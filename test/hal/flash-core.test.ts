import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import t from 'tap'

const { buildTest } = await import(pathToFileURL('runtime/build/addon.mjs').href)

const program = 'dist/native-sanitized/flash_test'
const missing = buildTest({ files: ['../../test/hal/flash_test.c', 'flash.c', 'flash.h'], output: program })
const skip = missing !== undefined && process.env.CI !== 'true' && `it needs ${missing}`

t.test('the C core, on an MTD device and a file behind its system calls, under ASan and UBSan', { skip }, async (t) => {
  const { status, stdout, stderr } = spawnSync(program, { encoding: 'utf8' })
  const lines = stdout.trim().split('\n')
  for (const line of lines) t.ok(line.startsWith('ok - '), line.replace(/^.*?ok - /, ''))
  t.equal(lines.length, 11, 'all of its tests ran')
  t.strictSame([status, stderr], [0, ''], 'and ended well')
})
