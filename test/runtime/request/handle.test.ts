import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { sleep } from '#runtime/base/sleep.ts'
import { as, type Fixture, keys, openFixture, password } from '#test/runtime/service.ts'

let service: Fixture
t.before(async () => {
  service = await openFixture()
})
t.teardown(() => service.close())

const anonymous = {}

t.test('only public resources are served without authentication', async (t) => {
  for (const path of ['/redfish', '/redfish/v1', '/redfish/v1/', '/redfish/v1/odata', '/redfish/v1/$metadata']) {
    t.equal((await service.ask('GET', path, undefined, anonymous)).status, 200, path)
  }
  t.equal((await service.ask('GET', '/redfish', undefined, anonymous)).text, '{"v1":"/redfish/v1/"}\n')
  for (const path of ['/redfish/v1/Chassis', '/redfish/v1/Chassis/', '/redfish/v1/nothing', '/rest/v1/Chassis']) {
    const answer = await service.ask('GET', path, undefined, anonymous)
    t.equal(answer.status, 401, path)
    t.same(keys(answer), ['Base.NoValidSession'])
    t.match(answer.headers['www-authenticate'], /^Basic realm=/)
  }
  t.equal((await service.ask('DELETE', '/redfish/v1/', undefined, anonymous)).status, 401, 'before 405')
  t.equal((await service.ask('BREW', '/redfish/v1/Chassis/', undefined, anonymous)).status, 401, 'before 501')
})

t.test('malformed credentials of every kind are 401', async (t) => {
  for (const authorization of [
    '',
    'Basic',
    'Basic %%%',
    'Basic YWRtaW4=',
    'Bearer x',
    `Basic ${btoa('\xff:x')}`,
    'Basic Og=='
  ]) {
    t.equal((await service.ask('GET', '/redfish/v1/Chassis/', undefined, { authorization })).status, 401, authorization)
  }
  t.equal((await service.ask('GET', '/redfish/v1/Chassis/', undefined, { 'x-auth-token': 'guess' })).status, 401)
})

t.test('a wrong password is 401 with the challenge of HTTP Basic', async (t) => {
  const { status, headers } = await service.ask('GET', '/redfish/v1/Chassis/', undefined, as('admin', 'wrong'))
  t.equal(status, 401)
  t.match(headers['www-authenticate'], /^Basic realm=/)
})

t.test('a missing trailing slash redirects a read and not a write', async (t) => {
  const read = await service.ask('GET', '/redfish/v1/Chassis?$top=1')
  t.equal(read.status, 308)
  t.equal(read.headers.location, '/redfish/v1/Chassis/?$top=1')
  t.equal((await service.ask('GET', '/redfish/v1/nothing')).status, 308, 'whether there is something or not')
  t.equal((await service.ask('PATCH', '/redfish/v1/Chassis/1', { LocationIndicatorActive: true })).status, 200)
  const legacy = await service.ask('POST', '/rest/v1/SessionService/Sessions')
  t.equal(legacy.status, 308)
  t.equal(legacy.headers.location, '/redfish/v1/SessionService/Sessions/')
})

t.test('the fixed part of a path matches in any case, an identifier exactly, and links are canonical', async (t) => {
  const answer = await service.ask('GET', '/REDFISH/v1/chassis/enclosurechassis/')
  t.equal(answer.json['@odata.id'], '/redfish/v1/Chassis/enclosurechassis/')
  t.equal((await service.ask('GET', '/redfish/v1/Chassis/ENCLOSUREchassis/')).status, 404)
})

t.test('paths that lead nowhere are 404, however they are written', async (t) => {
  const paths = ['/redfish/v1/x/', '/redfish/v1/Chassis/%2e%2e/', '/redfish/v1/Chassis/%zz/']
  for (const path of [...paths, `/redfish/v1/Chassis/${'a'.repeat(5000)}/`, '/redfish/v1/Chassis/1%2F/', '/x/']) {
    const answer = await service.ask('GET', path)
    t.equal(answer.status, 404, path.slice(0, 60))
    t.same(keys(answer), ['Base.ResourceMissingAtURI'])
  }
})

