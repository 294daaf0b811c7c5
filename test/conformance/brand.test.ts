// own process: it starts what was built
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { build, type Running, start } from './builds.ts'

const folder = mkdtempSync('dist/brand-')
const data = mkdtempSync(join(tmpdir(), 'minnow-'))
let service: Running

t.before(async () => {
  const brand = join(folder, 'brand.json')
  writeFileSync(brand, JSON.stringify({ Vendor: 'Acme', Mgmt: 'Pilot', MgmtEventLog: 'PEL' }))
  build(['--brand', brand, '--out', folder])
  service = await start(folder, data)
})
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
  rmSync(data, { recursive: true })
})

t.test("a maker's words stand everywhere in what is served, and the neutral ones nowhere", async (t) => {
  const seen = new Set(['/redfish/v1/', '/redfish/v1/$metadata', '/redfish/v1/openapi.yaml'])
  let found = 0
  for (const uri of seen) {
    const { status, headers, text } = await service.get(uri)
    t.equal(status, 200, uri)
    // The standard property of this name stays (DSP0268, ServiceRoot and PCIeDevice).
    const old = /.{0,40}(Vendor|Mgmt).{0,20}/.exec(
      `${uri} ${headers} ${text.replace(/"?\bVendor"?:|Name="Vendor"/g, '')}`
    )
    t.equal(old?.[0], undefined, uri)
    found += (text.match(/Acme|Pilot/g) ?? []).length
    for (const [, link] of text.matchAll(/"(?:@odata\.id|Uri)":"([^"#]+)/g)) if (link !== undefined) seen.add(link)
  }
  t.ok(found > 100, `${found} times the maker's words`)
})

t.test('the event log is where the maker calls it', async (t) => {
  const { status, text } = await service.get('/redfish/v1/Managers/1/LogServices/PEL/')
  t.equal(status, 200)
  t.equal(JSON.parse(text).Name, 'Pilot Event Log')
})

t.test('an action is where the maker calls it', async (t) => {
  const path = '/redfish/v1/Systems/1/Actions/Oem/Acme/AcmeComputerSystemExt.PowerButton/'
  t.equal((await service.get(path)).status, 405)
})
