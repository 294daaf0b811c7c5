// own process: it starts what was built
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { type Arch, command, missing, program, script } from '#test/embedded/programs.ts'

const { buildNative } = await import(pathToFileURL('runtime/build/addon.mjs').href)

/** The output of the fixture for a fresh flash of 64 KiB. */
function run([executable, ...args]: [string, ...string[]], directory: string): string {
  const path = `${directory}/flash.bin`
  writeFileSync(path, new Uint8Array(65536).fill(0xff))
  const env = { ...process.env, MINNOW_NATIVE: resolve('dist/native') }
  const { status, stdout, stderr } = spawnSync(executable, [...args, path], { encoding: 'utf8', env })
  if (status !== 0) throw new Error(`${executable} ended with ${status}: ${stderr}`)
  return stdout
}

for (const arch of ['x86_64', 'armv7'] satisfies Arch[]) {
  t.test(`the binary for ${arch} uses a flash as Node.js does`, { skip: missing(arch) }, async (t) => {
    buildNative({ out: 'dist/native' })
    const onNode = run([process.execPath, await script('flash')], t.testdir())
    t.match(onNode, /read: \[255,240,63,3,170,255\]/, 'Node.js did use it')
    t.equal(run(command(arch, await program('flash', { arch })), t.testdir()), onNode, 'line by line')
  })
}
