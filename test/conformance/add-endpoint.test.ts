// own process: it starts what was built
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { start } from './builds.ts'

/** The lines of the README's section, as a reader would paste them into a shell. */
function readmeLines(): string {
  const section = /## Add an endpoint\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(readFileSync('README.md', 'utf8'))
  return section?.[1] ?? ''
}

t.test('the lines of the README add an endpoint', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'minnow-clone-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const name of [
    'handlers',
    'runtime',
    'hal',
    'data',
    'registries',
    'build.mjs',
    'package.json',
    'tsconfig.json'
  ]) {
    cpSync(name, join(folder, name), { recursive: true })
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'dist'))
  const lines = readmeLines()
  t.ok(lines.trim().split('\n').length <= 6, 'six lines of shell and code')
  const { status, stderr } = spawnSync('bash', ['-euc', lines], { cwd: folder, encoding: 'utf8' })
  t.equal(status, 0, stderr)
  const service = await start(join(folder, 'dist'), join(folder, 'minnow-data'))
  t.teardown(() => service.stop())
  const said = await service.get('/redfish/v1/Systems/1/Hello/')
  t.equal(said.status, 200)
  t.match(JSON.parse(said.text), {
    '@odata.id': '/redfish/v1/Systems/1/Hello/',
    '@odata.type': '#VendorHello.v1_0_0.VendorHello',
    Id: 'Hello',
    Greeting: 'Hello from RS220 Gen3'
  })
})
