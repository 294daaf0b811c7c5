import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { workFolder } from './dropIn.ts'

const load = (name: string) => import(pathToFileURL(`runtime/build/${name}.mjs`).href)
const { mbedtls } = await load('mbedtls')
const { available, hostArch, sysroot } = await load('sysroot')

t.setTimeout(300_000)

const lacks: string[] = available(hostArch)
if (spawnSync('clang', ['--version']).error) lacks.push('clang (apt-get install clang)')
const skip = lacks.length > 0 && process.env.CI !== 'true' && `left out: it needs ${lacks.join('; ')}`

const folder = 'runtime/embedded/https'

/** Builds a fuzzer with AddressSanitizer and UBSan: our own C, and libraries of the sysroot. */
function fuzzer(name: string, sources: string[], libraries: string[]): string {
  const { lib, include } = sysroot(hostArch)
  const out = join(workFolder, name)
  const flags = ['-std=gnu11', '-D_GNU_SOURCE', '-O1', '-g', '-Wall', '-Wextra', '-Wconversion', '-Werror']
  const checks = ['-fsanitize=fuzzer,address,undefined', '-fno-sanitize-recover=all']
  const files = [
    join(folder, 'fuzz', `${name}.c`),
    ...sources.map((file) => join(folder, file)),
    'runtime/embedded/sanitize.c'
  ]
  const archives = libraries.map((library) => join(lib, `lib${library}.a`))
  const headers = ['-isystem', mbedtls(hostArch).include, '-idirafter', include]
  const words = [...flags, ...checks, ...headers, '-o', out, ...files, ...archives, '-lpthread', '-ldl']
  const { status, stderr } = spawnSync('clang', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return out
}

/** A bounded run from the seeds, the same every time. @returns what it said, when something was found */
function fuzz(program: string, runs: number): string {
  const words = [`-runs=${runs}`, '-seed=1', '-max_len=1000', '-timeout=30', `-artifact_prefix=${workFolder}/`]
  const found = mkdtempSync(join(workFolder, 'found-')) // else it would be added to the seeds
  const { status, stderr } = spawnSync(program, [...words, found, join(folder, 'fuzz/seeds')], { encoding: 'utf8' })
  return status === 0 && stderr.includes(`Done ${runs} runs`) ? '' : stderr.slice(-4000)
}

t.test('a ClientHello is looked at within its bytes, and more of them take nothing back', { skip }, async (t) => {
  t.equal(fuzz(fuzzer('hello_fuzz', ['client_hello.c'], []), 50_000), '')
})

t.test('whatever arrives, parsing ends within its limits, and pieces make no difference', { skip }, async (t) => {
  t.equal(fuzz(fuzzer('request_fuzz', ['request.c', '../wire/message.c'], ['llhttp']), 50_000), '')
})

t.test('whatever arrives and however it is answered, answers are in order and nothing is left', { skip }, async (t) => {
  const core = [
    'request.c',
    'client_hello.c',
    'connection.c',
    'sending.c',
    'receiving.c',
    'server.c',
    'repeating.c',
    'repeats.c',
    'response_head.c',
    '../wire/message.c',
    '../wire/held.c'
  ]
  t.equal(fuzz(fuzzer('connection_fuzz', core, ['llhttp', 'uv', 'sodium']), 500), '')
})
