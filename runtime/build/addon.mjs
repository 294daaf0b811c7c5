/** Builds the native parts for Node.js. */
/** @import { Command } from './command.mjs' */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = resolve(dirname(fileURLToPath(import.meta.url)), '../../hal/native')

/** Files that the bindings share. */
const shared = readdirSync(join(here, 'binding')).map((name) => `binding/${name}`)

/** The files of each addon; the first is its binding. */
const addons = {
  channel: ['channel_binding.c', 'channel.c', 'channel.h', ...shared],
  flash: ['flash_binding.c', 'flash.c', 'flash.h', ...shared],
  gpio: ['gpio_binding.c', 'gpio.c', 'gpio.h', ...shared],
  lldp: ['lldp_binding.c', 'lldp.c', 'lldp.h', ...shared],
  tty: ['tty_binding.c', 'tty.c', 'tty.h', ...shared]
}

/** Node.js includes the header of its libuv; distributions may have moved it. */
const libuv = join(dirname(process.execPath), '../include/node')

const language = ['-std=gnu11', '-D_FILE_OFFSET_BITS=64', '-Wall', '-Wextra', '-Wconversion']
/** For tests. A product built by a compiler that knows more warnings than ours does not fail for them. */
const strict = ['-Werror', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer', '-g']
const sanitizers = 'address,undefined'

/**
 * Compiles every addon to `<out>/<name>.node`, unless what lies there was made of the same sources by the same command.
 *
 * @param {{ out: string, sanitize?: boolean, compiler?: Command }} options `sanitize`: with AddressSanitizer and UBSan,
 *   whose libraries the process that loads the addon must preload; `compiler`: for another machine than this one
 * @returns {{ built: string[], missing: string[] }} paths of the addons, and what would be needed to build them
 */
export function buildNative({ out, sanitize = false, compiler }) {
  if (process.platform !== 'linux') return { built: [], missing: ['Linux (MTD devices exist nowhere else)'] }
  const headers = resolve(dirname(createRequire(import.meta.url).resolve('node-api-headers/package.json')), 'include')
  const built = []
  const missing = new Set()
  for (const [name, files] of Object.entries(addons)) {
    const addon = `${out}/${name}.node`
    const flags = [
      '-O2',
      '-fPIC',
      '-shared',
      `-I${headers}`,
      '-idirafter',
      libuv,
      ...(sanitize ? [`-fsanitize=${sanitizers}`, ...strict] : [])
    ]
    const lacking = compile({ files, flags, output: addon, compiler })
    if (lacking) missing.add(lacking)
    else built.push(addon)
  }
  return { built, missing: [...missing] }
}

/**
 * @internal Compiles a program of plain C that tests one of the cores, with sanitizers.
 *
 * @param {{ files: string[], output: string, sanitize?: string }} options paths relative to hal/native; `sanitize`:
 *   GCC's names of the sanitizers, if it cannot be all
 * @returns {string | undefined} what would be needed to build it
 */
export function buildTest({ files, output, sanitize = sanitizers }) {
  return compile({ files, flags: ['-O1', `-I${here}`, `-fsanitize=${sanitize}`, ...strict], output })
}

/**
 * @param {object} options
 * @param {readonly string[]} options.files
 * @param {readonly string[]} options.flags
 * @param {string} options.output
 * @param {Command} [options.compiler]
 * @returns {string | undefined} a missing prerequisite of compiling
 * @throws {Error} with the messages of the compiler about the sources
 */
function compile({ files, flags, output, compiler: [compiler, ...target] = [process.env.CC ?? 'gcc'] }) {
  const paths = files.map((file) => resolve(here, file))
  const sources = paths.filter((path) => path.endsWith('.c'))
  const command = [...target, ...language, ...flags, ...sources]
  const key = createHash('sha256').update(JSON.stringify([compiler, process.arch, command]))
  for (const path of paths) key.update(readFileSync(path))
  const digest = key.digest('hex')
  if (existsSync(output) && existsSync(`${output}.key`) && readFileSync(`${output}.key`, 'utf8') === digest)
    return undefined

  mkdirSync(dirname(output), { recursive: true })
  const fresh = `${output}.${process.pid}`
  const { error, status, stderr } = spawnSync(compiler, [...command, '-o', fresh], { encoding: 'utf8' })
  if (error && 'code' in error && error.code === 'ENOENT') return 'a C compiler (apt-get install gcc libc6-dev)'
  if (error) throw error
  const header = /fatal error: (.*): No such file/.exec(stderr)
  if (header?.[1] === 'uv.h') return 'the C header uv.h, which Node.js may bring along (apt-get install libuv1-dev)'
  if (header) return `the C header ${header[1]} (apt-get install linux-libc-dev libc6-dev)`
  if (status !== 0) throw new Error(`${compiler} failed on ${sources.join(' ')}:\n${stderr}`)
  renameSync(fresh, output)
  writeFileSync(`${output}.key`, digest)
  return undefined
}
