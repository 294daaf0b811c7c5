// own process: it builds
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import registry from '#registries/bios/BiosAttributeRegistryQ35.v1_0_0.json' with { type: 'json' }

/** Builds with folders of other sources. */
function build(folders: Readonly<Record<string, string>>) {
  const args = Object.entries(folders).flatMap(([name, folder]) => [`--${name}`, folder])
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs', ...args], { encoding: 'utf8' })
  return { status, stderr }
}

t.test('a build with mistakes shows all of them, a line each, and ends with the status 1', async (t) => {
  const handlers = 'test/runtime/build/fixtures/handlers/unknown-export'
  const folder = t.testdir({ registries: { 'q35.json': JSON.stringify(registry) }, out: {} })
  const { status, stderr } = build({ out: `${folder}/out`, handlers, registries: `${folder}/registries` })
  t.equal(status, 1)
  const [last = '', ...lines] = stderr.trimEnd().split('\n').reverse()
  t.same(lines.reverse(), readFileSync(`${handlers}/stderr`, 'utf8').trimEnd().split('\n'))
  t.match(
    last,
    /q35\.json: its Id is BiosAttributeRegistryQ35\.v1_0_0; name it BiosAttributeRegistryQ35\.v1_0_0\.json$/
  )
})

t.test('a build with a handler that is not TypeScript names the line', async (t) => {
  const folder = t.testdir({ handlers: { 'Shelf.ts': '\nexport const = 1\n' }, out: {} })
  const handlers = `${folder}/handlers`
  const { status, stderr } = build({ out: `${folder}/out`, handlers, registries: 'registries/bios' })
  t.equal(status, 1)
  t.match(stderr, /^\S*Shelf\.ts:2: Expected identifier.*\n$/)
})

t.test('a binary with back ends, or without features, that do not exist is not built', (t) => {
  const { status, stderr } = build({ arch: 'x86_64', backends: 'openbmc,toaster', without: 'page,kettle' })
  t.equal(status, 1)
  const [backends, without, ...more] = stderr.trimEnd().split('\n')
  t.match(backends, /^--backends: toaster is not known; write some of .*openbmc/)
  t.match(without, /^--without: kettle is not known; write some of .*directory/)
  t.same(more, [])
  t.end()
})
