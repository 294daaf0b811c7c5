import t from 'tap'
import { type Message, MessageError } from '#runtime/contract'
import { Origins } from '#runtime/request/origin.ts'
import { as, keys, openFixture, password } from '#test/runtime/service.ts'

const origins = new Origins('https://bmc.example.net http://proxy:80')

/** The argument of the refusal of a request with these headers; undefined if it is accepted. */
function refusal(headers: Record<string, string>): string | undefined {
  try {
    origins.check({ host: 'bmc:8443', ...headers })
    return undefined
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    const [
      {
        key,
        args: [source]
      }
    ] = error.messages as [Message]
    t.same([error.status, key], [403, 'Mgmt.CrossSiteRequest'])
    return source
  }
}

t.test('a request of a client that is no browser is let through', async (t) => {
  t.equal(refusal({}), undefined)
  t.equal(refusal({ host: '' }), undefined)
})

t.test('a request is let through whose origin is the service itself', async (t) => {
  for (const [origin, host] of [
    ['https://bmc:8443', 'bmc:8443'],
    ['https://bmc:8443', 'BMC:8443'],
    ['https://bmc', 'bmc'],
    ['https://bmc', 'bmc:443'],
    ['https://bmc:443', 'bmc'],
    ['https://192.0.2.7', '192.0.2.7'],
    ['https://[2001:db8::7]', '[2001:db8::7]:443'],
    ['https://[2001:db8::443]', '[2001:db8::443]']
  ] as const) {
    t.equal(refusal({ origin, host }), undefined, `${origin} at ${host}`)
    t.equal(
      refusal({ referer: `${origin}/page/index.html?x=https://evil.example`, host }),
      undefined,
      `${origin} refers`
    )
  }
})

t.test('a request of any other origin is refused, and the refusal names it', async (t) => {
  for (const origin of [
    'https://evil.example',
    'http://bmc:8443',
    'https://bmc',
    'https://bmc:84',
    'https://bmc:8443.evil.example',
    'https://evil.example:8443',
    'null',
    ''
  ]) {
    t.equal(refusal({ origin }), origin, 'as an Origin')
    t.equal(refusal({ referer: origin }), origin, 'as a Referer')
  }
  t.ok(refusal({ origin: 'https://bmc:8443, https://evil.example' }), 'a header that comes twice')
  t.equal(refusal({ referer: 'https://evil.example/https://bmc:8443/' }), 'https://evil.example')
  t.equal(refusal({ referer: 'https://evil.example?https://bmc:8443' }), 'https://evil.example')
  t.equal(refusal({ origin: `https://${'x'.repeat(300)}` })?.length, 256)
})

t.test('the origins of reverse proxies are those of the service, too', async (t) => {
  t.equal(refusal({ origin: 'https://bmc.example.net' }), undefined)
  t.equal(refusal({ origin: 'https://BMC.example.net:443' }), undefined)
  t.equal(refusal({ origin: 'http://proxy' }), undefined)
  t.equal(refusal({ referer: 'http://proxy/bmc/' }), undefined)
  t.equal(refusal({ origin: 'https://proxy' }), 'https://proxy')
})

t.test("without an origin, a browser's Sec-Fetch-Site decides", async (t) => {
  for (const [site, refused] of [
    ['same-origin', undefined],
    ['none', undefined],
    ['cross-site', 'cross-site'],
    ['same-site', 'same-site'],
    ['same-origin, cross-site', 'same-origin, cross-site'],
    ['', '']
  ] as const) {
    t.equal(refusal({ 'sec-fetch-site': site }), refused)
    t.equal(refusal({ 'sec-fetch-site': site, referer: 'https://evil.example/' }), refused, 'before Referer')
    t.equal(refusal({ 'sec-fetch-site': site, origin: 'https://bmc:8443' }), undefined, 'after Origin')
    t.equal(refusal({ 'sec-fetch-site': site, origin: 'null' }), 'null', 'after Origin')
  }
})

t.test('a request of another site is refused before anything else is looked at', async (t) => {
  const service = await openFixture()
  t.teardown(() => service.close())
  const foreign = { host: 'bmc', origin: 'https://evil.example' }
  for (const [method, path] of [
    ['POST', '/redfish/v1/AccountService/Accounts/'],
    ['PATCH', '/redfish/v1/Chassis/1/'],
    ['PUT', '/redfish/v1/Chassis/1/'],
    ['DELETE', '/redfish/v1/nothing/'],
    ['OPTIONS', '/redfish/v1/'],
    ['BREW', '/'],
    ['GET', '/redfish/v1/EventService/SSE'],
    ['GET', '/redfish/v1/eventservice/sse/']
  ] as const) {
    const answer = await service.ask(method, path, undefined, foreign)
    t.equal(answer.status, 403, `${method} ${path}`)
    t.same(keys(answer), ['Mgmt.CrossSiteRequest'])
  }
  const socket = { upgrade: 'websocket', connection: 'Upgrade' }
  const console = await service.ask('GET', '/redfish/v1/Systems/1/SerialConsole', undefined, { ...foreign, ...socket })
  t.equal(console.status, 403)
  t.equal(
    (await service.service.handling.methodUnknown({ method: 'BREW', target: '/', headers: foreign, address: '' }))
      .status,
    403
  )
  const read = await service.ask('GET', '/redfish/v1/Chassis/1/', undefined, { ...as('admin', password), ...foreign })
  t.equal(read.status, 200, 'what changes nothing and lasts no longer than its answer is served')
})

t.test('a body without a type from a browser is not JSON', async (t) => {
  const service = await openFixture()
  t.teardown(() => service.close())
  const body = new TextEncoder().encode(JSON.stringify({ LocationIndicatorActive: true }))
  const send = (headers: Record<string, string>) =>
    service.send('PATCH', '/redfish/v1/Chassis/1/', body, {
      ...{ host: 'bmc', 'content-length': String(body.length) },
      ...as('admin', password),
      ...headers
    })
  for (const [name, value] of [
    ['origin', 'https://bmc'],
    ['sec-fetch-site', 'same-origin'],
    ['referer', 'https://bmc/page/']
  ] as const) {
    const answer = await send({ [name]: value })
    t.equal(answer.status, 415, name)
    t.same(keys(answer), ['Mgmt.UnsupportedMediaType'])
    t.equal((await send({ [name]: value, 'content-type': 'application/json' })).status, 200, name)
  }
  t.equal((await send({})).status, 200)
})
