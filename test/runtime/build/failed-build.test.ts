// own process: it builds
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'

/** Builds with the handlers of another folder. */
function build(handlers: string, out: string) {
  const args = ['build.mjs', '--handlers', handlers, '--out', out]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stderr }
}

t.test('a build with a mistake ends with its lines and the status 1', async (t) => {
  const folder = 'test/runtime/build/fixtures/handlers/unknown-export'
  t.same(build(folder, t.testdir({})), { status: 1, stderr: readFileSync(`${folder}/stderr`, 'utf8') })
})

t.test('a build with a handler that is not TypeScript names the line', async (t) => {
  const folder = t.testdir({ handlers: { 'Shelf.ts': '\nexport const = 1\n' }, out: {} })
  const { status, stderr } = build(`${folder}/handlers`, `${folder}/out`)
  t.equal(status, 1)
  t.match(stderr, /^\S*Shelf\.ts:2: Expected identifier.*\n$/)
})