t.test('a host may repeat that a path leads nowhere, and no other failure', async (t) => {
  const lasting = async (method: string, target: string) => {
    const request = { method, target, headers: as('admin', password), address: '127.0.0.1' }
    return (await service.service.handling.handle(request)).lasting
  }
  t.equal(await lasting('GET', '/redfish/v1/x/'), '/redfish/v1/x/')
  t.equal(await lasting('HEAD', '/redfish/v1/x/'), '/redfish/v1/x/')
  t.equal(await lasting('DELETE', '/redfish/v1/x/'), undefined)
  t.equal(await lasting('GET', '/redfish/v1/Chassis/17/'), undefined, 'there may be such a chassis later')
})

t.test('several slashes count as one', async (t) => {
  for (const path of ['//redfish/v1/Chassis/1/', '/redfish///v1//Chassis/1//']) {
    t.equal((await service.ask('GET', path)).json['@odata.id'], '/redfish/v1/Chassis/1/', path)
  }
  const redirect = await service.ask('GET', '//redfish/v1//Chassis?x=//')
  t.equal(redirect.headers.location, '/redfish/v1/Chassis/?x=//')
})

t.test('a method that a resource does not have is 405 with Allow; an unknown method is 501', async (t) => {
  const answer = await service.ask('DELETE', '/redfish/v1/Chassis/1/')
  t.equal(answer.status, 405)
  t.equal(answer.headers.allow, 'GET, HEAD, PATCH')
  t.same(keys(answer), ['Base.OperationNotAllowed'])
  const unknown = await service.ask(`BREW${'!'.repeat(99)}`, '/redfish/v1/Chassis/1/')
  t.equal(unknown.status, 501)
  t.same(unknown.json.error['@Message.ExtendedInfo'][0].MessageArgs, [`BREW${'!'.repeat(12)}`])
})

t.test('a resource may have fewer methods than others of its template, also as a collection’s /Members', async (t) => {
  const databases = '/redfish/v1/Systems/1/SecureBoot/SecureBootDatabases'
  for (const [path, allow] of [
    [`${databases}/db/Certificates/`, 'GET, HEAD, POST'],
    [`${databases}/dbDefault/Certificates/`, 'GET, HEAD'],
    [`${databases}/db/Certificates/Members/`, 'POST'],
    [`${databases}/dbDefault/Certificates/Members/`, '']
  ] as const) {
    t.equal((await service.ask('DELETE', path)).headers.allow, allow, path)
    t.equal((await service.ask('POST', path, {})).status, allow.endsWith('POST') ? 400 : 405, path)
  }
})

t.test('every answer has the headers of the protocol', async (t) => {
  const answer = await service.ask('GET', '/redfish/v1/Chassis/1/')
  t.match(answer.headers, {
    'odata-version': '4.0',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json;charset=utf-8',
    allow: 'GET, HEAD, PATCH',
    link: '</redfish/v1/SchemaStore/en/Chassis.v1_22_0.json/>; rel=describedby'
  })
  t.equal(answer.headers['content-length'], String(new TextEncoder().encode(answer.text).length))
  const head = await service.ask('HEAD', '/redfish/v1/Chassis/1/')
  t.same({ ...head.headers }, { ...answer.headers }, 'HEAD has them too')
  t.equal(head.text, '')
})

t.test('an entity tag is valid until the resource changes, and is answered with 304', async (t) => {
  const path = '/redfish/v1/Chassis/1/'
  const first = await service.ask('GET', path)
  const tag = first.headers.etag ?? ''
  t.match(tag, /^W\/"[0-9a-f]+"$/)
  t.equal(first.json['@odata.etag'], tag)
  const auth = as('admin', password)
  const unchanged = await service.ask('GET', path, undefined, { ...auth, 'if-none-match': tag })
  t.equal(unchanged.status, 304)
  t.equal(unchanged.text, '')
  t.equal(unchanged.headers['content-length'], undefined, 'the length would be that of the answer with 200')
  await service.ask('PATCH', path, { LocationIndicatorActive: !first.json.LocationIndicatorActive })
  const second = await service.ask('GET', path, undefined, { ...auth, 'if-none-match': tag })
  t.equal(second.status, 200)
  t.not(second.headers.etag, tag)
  t.equal(second.json.LocationIndicatorActive, !first.json.LocationIndicatorActive, 'no stale answer was cached')
})

