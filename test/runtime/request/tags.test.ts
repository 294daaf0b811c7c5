import t from 'tap'
import { handlers } from '#generated'
import { type Answer, as, type Fixture, openFixture, password } from '#test/runtime/service.ts'

const root = '/redfish/v1'

/** All resources that a client finds from the root, with the tag and the text of each. */
async function crawl(fixture: Fixture): Promise<Map<string, { tag: string; shown: string }>> {
  const found = new Map<string, { tag: string; shown: string }>()
  const waiting = [`${root}/`]
  const wrong: string[] = []
  for (let uri = waiting.pop(); uri !== undefined; uri = waiting.pop()) {
    if (found.has(uri)) continue
    const { status, headers, text, json } = await fixture.ask('GET', uri)
    if (status !== 200) continue
    if (json?.['@odata.id'] !== undefined && json['@odata.etag'] !== headers.etag) wrong.push(uri)
    found.set(uri, { tag: headers.etag!, shown: text.replaceAll(JSON.stringify(headers.etag), '') })
    for (const [, link] of text.matchAll(/"(?:@odata\.id|Uri)":"([^"#]+(?:\/|\.json))"/g)) waiting.push(link!)
  }
  t.same(wrong, [], 'the tag in a resource is that of its header')
  return found
}

/** The resources whose tag moved, and those whose text did. */
async function moved(fixture: Fixture, change: () => Promise<Answer>): Promise<{ tags: string[]; texts: string[] }> {
  const before = await crawl(fixture)
  t.ok((await change()).status < 300)
  const after = await crawl(fixture)
  const both = [...after.keys()].filter((uri) => before.has(uri))
  return {
    tags: both.filter((uri) => before.get(uri)!.tag !== after.get(uri)!.tag),
    texts: both.filter((uri) => before.get(uri)!.shown !== after.get(uri)!.shown)
  }
}

const conditional = (name: string, tag: string | undefined) => ({ ...as('admin', password), [name]: tag ?? '' })

t.test('a tag moves when something moves that the answer shows, and only then', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const system = `${root}/Systems/1/`
  for (const [name, change] of Object.entries({
    'a pending setting': () =>
      fixture.ask('PATCH', `${system}Bios/Settings/`, { Attributes: { BootPromptSeconds: 9 } }),
    'an asset tag': () => fixture.ask('PATCH', `${root}/Systems/1/`, { AssetTag: 'A-7' }),
    'power off': () => fixture.ask('POST', `${system}Actions/ComputerSystem.Reset`, { ResetType: 'ForceOff' })
  })) {
    const { tags, texts } = await moved(fixture, change)
    t.same(tags, texts, name)
    t.ok(texts.length > 0, `${name}: ${texts.length} of them`)
  }
})

t.test('If-Match of an action is compared with the resource that owns it', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const system = `${root}/Systems/1/`
  const reset = (tag: string | undefined) =>
    fixture.ask('POST', `${system}Actions/ComputerSystem.Reset`, { ResetType: 'Nmi' }, conditional('if-match', tag))
  const { headers } = await fixture.ask('GET', system)
  t.equal((await reset('W/"0"')).status, 412)
  t.equal((await reset(headers.etag)).status, 200)
  t.equal((await fixture.ask('PATCH', system, { AssetTag: 'other' })).status, 200)
  t.equal((await reset(headers.etag)).status, 412)
  t.equal((await reset('*')).status, 200)
})

t.test('the tag of an expanded answer covers the members', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  for (const query of ['$expand=.', '$expand=.&$filter=Id%20eq%20%271%27', '$expand=*']) {
    const uri = `${root}/Systems/?${query}`
    const first = await fixture.ask('GET', uri)
    t.equal(first.json['@odata.etag'], first.headers.etag)
    t.equal((await fixture.ask('GET', uri, undefined, conditional('if-none-match', first.headers.etag))).status, 304)
    t.equal((await fixture.ask('PATCH', `${root}/Systems/1/`, { AssetTag: query })).status, 200)
    const again = await fixture.ask('GET', uri, undefined, conditional('if-none-match', first.headers.etag))
    t.equal(again.status, 200, query)
    t.equal(again.json.Members[0]['@odata.etag'], (await fixture.ask('GET', `${root}/Systems/1/`)).headers.etag)
  }
})

