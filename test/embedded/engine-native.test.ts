import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import t from 'tap'
import { workFolder } from './dropIn.ts'
import { type Arch, command, missing, native, program, script } from './programs.ts'

t.setTimeout(900_000)

const folder = 'test/embedded/fixtures/addon'
const modules = { addon: { sources: [folder], libraries: [] } }

/** The same C as an addon for Node.js. Its libuv is Node's own, whose header comes with the sysroot. */
async function addon(): Promise<string> {
  const { hostArch, sysroot } = await import(resolve('runtime/build/sysroot.mjs'))
  const out = join(workFolder, 'addon.node')
  const headers = ['-isystem', 'node_modules/node-api-headers/include', '-idirafter', sysroot(hostArch).include]
  const flags = ['-std=gnu11', '-Wall', '-Wextra', '-Wconversion', '-Werror', '-D_GNU_SOURCE', '-shared', '-fPIC']
  const built = spawnSync('gcc', [...flags, ...headers, `${folder}/addon.c`, '-o', out], { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(built.stderr)
  return out
}

function lines([first, ...rest]: readonly [string, ...string[]], env = {}): string[] {
  const { stdout, stderr, status, signal } = spawnSync(first, rest, {
    encoding: 'utf8',
    env: { ...process.env, ...env }
  })
  return [...`${stdout}${stderr}`.trimEnd().split('\n'), `status: ${status ?? signal}`]
}

const arches: Arch[] = ['x86_64', 'armv7', 'aarch64']

if (missing(native)) {
  t.test('Node-API of the engine', { skip: missing(native) }, async () => {})
} else {
  const built = await program('addon', { modules })
  const expected = lines([process.execPath, '--expose-gc', await script('addon', { addon: await addon() })])

  t.test('Node.js runs the whole addon', async (t) => {
    t.ok(expected.length > 130)
    t.equal(expected.at(-1), 'status: 0')
  })

  for (const arch of arches) {
    t.test(`an addon sees the same Node-API on ${arch} as on Node.js`, { skip: missing(arch) }, async (t) => {
      const actual = lines(command(arch, arch === native ? built : await program('addon', { arch, modules })))
      t.equal(actual.length, expected.length, actual.slice(-5).join('\n'))
      for (const [index, line] of expected.entries()) t.equal(actual[index], line)
    })
  }

  t.test('AddressSanitizer and UBSan find nothing in the engine', async (t) => {
    const sanitized = await program('addon', { modules, sanitize: true })
    const actual = lines([sanitized], { ASAN_OPTIONS: 'detect_leaks=0' })
    t.equal(actual.at(-1), 'status: 0', actual.slice(-30).join('\n'))
    t.equal(actual.length, expected.length)
  })
}
