// own process: it starts what was built
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { fieldsOf } from '#runtime/page/rules/forms.ts'
import { start } from './builds.ts'
import { blocks } from './pages.ts'

/** The path and the source of the handler that CONTRIBUTING shows. */
function shownHandler(): [path: string, source: string] {
  const [, source = '', path = ''] =
    /```ts\n(\/\/ (handlers\/\S+)\n[\s\S]*?)```/.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? []
  return [path, source]
}

t.test('the tour of a new endpoint and the handler of CONTRIBUTING work as printed', async (t) => {
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
    'package-lock.json',
    'tsconfig.json'
  ]) {
    cpSync(name, join(folder, name), { recursive: true })
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'dist'))
  const [path, source] = shownHandler()
  writeFileSync(join(folder, path), source)
  const [lines = '', serve = '', ask = ''] = blocks('docs/tours/endpoint.md')
  t.ok(lines.trim().split('\n').length <= 6, 'six lines of shell and code')
  const { status, stderr } = spawnSync('bash', ['-euc', lines], { cwd: folder, encoding: 'utf8' })
  t.equal(status, 0, stderr)
  const [, password = ''] = /MINNOW_ADMIN_PASSWORD='([^']+)' npm start/.exec(serve) ?? []
  const service = await start(join(folder, 'dist'), join(folder, 'minnow-data'), password)
  t.teardown(() => service.stop())
  const [, asked = ''] = /-u admin:\S+ https:\/\/localhost:8443(\S+)/.exec(ask) ?? []
  const answer = await service.get(asked)
  t.equal(answer.status, 200)
  t.match(JSON.parse(answer.text), {
    '@odata.id': '/redfish/v1/Systems/1/Hello/',
    '@odata.type': '#VendorHello.v1_0_0.VendorHello',
    Id: 'Hello',
    Greeting: 'Hello from RS220 Gen3'
  })
  const shown = await service.get('/redfish/v1/Chassis/1/Shelf/')
  t.match(JSON.parse(shown.text), { '@odata.type': '#VendorShelf.v1_0_0.VendorShelf', Label: '' })
  const schema = await service.get('/redfish/v1/SchemaStore/en/VendorShelf.v1_0_0.json')
  const form = fieldsOf(JSON.parse(shown.text), JSON.parse(schema.text), () => undefined)
  t.match(form, [{ path: ['Label'], kind: 'text', value: '', property: { maxLength: 32 } }], 'the page has its form')
})
