import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { workFolder } from './dropIn.ts'

const { available, hostArch, sysroot } = await import(pathToFileURL('runtime/build/sysroot.mjs').href)

t.setTimeout(300_000)

const lacks: string[] = available(hostArch)
if (spawnSync('clang', ['--version']).error) lacks.push('clang (apt-get install clang)')
const skip = lacks.length > 0 && process.env.CI !== 'true' && `left out: it needs ${lacks.join('; ')}`

const folder = 'runtime/embedded/client'

/** Builds the fuzzer with AddressSanitizer and UBSan. */
function fuzzer(): string {
  const { lib, include } = sysroot(hostArch)
  const out = join(workFolder, 'response_fuzz')
  const flags = ['-std=gnu11', '-D_GNU_SOURCE', '-O1', '-g', '-Wall', '-Wextra', '-Wconversion', '-Werror']
  const checks = ['-fsanitize=fuzzer,address,undefined', '-fno-sanitize-recover=all']
  const sources = ['fuzz/response_fuzz.c', 'response.c', '../wire/message.c', '../sanitize.c']
  const files = sources.map((file) => join(folder, file))
  const words = [...flags, ...checks, '-idirafter', include, '-o', out, ...files, join(lib, 'libllhttp.a')]
  const { status, stderr } = spawnSync('clang', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return out
}

t.test(
  'whatever a server sends, parsing ends within its limits, and pieces make no difference',
  { skip },
  async (t) => {
    const runs = 100_000
    const found = join(workFolder, 'corpus') // the first folder is what the fuzzer writes to
    mkdirSync(found)
    const words = [`-runs=${runs}`, '-seed=1', '-max_len=1000', '-timeout=30', `-artifact_prefix=${workFolder}/`]
    const { status, stderr } = spawnSync(fuzzer(), [...words, found, join(folder, 'fuzz/seeds')], { encoding: 'utf8' })
    t.equal(status, 0, stderr.slice(-4000))
    t.match(stderr, `Done ${runs} runs`)
  }
)
