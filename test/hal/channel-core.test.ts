import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import t from 'tap'

const { buildTest } = await import(pathToFileURL('runtime/build/addon.mjs').href)

const program = 'dist/native-sanitized/channel_test'
const missing = buildTest({ files: ['../../test/hal/channel_test.c', 'channel.c', 'channel.h'], output: program })
const skip = missing !== undefined && process.env.CI !== 'true' && `it needs ${missing}`

t.test('the C core, with another side of its own, under ASan and UBSan', { skip }, async (t) => {
  const { status, stdout, stderr } = spawnSync(program, { encoding: 'utf8' })
  const lines = stdout.trim().split('\n')
  for (const line of lines) t.ok(line.startsWith('ok - '), line.replace(/^.*?ok - /, ''))
  t.equal(lines.length, 9, 'all of its tests ran')
  t.strictSame([status, stderr], [0, ''], 'and ended well')
})
