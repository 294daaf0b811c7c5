import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { workFolder } from './dropIn.ts'

const { available, hostArch, sysroot } = await import(pathToFileURL('runtime/build/sysroot.mjs').href)

const lacks: string[] = available(hostArch)
const skip = lacks.length > 0 && process.env.CI !== 'true' && `it needs ${lacks.join('; ')}`

t.test('the table of answers, under ASan and UBSan', { skip }, async (t) => {
  const { lib, include } = sysroot(hostArch)
  const program = join(workFolder, 'repeats_test')
  const parts = ['https/repeats.c', 'https/response_head.c', 'wire/held.c', 'sanitize.c']
  const built = spawnSync(
    'gcc',
    [
      ...['-std=gnu11', '-D_GNU_SOURCE', '-O1', '-g', '-Wall', '-Wextra', '-Wconversion', '-Werror'],
      ...['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-I.', '-idirafter', include],
      ...['-o', program, 'test/embedded/repeats_test.c', ...parts.map((part) => join('runtime/embedded', part))],
      join(lib, 'libsodium.a')
    ],
    { encoding: 'utf8' }
  )
  t.equal(built.status, 0, built.stderr)
  const { status, stdout, stderr } = spawnSync(program, { encoding: 'utf8' })
  const lines = stdout.trim().split('\n')
  for (const line of lines) t.ok(line.startsWith('ok - '), line.replace(/^.*?ok - /, ''))
  t.equal(lines.length, 28, 'all of its tests ran')
  t.strictSame([status, stderr], [0, ''], 'and ended well')
})
