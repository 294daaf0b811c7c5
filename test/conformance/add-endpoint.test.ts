// own process: it starts what was built
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { fieldsOf } from '#runtime/page/rules/forms.ts'
import { start } from './builds.ts'
import { blocks } from './pages.ts'

/** A file that CONTRIBUTING shows: its path is in the first line. */
function shown(folder: string): [path: string, source: string] {
  const [, source = '', path = ''] =
    new RegExp(`\`\`\`ts\\n(// (${folder}/\\S+)\\n[\\s\\S]*?)\`\`\``).exec(readFileSync('CONTRIBUTING.md', 'utf8')) ??
    []
  return [path, source]
}

t.test('the tour of a new endpoint and the handler of CONTRIBUTING work as printed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'minnow-clone-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const name of readdirSync('.').filter((each) => !/^(\.|dist|minnow-data|node_modules)/.test(each)))
    cpSync(name, join(folder, name), { recursive: true })
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
  for (const [path, source] of ['handlers', 'test'].map(shown)) writeFileSync(join(folder, path), source)
  const [handler = '', link = '', test = '', serve = '', ask = ''] = blocks('docs/tours/endpoint.md')
  // A reader's shell is not that of a test, whose results would look different, nor that of CI.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name !== 'CI' && !name.startsWith('TAP'))
  )
  for (const [lines, printed] of [
    [handler, /^$/],
    [link, /^$/],
    [test, /2 passed, 0 failed\n$/]
  ] as const) {
    const { status, stdout, stderr } = spawnSync('bash', ['-euc', lines], { cwd: folder, encoding: 'utf8', env })
    t.equal(status, 0, stderr)
    t.match(stdout, printed)
  }
  const [, password = ''] = /MINNOW_ADMIN_PASSWORD='([^']+)' npm start/.exec(serve) ?? []
  const service = await start(join(folder, 'dist'), join(folder, 'minnow-data'), password)
  t.teardown(() => service.stop())
  const asked = [...ask.matchAll(/-u admin:\S+ https:\/\/localhost:8443(\S+)/g)]
  const [answer, unknown] = await Promise.all(asked.map(([, path = '']) => service.get(path)))
  t.equal(answer?.status, 200)
  t.match(JSON.parse(answer?.text ?? ''), {
    '@odata.id': '/redfish/v1/Systems/1/Nameplate/',
    '@odata.type': '#VendorNameplate.v1_0_0.VendorNameplate',
    Id: 'Nameplate',
    Model: 'RS220 Gen3'
  })
  t.equal(unknown?.status, 404)
  t.match(unknown?.text, 'ResourceMissingAtURI')
  const system = await service.get('/redfish/v1/Systems/1/')
  t.match(JSON.parse(system.text).Oem.Vendor.Nameplate, { '@odata.id': '/redfish/v1/Systems/1/Nameplate/' })
  const shelf = await service.get('/redfish/v1/Chassis/1/Shelf/')
  t.match(JSON.parse(shelf.text), { '@odata.type': '#VendorShelf.v1_0_0.VendorShelf', Label: '' })
  const schema = await service.get('/redfish/v1/SchemaStore/en/VendorShelf.v1_0_0.json')
  const form = fieldsOf(JSON.parse(shelf.text), JSON.parse(schema.text), () => undefined)
  t.match(form, [{ path: ['Label'], kind: 'text', value: '', property: { maxLength: 32 } }], 'the page has its form')
})
