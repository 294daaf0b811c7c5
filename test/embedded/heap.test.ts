import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { skip, workFolder } from './dropIn.ts'

const { hostArch } = await import(pathToFileURL('runtime/build/sysroot.mjs').href)
const { quickjs } = await import(pathToFileURL('runtime/build/quickjs.mjs').href)

// AddressSanitizer has the memory come from malloc, piece by piece: both ways are used.
for (const [name, checks, parts] of [
  ['in pages of pieces of one size', 'undefined', 4],
  ["piece by piece, each of them malloc's", 'address,undefined', 2]
] as const) {
  t.test(`the engine's memory ${name}`, { skip }, async (t) => {
    const program = join(workFolder, `heap-${checks}`)
    const built = spawnSync(
      'gcc',
      [
        ...['-std=gnu11', '-D_GNU_SOURCE', '-O1', '-g', '-Wall', '-Wextra', '-Wconversion', '-Werror'],
        ...[`-fsanitize=${checks}`, '-fno-sanitize-recover=all', '-I.', '-isystem', quickjs(hostArch).include],
        ...['-o', program, 'test/embedded/heap_test.c', 'runtime/embedded/heap.c']
      ],
      { encoding: 'utf8' }
    )
    t.equal(built.status, 0, built.stderr)
    const { status, stdout, stderr } = spawnSync(program, { encoding: 'utf8' })
    const lines = stdout.trim().split('\n')
    for (const line of lines) t.ok(line.startsWith('ok - '), line.replace(/^.*?ok - /, ''))
    t.strictSame([status, stderr, lines.length], [0, '', parts], 'all of it ran, and ended well')
  })
}