t.test('a network port that changes by itself takes its cached answer and its entity tag with it', async (t) => {
  const path = '/redfish/v1/Managers/1/EthernetInterfaces/1/'
  const first = await service.ask('GET', path)
  t.match(first.json, { LinkStatus: 'LinkUp', SpeedMbps: 1000, IPv4Addresses: [{ Address: '192.0.2.16' }] })
  service.ports['1-1']?.plug(false)
  const since = { ...as('admin', password), 'if-none-match': first.headers.etag ?? '' }
  const second = await service.ask('GET', path, undefined, since)
  t.equal(second.status, 200)
  t.match(second.json, { LinkStatus: 'LinkDown', SpeedMbps: null })
})

t.test('If-Match compares tags as text, and a mismatch changes nothing', async (t) => {
  const path = '/redfish/v1/Chassis/1/'
  const auth = as('admin', password)
  const now = async () => (await service.ask('GET', path)).headers.etag ?? ''
  for (const form of [
    (tag: string) => tag,
    (tag: string) => tag.slice(2),
    (tag: string) => tag.slice(3, -1),
    () => '*'
  ]) {
    const header = form(await now())
    const answer = await service.ask('PATCH', path, { LocationIndicatorActive: true }, { ...auth, 'if-match': header })
    t.equal(answer.status, 200, header)
  }
  const list = `"x", ${await now()}`
  t.equal(
    (await service.ask('PATCH', path, { LocationIndicatorActive: true }, { ...auth, 'if-match': list })).status,
    200
  )
  for (const header of ['W/"0"', '"', '"a" b c"', '']) {
    const answer = await service.ask('PATCH', path, { LocationIndicatorActive: false }, { ...auth, 'if-match': header })
    t.equal(answer.status, 412, header)
    t.same(keys(answer), ['Base.PreconditionFailed'])
  }
  t.equal((await service.ask('GET', path)).json.LocationIndicatorActive, true)
})

t.test('the tag of a resource without a record of its own still matches when another got the first one', async (t) => {
  const own = await openFixture()
  t.teardown(() => own.close())
  const path = '/redfish/v1/Systems/1/'
  await own.ask('GET', path)
  const reset = `${path}SecureBoot/Actions/SecureBoot.ResetKeys/`
  t.equal((await own.ask('POST', reset, { ResetKeysType: 'ResetAllKeysToDefault' })).status, 200)
  const tag = (await own.ask('GET', path)).headers.etag ?? ''
  const headers = { ...as('admin', password), 'if-match': tag }
  t.equal((await own.ask('PATCH', path, { AssetTag: 'rack 7' }, headers)).status, 200)
})

t.test('of two changes under the same If-Match one is made', async (t) => {
  const path = '/redfish/v1/Systems/1/'
  const tag = (await service.ask('GET', path)).headers.etag ?? ''
  const headers = { ...as('admin', password), 'if-match': tag }
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((AssetTag) => service.ask('PATCH', path, { AssetTag }, headers))
  )
  t.same(answers.map(({ status }) => status).sort(), [200, 412, 412])
})

