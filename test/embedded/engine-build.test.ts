import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { missing, native } from './programs.ts'

t.setTimeout(900_000)

const sysrootModule = JSON.stringify(resolve('runtime/build/sysroot.mjs'))

/** Evaluates an expression over `sysroot.mjs` on a machine where no tool is installed. */
function withoutTools(expression: string): { stdout: string; stderr: string; status: number | null } {
  const code = `import * as m from ${sysrootModule}\nconsole.log(JSON.stringify(${expression}))`
  return spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    env: { PATH: '/nowhere' }
  })
}

t.test('a build of a binary names each missing tool and the command that installs it', async (t) => {
  const list: string[] = JSON.parse(withoutTools('m.available("armv7")').stdout)
  const compiler = list.find((each) => each.startsWith('arm-linux-gnueabihf-gcc'))
  t.match(compiler, /apt-get install gcc-arm-linux-gnueabihf g\+\+-arm-linux-gnueabihf/)
  t.ok(list.some((each) => each.startsWith('apt-get')))
  const { status, stderr } = withoutTools('m.sysroot("aarch64")')
  t.equal(status, 1)
  t.match(stderr, /cannot build for aarch64, missing: aarch64-linux-gnu-gcc \(apt-get install gcc-aarch64-linux-gnu/)
})

t.test('an architecture that is not known is refused with those that are', async (t) => {
  t.match(
    withoutTools('m.available("vax")').stderr,
    /unknown architecture vax; known are x86_64, armv7, armv5, aarch64/
  )
})

t.test('building programs', { skip: missing(native) }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'minnow-test-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const build = (name: string, source: string, input = '--entry') => {
    mkdirSync(folder, { recursive: true })
    const [file, out] = [join(folder, name), join(folder, name.replace(/\..*/, ''))]
    writeFileSync(file, source)
    const result = spawnSync(process.execPath, ['runtime/build/binary.mjs', input, file, '--out', out], {
      encoding: 'utf8'
    })
    return { ...result, out, text: `${result.stdout}${result.stderr}` }
  }

  t.test('a module of Node.js without a drop-in is an error that names it and who wants it', async (t) => {
    const { status, text, out } = build('wants.ts', "import { start } from 'node:repl'\nconsole.log(start)\n")
    t.equal(status, 1)
    t.match(text, /the binary has no drop-in for node:repl, imported by .*wants\.ts/)
    t.notOk(existsSync(out))
  })

  t.test('an unknown native module is an error', async (t) => {
    const { status, text } = build('native.ts', "import thing from 'minnow:thing'\nconsole.log(thing)\n")
    t.equal(status, 1)
    t.match(text, /imports minnow:thing, which does not exist/)
  })

  t.test('a bundle that the engine cannot read is an error with its place', async (t) => {
    const { status, text } = build('broken.mjs', 'const a = 1\nconst b = ;\n', '--bundle')
    t.equal(status, 1)
    t.match(text, /SyntaxError.*\n.*minnow:2:11/)
  })

  t.test('a module that import() loads is read when it is called for, and stack traces name its places', async (t) => {
    writeFileSync(join(folder, 'shared.ts'), `export const loaded: string[] = []\n`)
    const late = `import { loaded } from './shared.ts'\nloaded.push('late')\n\nexport const fail = () => {\n  throw new Error('late')\n}\n`
    writeFileSync(join(folder, 'late.ts'), late)
    const source = `import { loaded } from './shared.ts'
const before = loaded.join()
const [{ fail }] = await Promise.all([import('./late.ts'), import('./late.ts')])
console.log(JSON.stringify([before, loaded.join()]))
fail()
`
    const { status, text, out } = build('early.ts', source)
    t.equal(status, 0, text)
    const { stdout, stderr } = spawnSync(out, { encoding: 'utf8' })
    t.same(JSON.parse(stdout), ['', 'late'])
    const places = spawnSync(process.execPath, ['runtime/build/stack.mjs', `${out}.map`], {
      input: JSON.parse(stderr).stack,
      encoding: 'utf8'
    })
    t.match(places.stdout, /late\.ts:5:\d+\)\n *at <anonymous> \(.*early\.ts:5:\d+\)/)
  })

  t.test('a stack trace leads through the source map beside the program to the line of the source', async (t) => {
    const source = `const blame = (): never => {\n  throw new Error('here')\n}\n\nblame()\n`
    const { status, text, out } = build('thrower.ts', source)
    t.equal(status, 0, text)
    const { stack } = JSON.parse(spawnSync(out, { encoding: 'utf8' }).stderr)
    const places = spawnSync(process.execPath, ['runtime/build/stack.mjs', `${out}.map`], {
      input: stack,
      encoding: 'utf8'
    })
    t.match(places.stdout, /^ *at \S+ \(.*thrower\.ts:2:\d+\)\n *at <anonymous> \(.*thrower\.ts:5:\d+\)/)
  })

  t.test('only the modules that a program imports are linked into it', async (t) => {
    const { out } = build('small.ts', "console.log('small')\n")
    const program = readFileSync(out)
    t.ok(program.includes('Proxy'), 'it has the engine')
    t.notOk(program.includes('leveldb'), 'it has no store')
  })
})
