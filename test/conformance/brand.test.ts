// own process: it starts what was built
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { build, type Running, run, start } from './builds.ts'
import { type Answer, session } from './session.ts'

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

t.test("everything that is served has the maker's words, and none of the neutral ones", async (t) => {
  const seen = new Set(['/redfish/v1/', '/redfish/v1/$metadata', '/redfish/v1/openapi.yaml'])
  let found = 0
  for (const uri of seen) {
    const { status, headers, text } = await service.get(uri)
    t.equal(status, 200, uri)
    // The standard property and value of this name stay (DSP0268, ServiceRoot, PCIeDevice and UpdateService).
    const old = /.{0,40}(Vendor|Mgmt).{0,20}/.exec(
      `${uri} ${headers} ${text.replace(/"?\bVendor"?:|Name="Vendor"|\bVendorDefined\b/g, '')}`
    )
    t.equal(old?.[0], undefined, uri)
    found += (text.match(/Acme|Pilot/g) ?? []).length
    for (const [, link] of text.matchAll(/"(?:@odata\.id|Uri)":"([^"#]+)/g)) if (link !== undefined) seen.add(link)
  }
  t.ok(found > 100, `${found} times the maker's words`)
})

t.test('so do they in the page', async (t) => {
  const { text } = await service.get('/', { accept: 'text/html' })
  t.match(text, '<title>Pilot</title>')
  const files = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, file = '']) => file)
  t.equal(files.length, 4)
  for (const file of files) {
    const { status, text } = await service.get(file)
    t.equal(status, 200, file)
    t.notMatch(text, /.{0,40}(Vendor|Mgmt).{0,20}/, file)
  }
})

t.test("the event log has the maker's URI", async (t) => {
  const { status, text } = await service.get('/redfish/v1/Managers/1/LogServices/PEL/')
  t.equal(status, 200)
  t.equal(JSON.parse(text).Name, 'Pilot Event Log')
})

t.test("an action has the maker's URI", async (t) => {
  const path = '/redfish/v1/Systems/1/Actions/Oem/Acme/AcmeComputerSystemExt.PowerButton/'
  t.equal((await service.get(path)).status, 405)
})

t.test('a recording shows a client the same as the service, except live values', async (t) => {
  const file = join(folder, 'recorded.json')
  const { status, stderr } = await run(
    ['record', `https://127.0.0.1:${service.port}`, '-o', file, '--user', 'admin', '--insecure'],
    { MINNOW_RECORD_PASSWORD: 'correct horse' }
  )
  t.equal(status, 0, stderr)
  const mock = await start('dist', join(data, 'mock'), 'correct horse', ['--board', file])
  t.teardown(() => mock.stop())
  const { resources } = JSON.parse(readFileSync(file, 'utf8'))
  const live =
    /\/(\w*Service|Registries|RegistryStore|ResourceDirectory|LogServices|SecureBoot|NetworkProtocol|EthernetInterfaces|\w*Metrics)(\/|$)/
  let same = 0
  for (const path of Object.keys(resources)) {
    const [was, is] = await Promise.all([service.get(`${path}/`), mock.get(`${path}/`)])
    t.equal(is.status, 200, path)
    if (live.test(path)) continue
    same += 1
    t.strictSame(still(JSON.parse(is.text)), still(JSON.parse(was.text)), path)
  }
  t.ok(same > 100, `${same} resources`)
  const reset = '/redfish/v1/Systems/1/Actions/Oem/Acme/AcmeComputerSystemExt.PowerButton/'
  t.equal((await mock.get(reset)).status, 405, 'an action that only its maker knows is accepted')

  const [there, here] = await Promise.all([session(service), session(mock)])
  for (const [index, answer] of there.entries()) t.strictSame(neutral(here[index]), neutral(answer), answer.request)
  t.equal(here.length, there.length)
  t.ok(there.filter(({ status }) => status < 300).length > 40)
})

/** With neutral words: those of the build that serves the recording stand beside the recorded ones. */
function neutral(answer: Answer | undefined): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll('Pilot', 'Mgmt').replaceAll('Acme', 'Vendor'))
}

/** A resource without tags, addresses, readings, and what each service says of itself. */
function still(resource: object): object {
  const moves =
    /^(@odata\.etag|ETag|UUID|.*UUID|DateTime|DateTimeLocalOffset|Time|.*MACAddress(?:es)?|IPv\d.*|\w*Reading\w*|SensorResetTime|PowerConsumedWatts|PowerMetrics|LastPowerOutputWatts|PowerOutputWatts|LineInputVoltage|PowerCapacityWatts|Fans|FanSpeedsPercent|Oem|Actions|SerialConsole|Links|@Redfish\.WriteableProperties|ProtocolFeaturesSupported|Status|TemperatureReadingsCelsius|.*Celsius|.*Watts|.*Percent|EnergykWh|TenMinutes|Hour|Day)$/
  const text = JSON.stringify(resource, (name, value) => (moves.test(name) ? undefined : value))
  return JSON.parse(text.replace(/MAC\(\w{12}/g, 'MAC('))
}