t.test('an Accept without JSON is 406, and a body of another type 415', async (t) => {
  const auth = as('admin', password)
  for (const path of ['/redfish/v1/Chassis/', '/redfish/v1/Chassis/?$select=Members']) {
    const ask = async (accept: string) => (await service.ask('GET', path, undefined, { ...auth, accept })).status
    t.equal(await ask('text/html'), 406, path)
    t.equal(await ask('application/json'), 200, path)
    t.equal(await ask('text/html'), 406, `${path}, when its answer is cached`)
  }
  for (const accept of [
    '*/*',
    'application/*',
    'text/html, application/json;q=0.5',
    'application/json;charset=utf-8'
  ]) {
    t.equal((await service.ask('GET', '/redfish/v1/Chassis/', undefined, { ...auth, accept })).status, 200, accept)
  }
  const path = '/redfish/v1/Chassis/1/'
  for (const type of ['text/plain', '', 'application/json;charset=latin1']) {
    const answer = await service.ask(
      'PATCH',
      path,
      { LocationIndicatorActive: true },
      { ...auth, 'content-type': type }
    )
    t.equal(answer.status, 415, type)
  }
})

t.test('bytes are sent as they are, and are not cached', async (t) => {
  const { ask, close } = await openFixture()
  t.teardown(close)
  await ask('POST', '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceRestart' })
  const entries = '/redfish/v1/Systems/1/LogServices/PostCodes/Entries/'
  const uris = async () => (await ask('GET', entries)).json.Members.map((each: Entry) => each.AdditionalDataURI)
  while ((await uris()).length === 0) await sleep(5)
  const [uri] = await uris()
  const { status, headers, bytes } = await ask('GET', uri)
  t.equal(status, 200)
  t.match(headers, { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' })
  t.equal(bytes.length, 1)
  t.equal((await ask('HEAD', uri)).bytes.length, 0)
  t.equal((await ask('GET', uri, undefined, { ...as('admin', password), accept: 'application/json' })).status, 406)
})

interface Entry {
  readonly AdditionalDataURI: string
}

t.test('any OData-Version is ignored', async (t) => {
  for (const version of ['4.0', '3.0', '', 'none']) {
    const headers = { ...as('admin', password), 'odata-version': version }
    t.equal((await service.ask('GET', '/redfish/v1/Chassis/1/', undefined, headers)).status, 200, version)
  }
})

t.test('one PATCH names every fault and changes nothing', async (t) => {
  const path = '/redfish/v1/Systems/1/'
  const before = (await service.ask('GET', path)).json
  const answer = await service.ask('PATCH', path, {
    AssetTag: 'new',
    PowerState: 'Off',
    Nonsense: 1,
    Boot: { BootOrder: 'x' }
  })
  t.equal(answer.status, 400)
  t.same(keys(answer).sort(), ['Base.PropertyNotWritable', 'Base.PropertyUnknown', 'Base.PropertyValueTypeError'])
  t.same((await service.ask('GET', path)).json, before)
})

t.test('bodies beyond their limit are 413, smaller before a login', async (t) => {
  const large = JSON.stringify({ UserName: 'a'.repeat(5000), Password: 'x' })
  t.equal((await service.ask('POST', '/redfish/v1/SessionService/Sessions/', large, anonymous)).status, 413)
  const answer = await service.ask('PATCH', '/redfish/v1/Chassis/1/', `{"x":"${'a'.repeat(2 ** 20)}"}`)
  t.equal(answer.status, 413)
  t.same(keys(answer), ['Base.PayloadTooLarge'])
})

t.test('a POST to the /Members of a collection is one to the collection', async (t) => {
  const body = { UserName: 'admin', Password: password }
  const answer = await service.ask('POST', '/redfish/v1/SessionService/Sessions/Members', body, anonymous)
  t.equal(answer.status, 201)
  t.equal((await service.ask('GET', '/redfish/v1/SessionService/Sessions/Members/')).status, 405)
})

t.test('a session token is accepted until the session ends or is idle for too long', async (t) => {
  const sessions = '/redfish/v1/SessionService/Sessions/'
  const login = async () => service.ask('POST', sessions, { UserName: 'admin', Password: password }, anonymous)
  const first = await login()
  t.equal(first.status, 201)
  t.equal(first.headers['cache-control'], 'no-store')
  t.match(first.headers['x-auth-token'], /^[0-9a-f]{32}$/)
  const token = { 'x-auth-token': first.headers['x-auth-token'] ?? '' }
  t.equal((await service.ask('GET', '/redfish/v1/Chassis/', undefined, token)).status, 200)
  const offered = { connection: 'upgrade', 'sec-websocket-protocol': token['x-auth-token'] }
  for (const [upgrade, status] of [
    ['websocket', 200],
    ['h2c', 401]
  ] as const) {
    const headers = { ...offered, upgrade }
    t.equal((await service.ask('GET', '/redfish/v1/Chassis/', undefined, headers)).status, status, upgrade)
  }
  const own = await service.ask('GET', first.headers.location ?? '', undefined, token)
  t.equal(own.json.Oem.Vendor.MySession, true)
  t.equal((await service.ask('GET', first.headers.location ?? '')).json.Oem.Vendor.MySession, false)
  t.equal((await service.ask('DELETE', first.headers.location ?? '', undefined, token)).status, 200)
  t.equal((await service.ask('GET', '/redfish/v1/Chassis/', undefined, token)).status, 401)
  const second = { 'x-auth-token': (await login()).headers['x-auth-token'] ?? '' }
  service.sleep(1799)
  t.equal((await service.ask('GET', '/redfish/v1/Chassis/', undefined, second)).status, 200)
  service.sleep(1799)
  t.equal((await service.ask('GET', '/redfish/v1/Chassis/', undefined, second)).status, 200, 'idle time began anew')
  service.sleep(1800)
  t.equal((await service.ask('GET', '/redfish/v1/Chassis/', undefined, second)).status, 401)
})

t.test('a fault in the body of an action names the action', async (t) => {
  const path = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/'
  const { status, json } = await service.ask('POST', path, { Wrong: 1, ResetType: 'On' })
  t.equal(status, 400)
  t.same(json.error['@Message.ExtendedInfo'][0].MessageArgs, ['ComputerSystem.Reset', 'Wrong'])
})

t.test('files are sent as they are stored, or unpacked for a client that does not take gzip', async (t) => {
  const auth = as('admin', password)
  const path = '/redfish/v1/RegistryStore/registries/en/Base.json'
  const answer = await service.ask('GET', path, undefined, { ...auth, 'accept-encoding': 'gzip' })
  t.equal(answer.headers['content-encoding'], 'gzip')
  t.equal(answer.headers.vary, 'Accept-Encoding')
  for (const [accept, status] of [
    ['application/json', 200],
    ['text/html', 406]
  ] as const) {
    t.equal((await service.ask('GET', path, undefined, { ...auth, accept })).status, status, accept)
  }
  const plain = await service.ask('GET', path)
  t.equal(plain.headers['content-encoding'], undefined)
  t.equal(JSON.parse(plain.text).RegistryPrefix, 'Base')
  t.equal(gunzipSync(answer.bytes).toString(), plain.text)
})

t.test('of many who want a place at once each that there is is taken, and the rest are refused', async (t) => {
  const place = { Destination: 'https://192.0.2.1/' }
  const posts = Array.from({ length: 25 }, () => service.ask('POST', '/redfish/v1/EventService/Subscriptions', place))
  const answers = await Promise.all(posts)
  const statuses = answers.map(({ status }) => status)
  t.same(
    [201, 409].map((status) => statuses.filter((each) => each === status).length),
    [20, 5]
  )
  for (const { status, headers } of answers) if (status === 201) await service.ask('DELETE', headers.location ?? '')
})

t.test('a method that the parser of the host does not know is 501, but 401 without a login', async (t) => {
  const { handling } = service.service
  const answer = async (headers: Record<string, string>) => {
    const { status, body } = await handling.methodUnknown({
      ...{ method: 'PROPFINDANDMUCHMORE', target: '/redfish/v1/', address: '::1' },
      headers
    })
    const [{ MessageId, MessageArgs }] = JSON.parse(Buffer.from(body ?? []).toString()).error['@Message.ExtendedInfo']
    return [status, MessageId.split('.').at(-1), MessageArgs]
  }
  t.same(await answer({}), [401, 'NoValidSession', []])
  t.same(await answer(as('admin', 'wrong')), [401, 'UnauthorizedLoginAttempt', []])
  t.same(await answer(as('admin', password)), [501, 'MethodNotImplemented', ['PROPFINDANDMUCHM']])
  t.equal((await handling.methodUnknown()).status, 401, 'of which the parser did not see all')
})

t.test('each kind of malformed HTTP request has its status and message', async (t) => {
  const { handling } = service.service
  for (const [answered, status, key, retryAfter] of [
    [handling.malformed(400), 400, 'Mgmt.MalformedRequest', undefined],
    [handling.malformed(408), 408, 'Mgmt.RequestTimeout', undefined],
    [handling.malformed(431), 431, 'Base.HeaderTooLong', undefined],
    [handling.malformed(505), 505, 'Mgmt.HTTPVersionNotSupported', undefined],
    [handling.tooLarge(), 413, 'Base.PayloadTooLarge', undefined],
    [handling.noRoom(), 503, 'Base.ServiceTemporarilyUnavailable', '5']
  ] as const) {
    const body = Buffer.from(answered.body ?? []).toString()
    t.equal(answered.status, status)
    t.ok(body.includes(`.${key.split('.')[1]}"`), `${key}: ${body}`)
    const { headers } = answered
    t.equal(headers[headers.indexOf('Retry-After') + 1], retryAfter ?? headers[0], `${status}: Retry-After`)
  }
})

t.test('query options of a change are refused', async (t) => {
  const answer = await service.ask('PATCH', '/redfish/v1/Chassis/1/?$select=Name', { LocationIndicatorActive: true })
  t.same([answer.status, ...keys(answer)], [400, 'Base.QueryNotSupportedOnOperation'])
})

t.test('while the functions of the controller are disabled, only reads are served', async (t) => {
  const { store } = service.service
  await store.commit({ controller: { settings: { disabled: true } } })
  t.teardown(() => store.commit({ controller: { settings: null } }))
  const path = '/redfish/v1/Chassis/1/'
  t.equal((await service.ask('GET', path)).status, 200)
  const answer = await service.ask('PATCH', path, { LocationIndicatorActive: true })
  t.same([answer.status, ...keys(answer)], [503, 'Base.ServiceDisabled'])
  t.same(answer.json.error['@Message.ExtendedInfo'][0].MessageArgs, [path])
})

t.test(
  'an answer lasts for a role that may read the resource, and not for an owner who has to change the password',
  async (t) => {
    const { service: own, ask } = await openFixture()
    t.teardown(() => own.close())
    const accounts = '/redfish/v1/AccountService/Accounts/'
    const eva = { UserName: 'eva', Password: 'Green-Door-4', RoleId: 'ReadOnly', PasswordChangeRequired: true }
    t.equal((await ask('POST', accounts, eva)).status, 201)
    const lasting = async (headers: Record<string, string>) => {
      const request = { method: 'GET', target: `${accounts}eva/`, headers, address: '127.0.0.1' }
      return (await own.handling.handle(request)).lasting
    }
    t.equal(await lasting(as('admin', password)), `${accounts}eva`)
    t.equal(await lasting(as('eva', 'Green-Door-4')), undefined)
  }
)

t.test('a lasting answer is announced when it is good no more', async (t) => {
  const dropped: string[] = []
  const stop = service.service.handling.onDropped((uri) => dropped.push(uri))
  const path = '/redfish/v1/Chassis/1/'
  const change = async (LocationIndicatorActive: boolean) => {
    await service.ask('GET', path)
    await service.ask('PATCH', path, { LocationIndicatorActive })
  }
  await change(true)
  await change(false)
  t.ok(dropped.includes('/redfish/v1/Chassis/1'))
  stop()
  const count = dropped.length
  await change(true)
  t.equal(dropped.length, count)
})

t.test('an unexpected error is InternalError without detail', async (t) => {
  const broken = await openFixture()
  t.teardown(() => broken.close())
  broken.service.hardware.power = () => {
    throw new TypeError('the secret inside')
  }
  const answer = await broken.ask('GET', '/redfish/v1/Systems/1/')
  t.equal(answer.status, 500)
  t.same(keys(answer), ['Base.InternalError'])
  t.notMatch(answer.text, /secret/)
})

t.test('a request for which there is no memory is to be tried again', async (t) => {
  const broken = await openFixture()
  t.teardown(() => broken.close())
  for (const error of [null, new Error('out of memory'), new RangeError('Array buffer allocation failed')]) {
    broken.service.hardware.power = () => {
      throw error
    }
    const answer = await broken.ask('GET', '/redfish/v1/Systems/1/')
    t.match(
      [answer.status, answer.headers['retry-after'], keys(answer)],
      [503, '5', ['Base.ServiceTemporarilyUnavailable']]
    )
  }
})

t.test('a change is tried five times while its records keep changing, and is then 503', async (t) => {
  const commits = t.capture(service.service.store, 'commit', async () => false)
  const answer = await service.ask('PATCH', '/redfish/v1/Chassis/1/', { LocationIndicatorActive: true })
  t.same([answer.status, answer.headers['retry-after']], [503, '1'])
  t.equal(commits().length, 5)
})

t.test('a known client that comes to an HTTPS port on trial keeps it, and no other request does', async (t) => {
  const trial = { before: null, seconds: 3600 }
  const { store, handling } = service.service
  await store.commit({ httpsPort: { settings: { port: 8443, trial } } })
  t.teardown(() => store.commit({ httpsPort: { settings: null } }))
  const target = '/redfish/v1/'
  const ask = async (localPort: number | undefined, headers: Record<string, string>) => {
    await handling.handle({ method: 'GET', target, headers, address: '127.0.0.1', socket: { localPort } })
    return store.get('httpsPort', 'settings')?.trial
  }
  t.same(await ask(8443, {}), trial, 'without credentials')
  t.same(await ask(8443, as('admin', 'wrong')), trial, 'with a wrong password')
  t.same(await ask(443, as('admin', password)), trial, 'over the port before')
  t.same(await ask(undefined, as('admin', password)), trial, 'over no port')
  const kept = new Promise((resolve) => t.teardown(store.on('httpsPort', resolve)))
  await ask(8443, as('admin', password))
  await kept
  t.equal(store.get('httpsPort', 'settings')?.trial, null)
  const { text } = await service.ask('GET', '/redfish/v1/Managers/1/LogServices/EventLog/Entries/')
  t.equal(text.split('.HttpsPortKept"').length, 2, 'it is told once')
})

t.test('an answer is for one request while a network change is on trial', async (t) => {
  const { store, handling } = service.service
  const lasting = async () => {
    const request = { method: 'GET', target: '/redfish/v1/Chassis/1/', headers: as('admin', password) }
    const local = { localAddress: '192.0.2.99', localPort: 443 }
    return (await handling.handle({ ...request, address: '127.0.0.1', socket: local })).lasting
  }
  t.equal(await lasting(), '/redfish/v1/Chassis/1')
  await store.commit({ portTrial: { '1/7': { before: service.ports['1-1']!.state.settings, seconds: 3600 } } })
  t.equal(await lasting(), undefined)
  await store.commit({ portTrial: { '1/7': null } })
  t.equal(await lasting(), '/redfish/v1/Chassis/1')
})

t.test('an arrival hears who sends a request, unless the client is unknown', async (t) => {
  const heard = async (headers: Record<string, string>) => {
    const users: string[] = []
    const head = { method: 'GET', target: '/redfish/v1/Chassis/1/', headers, address: '127.0.0.1' }
    await service.service.handling.begin(head, { identified: ({ user }) => users.push(user) })
    return users
  }
  t.same(await heard(as('admin', password)), ['admin'])
  t.same(await heard(as('admin', 'wrong')), [])
  t.same(await heard({}), [])
})