t.test('only answers with the member’s own tag, methods and type', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const member = await fixture.ask('GET', `${root}/Systems/1/`)
  const sole = await fixture.ask('GET', `${root}/Systems/?only`)
  t.equal(sole.text, member.text)
  for (const name of ['etag', 'allow', 'link']) t.equal(sole.headers[name], member.headers[name], name)
  const tag = conditional('if-none-match', member.headers.etag)
  t.equal((await fixture.ask('GET', `${root}/Systems/?only`, undefined, tag)).status, 304)
  t.equal((await fixture.ask('PATCH', `${root}/Systems/1/`, { AssetTag: 'new' })).status, 200)
  t.equal((await fixture.ask('GET', `${root}/Systems/?only`, undefined, tag)).status, 200)
  const chosen = await fixture.ask('GET', `${root}/Systems/?only&$select=AssetTag`)
  t.equal(chosen.json.AssetTag, 'new')
  t.notOk('Boot' in chosen.json)
  t.equal((await fixture.ask('GET', `${root}/Chassis/?only`)).json['@odata.id'], `${root}/Chassis/`, 'of several')
  t.equal((await fixture.ask('GET', `${root}/Systems/1/?only`)).status, 400)
})

t.test('$select does not change the entity tag', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const whole = await fixture.ask('GET', `${root}/Systems/1/`)
  const part = await fixture.ask('GET', `${root}/Systems/1/?$select=AssetTag`)
  t.equal(part.headers.etag, whole.headers.etag)
  t.equal(part.json['@odata.etag'], whole.headers.etag)
})

t.test('a sensor that moves makes a new answer, and does not refuse a change', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const uri = `${root}/Chassis/1/Thermal/`
  const before = await fixture.ask('GET', uri)
  t.equal((await fixture.ask('GET', uri, undefined, conditional('if-none-match', before.headers.etag))).status, 304)
  const sensors = fixture.sensors['1']!
  sensors.faults.stuckAt = { 2: 61 }
  await sensors.poll()
  const after = await fixture.ask('GET', uri, undefined, conditional('if-none-match', before.headers.etag))
  t.equal(after.status, 200)
  t.not(after.headers.etag, before.headers.etag)
  const set = (ThresholdValue: number) =>
    fixture.ask(
      'POST',
      `${uri}Actions/Oem/Vendor/VendorThermalExt.SetUserTempThreshold/`,
      { SensorNumber: 2, ThresholdValue, AlertType: 'Critical' },
      conditional('if-match', before.headers.etag)
    )
  t.equal((await set(60)).status, 200)
  t.equal((await set(61)).status, 412, 'the thresholds are others now')
})

t.test('an open resource expands for who has credentials, and shows others the links', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const uri = `${root}/?$expand=.`
  const shown = await fixture.ask('GET', uri)
  t.ok(shown.json.Systems.Members)
  const { headers } = await fixture.ask('POST', `${root}/SessionService/Sessions`, {
    UserName: 'admin',
    Password: password
  })
  t.ok((await fixture.ask('GET', uri, undefined, { 'x-auth-token': headers['x-auth-token']! })).json.Systems.Members)
  for (const [name, credentials] of Object.entries({
    none: {},
    'a wrong token': { 'x-auth-token': 'guess' },
    'a wrong password': as('admin', 'guess'),
    'no credentials at all': { authorization: 'Bearer x' }
  })) {
    const answer = await fixture.ask('GET', uri, undefined, credentials)
    t.equal(answer.status, 200, name)
    t.same(answer.json.Systems, { '@odata.id': `${root}/Systems/` }, name)
  }
})

t.test('a resource that needs a license expands while the license lasts, and is a link afterwards', async (t) => {
  const license = { GET: 'CertificateLogin' } as const
  const served = handlers.map((each) =>
    each.template.endsWith('/Bios') ? { ...each, module: { ...each.module, license } } : each
  )
  const fixture = await openFixture(undefined, undefined, undefined, served)
  t.teardown(() => fixture.close())
  const bios = async () => (await fixture.ask('GET', `${root}/Systems/1/?$expand=.`)).json.Bios
  const link = { '@odata.id': `${root}/Systems/1/Bios/` }
  t.same(await bios(), link)
  const expires = Math.floor(fixture.now() / 1000) + 60
  const installed = { key: '', class: 'Advanced', id: '1', serial: null, issued: 0, expires, ended: false } as const
  await fixture.service.store.commit({ license: { 1: installed } })
  t.match(await bios(), { ...link, Id: 'Bios' })
  fixture.sleep(60)
  t.same(await bios(), link)
})
