// own process: it builds a binary in another folder
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { directory, type Scope } from '#test/host/server.ts'
import { missingImage } from '#test/image/board.ts'

t.setTimeout(900_000)

const host = hosts.find(({ name }) => name === 'x86-64')
const product = ['minnow-x86_64', 'minnow-x86_64.licenses', 'minnow-x86_64.cdx.json']

needing('a binary is the same from any folder, and so is what is told of it', host?.missing, async (t) => {
  const folder = elsewhere(t)
  built(folder, 'build.mjs', '--binary', '--objects')
  for (const name of product) {
    t.ok(readFileSync(join(folder, 'dist', name)).equals(readFileSync(join('dist', name))), name)
  }

  await t.test('its owner can link it again from the files kept with it', async (t) => {
    const script = join(folder, 'dist/minnow-x86_64.objects/link.sh')
    const { sysroot } = await import(pathToFileURL('runtime/build/sysroot.mjs').href)
    const { cxx, folder: here } = sysroot('x86_64')
    const linked = spawnSync('sh', [script, 'anew', ...cxx], { cwd: folder, encoding: 'utf8' })
    t.equal(linked.status, 0, linked.stderr.slice(-500))
    t.ok(readFileSync(join(folder, 'anew')).equals(readFileSync('dist/minnow-x86_64')))
    t.notOk(readFileSync(script, 'utf8').includes(here), 'it names no folder of this machine')
  })

  await t.test('one for a single machine is smaller, and has no other back ends', async (t) => {
    built(folder, 'build.mjs', '--binary', '--without', 'fleet', '--backends', 'openbmc,sysfs')
    const binary = join(folder, 'dist/minnow-x86_64')
    t.ok(statSync(binary).size < statSync('dist/minnow-x86_64').size - 100_000)
    const { status, stderr } = spawnSync(binary, ['check', 'sim'], { encoding: 'utf8' })
    t.equal(status, 2)
    t.match(stderr, /type is sim, not one of (leds, )?openbmc/)
  })
})

needing('an image and its update are the same from any folder and at any time', missingImage, async (t) => {
  const folder = elsewhere(t)
  const [here, there] = [directory(t), directory(t)]
  built('.', 'deploy/image/image.mjs', '--out', here)
  built(folder, 'build.mjs')
  built(folder, 'deploy/image/image.mjs', '--binary', '--out', there)
  const names = readdirSync(here)
  t.same(names, readdirSync(there))
  for (const name of names) t.ok(readFileSync(join(here, name)).equals(readFileSync(join(there, name))), name)
})

/** A copy of the tree in a folder that is gone when the test ends. */
function elsewhere(t: Scope): string {
  const folder = mkdtempSync(join(tmpdir(), 'another-place-of-the-tree-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const left = new Set(['dist', 'node_modules', '.git', 'test'])
  cpSync('.', folder, { recursive: true, filter: (source) => !left.has(basename(source)) || source.includes('/') })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Runs a script of the build. @throws with what it said when it fails */
function built(folder: string, ...script: string[]): void {
  execFileSync(process.execPath, script, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
}
