/** Fuzzers of our own C (libFuzzer), with AddressSanitizer and UBSan. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { workFolder } from './dropIn.ts'

const load = (name: string) => import(pathToFileURL(`runtime/build/${name}.mjs`).href)
const { mbedtls } = await load('mbedtls')
const { patchedSource } = await load('debian')
const { patched } = await load('patch')
const { available, hostArch, sysroot } = await load('sysroot')

/** How long each fuzzer is to run; without it the number of its runs is fixed. */
const seconds = Number(process.env.MINNOW_FUZZ_SECONDS ?? 0)

export const timeout = 300_000 + 10_000 * seconds

const lacks: string[] = available(hostArch)
if (spawnSync('clang', ['--version']).error) lacks.push('clang (apt-get install clang)')
export const skip = lacks.length > 0 && process.env.CI !== 'true' && `it needs ${lacks.join('; ')}`

const language = ['-std=gnu11', '-D_GNU_SOURCE', '-O1', '-g']
const checks = ['-fsanitize=fuzzer,address,undefined', '-fno-sanitize-recover=all']
const headers = () => ['-isystem', mbedtls(hostArch).include, '-idirafter', sysroot(hostArch).include]

function clang(...words: string[]): void {
  const { status, stderr } = spawnSync('clang', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

/**
 * Builds a fuzzer.
 *
 * @param folder of the sources, with `fuzz/<name>.c`
 * @param libraries of the sysroot
 * @param objects more for the linker
 * @returns the program
 */
export function fuzzer(
  folder: string,
  name: string,
  sources: string[],
  libraries: string[] = [],
  objects: string[] = []
): string {
  const { lib } = sysroot(hostArch)
  const out = join(workFolder, name)
  // Pragmas of GCC.
  const warnings = ['-Wall', '-Wextra', '-Wconversion', '-Werror', '-Wno-unknown-pragmas']
  const files = [`fuzz/${name}.c`, ...sources].map((file) => join(folder, file))
  const archives = libraries.map((library) => join(lib, `lib${library}.a`))
  const linked = [...files, 'runtime/embedded/sanitize.c', ...objects, ...archives]
  clang(...language, ...warnings, ...checks, ...headers(), '-o', out, ...linked, '-lpthread', '-ldl')
  return out
}

/** Mbed TLS with the checks in some of its files, and as the binary has it for the others. @returns what is linked */
export function checkedMbedtls(names: readonly string[]): string[] {
  const source: string = patched(
    patchedSource('mbedtls'),
    resolve('runtime/build/mbedtls.patch'),
    join(workFolder, 'mbedtls')
  )
  const objects = names.map((name) => {
    const object = join(workFolder, `${name}.o`)
    clang(...language, '-w', ...checks, ...headers(), '-c', join(source, `library/${name}.c`), '-o', object)
    return object
  })
  return [...objects, mbedtls(hostArch).archive]
}

/**
 * Runs a fuzzer from the seeds in `folder`, the same way every time unless it is to run for a time.
 *
 * @param longest bytes of an input
 * @returns what it said, when something was found
 */
export function fuzz(folder: string, program: string, runs: number, longest = 1000): string {
  const bound = seconds > 0 ? `-max_total_time=${seconds}` : `-runs=${runs}`
  const words = [bound, '-seed=1', `-max_len=${longest}`, '-timeout=30', `-artifact_prefix=${workFolder}/`]
  const found = mkdtempSync(join(workFolder, 'found-')) // else it would be added to the seeds
  const { status, stderr } = spawnSync(program, [...words, found, join(folder, 'fuzz/seeds')], {
    encoding: 'utf8',
    maxBuffer: 1 << 28
  })
  const done = seconds > 0 ? /Done \d+ runs/ : new RegExp(`Done ${runs} runs`)
  return status === 0 && done.test(stderr) ? '' : stderr.slice(-4000)
}
