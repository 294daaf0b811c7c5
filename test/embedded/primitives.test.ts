import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { workFolder } from './dropIn.ts'
import { type Arch, command, missing, native } from './programs.ts'

const load = (name: string) => import(pathToFileURL(`runtime/build/${name}.mjs`).href)
const { sanitizers } = await load('binary')
const { mbedtls } = await load('mbedtls')
const { primitives } = await load('native-modules')
const { compile, language, sourcesOf } = await load('objects')
const { opensslMembers } = await load('openssl')
const { sysroot } = await load('sysroot')

t.setTimeout(3_600_000)

/** How many operations are compared; `npm run curves` compares more. */
const campaign = Number(process.env.MINNOW_CURVE_CASES ?? 0)
const cases: Record<Arch, number> = {
  x86_64: campaign || 3600,
  armv7: campaign || 270,
  armv5: campaign || 270,
  aarch64: campaign || 270
}

interface Build {
  arch: Arch
  /** Mbed TLS as it comes. */
  plain?: boolean
  sanitize?: boolean
}

/** Builds the program in C. */
function build({ arch, plain = false, sanitize = false }: Build): string {
  const { cc, lib, include, ownInclude } = sysroot(arch)
  const out = join(workFolder, `primitives-${arch}${plain ? '-plain' : ''}${sanitize ? '-sanitized' : ''}`)
  const compiler = sanitize ? ['gcc', '-idirafter', include, '-idirafter', ownInclude, ...sanitizers] : [...cc, '-O2']
  const tls = mbedtls(arch)
  const archives = [...primitives.libraries.map((name: string) => join(lib, `lib${name}.a`)), tls.archive]
  const wraps = ['malloc', 'calloc', ...(plain ? [] : primitives.wraps)]
  const sources = ['test/embedded/primitives_test.c', ...(plain ? [] : primitives.sources.flatMap(sourcesOf))]
  run([
    ...(sanitize ? ['gcc', ...sanitizers] : [...cc, '-static', '-Wl,--gc-sections']),
    ...wraps.map((name: string) => `-Wl,--wrap=${name}`),
    ...sources.map((source) => compile([...compiler, '-isystem', tls.include, ...language], source)),
    ...(plain ? [] : opensslMembers(arch, lib, join(workFolder, `openssl-${arch}`))),
    ...['-Wl,--start-group', ...archives, '-Wl,--end-group'],
    ...['-lpthread', '-o', out]
  ])
  return out
}

function run([program = '', ...words]: string[]): string[] {
  const { status, signal, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status !== 0)
    throw new Error(`${program} ${words.join(' ')} ended with ${status ?? signal}: ${stderr.slice(-4000)}`)
  return stdout.trimEnd().split('\n')
}

const arches: Arch[] = ['x86_64', 'armv7', 'armv5', 'aarch64']

for (const arch of arches) {
  t.test(`the curves, the hash and the cipher on ${arch}`, { skip: missing(arch) }, async (t) => {
    const fast = command(arch, build({ arch }))
    const plain = command(arch, build({ arch, plain: true }))
    const sanitized = arch === native ? [build({ arch, sanitize: true })] : undefined

    t.test('give the known answers, and refuse invalid points and scalars', async (t) => {
      for (const line of run([...fast, 'values'])) t.match(line, /^ok - /)
    })

    t.test('are worth the comparison: Mbed TLS gives the known answers', async (t) => {
      for (const line of run([...plain, 'values'])) t.match(line, /^ok - /)
    })

    const count = cases[arch]
    t.test(`answer ${count} usual, rare and invalid operations as Mbed TLS does`, async (t) => {
      const words = ['compare', String(count), '1']
      const [answers, expected] = [run([...fast, ...words]), run([...plain, ...words])]
      t.equal(expected.length, count)
      for (const name of ['base', 'point', 'sum', 'inverse', 'signature', 'verification', 'x25519', 'hash', 'cipher']) {
        const own = expected.filter((line) => line.startsWith(name))
        t.ok(
          own.some((line) => line.includes('-> 0')) &&
            own.some((line) => ['signature', 'hash'].includes(name) || !line.includes('-> 0')),
          `${name}: taken and refused`
        )
      }
      t.ok(
        expected.some((line) => /^sum -> 0 .* 0?0$/.test(line)),
        'some sums are the point at infinity'
      )
      t.equal(answers.length, count)
      const differing = expected.findIndex((line, index) => line !== answers[index])
      t.equal(answers[differing], expected[differing])
    })

    t.test('give the same results on several threads that start at once', async (t) => {
      t.same(run([...fast, 'threads']), run([...plain, 'compare', '96', '0']))
    })

    const skip = arch === 'aarch64' && 'takes minutes in the emulator; the others go through the same code'
    t.test('report a lack of memory, wherever it shows, and give the same afterwards', { skip }, async (t) => {
      t.same(run([...fast, 'memory']), run([...plain, 'enough']))
    })

    t.test('end the program before they reach a missing part of OpenSSL', async (t) => {
      t.throws(() => run([...fast, 'unreached']), /SIGABRT|134/)
    })

    t.test(
      'do all of this under AddressSanitizer and UBSan',
      { skip: !sanitized && 'only for this machine' },
      async (t) => {
        for (const line of run([...sanitized!, 'values'])) t.match(line, /^ok - /)
        t.same(run([...sanitized!, 'compare', '210', '1']), run([...plain, 'compare', '210', '1']))
        t.same(run([...sanitized!, 'threads']), run([...plain, 'compare', '96', '0']))
        t.same(run([...sanitized!, 'memory']), run([...plain, 'enough']))
      }
    )
  })
}
