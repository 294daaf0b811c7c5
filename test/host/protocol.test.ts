import { links } from './links.ts'
import { messagesOf } from './messages-of.ts'
import { onEveryHostAndBoard } from './on-boards.ts'
import { partsOf } from './parts.ts'
import { head } from './raw.ts'
import { admin, anonymous, basic, type Json } from './server.ts'

onEveryHostAndBoard(async (t, board) => {
  const server = await board.start(t)
  const { chassis, system } = await partsOf(server)

  t.test('every answer has the headers of the protocol', async (t) => {
    const get = await server.get(chassis)
    t.match(get.headers, {
      'odata-version': '4.0',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/json;charset=utf-8',
      allow: 'GET, HEAD, PATCH',
      etag: /^W\/"[0-9a-f]+"$/,
      link: /^<\/redfish\/v1\/SchemaStore\/en\/Chassis\.v\d+_\d+_\d+\.json\/>; rel=describedby$/
    })
    t.equal(get.headers.etag, get.json['@odata.etag'])
    t.equal(get.json['@odata.id'], chassis)
    t.match(get.json['@odata.type'], /^#Chassis\.v\d+_\d+_\d+\.Chassis$/)
    const patch = await server.patch(chassis, { LocationIndicatorActive: false })
    t.match(patch.headers, { 'odata-version': '4.0', 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
  })

  t.test('a body of text ends with a newline, so that answers in a terminal do not run together', async (t) => {
    for (const path of [
      chassis,
      chassis, // from the cache
      `${chassis}?$select=Name`,
      '/redfish',
      '/redfish/v1/Chassis/nowhere/',
      '/redfish/v1/AccountService/PrivilegeMap/',
      '/redfish/v1/RegistryStore/registries/en/Base.json',
      '/redfish/v1/SchemaStore/en/Chassis.v1_22_0.json/',
      '/redfish/v1/$metadata',
      '/redfish/v1/openapi.yaml'
    ]) {
      const { text } = await server.get(path)
      t.match(text, /[^\n]\n$/, path)
    }
    t.match((await server.patch(chassis, { LocationIndicatorActive: false })).text, /^{.+}\n$/)
    t.match((await server.patch(chassis, { LocationIndicatorActive: 1 })).text, /^{.+}\n$/)
  })

  t.test('HEAD is GET without the body', async (t) => {
    for (const path of [chassis, '/redfish/v1/', '/redfish/v1/$metadata', '/redfish/v1/Chassis/nowhere/']) {
      const get = await server.get(path)
      const head = await server.request('HEAD', path)
      t.equal(head.status, get.status, path)
      t.equal(head.text, '')
      // A client may close its connection after a HEAD, as this one does.
      const [ofGet, ofHead] = [get, head].map(({ headers }) => {
        const { date: _, connection: __, 'keep-alive': ___, etag, ...rest } = headers
        // The root shows the time, which the last 16 digits of its tag stand for.
        return { ...rest, etag: path === '/redfish/v1/' ? String(etag).slice(0, -17) : etag }
      })
      t.same(ofHead, ofGet, path)
    }
  })

  t.test('a path without its slash is redirected to the one with it', async (t) => {
    const unslashed = chassis.slice(0, -1)
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await server.request(method, `${unslashed}?$select=Name`)
      t.equal(status, 308)
      t.equal(headers.location, `${chassis}?$select=Name`)
    }
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const { status, headers } = await server.request(method, unslashed.replace('redfish', 'rest'))
      t.equal(status, 308, method)
      t.equal(headers.location, chassis)
    }
    t.equal((await server.patch(unslashed, { LocationIndicatorActive: false })).status, 200)
  })

  t.test('the fixed part of a path matches in any case, identifiers exactly; links are canonical', async (t) => {
    const { status, json } = await server.get('/REDFISH/V1/accountservice/accounts/Admin/')
    t.equal(status, 404)
    t.ok(json.error)
    const answer = await server.get('/Redfish/v1/ACCOUNTSERVICE/accounts/admin/')
    t.equal(answer.status, 200)
    t.equal(answer.json['@odata.id'], '/redfish/v1/AccountService/Accounts/admin/')
  })

  t.test('an entity tag that still holds is 304, without a body', async (t) => {
    const { headers } = await server.get(chassis)
    const etag = String(headers.etag)
    for (const value of [etag, `W/"0", ${etag}`, etag.slice(2), '*']) {
      const answer = await server.get(chassis, { ...admin, 'if-none-match': value })
      t.equal(answer.status, 304, value)
      t.equal(answer.text, '')
      t.equal(answer.headers.etag, etag)
    }
    t.equal((await server.get(chassis, { ...admin, 'if-none-match': 'W/"0"' })).status, 200)
  })

  t.test('a change moves the entity tag, and If-Match guards against changes by others', async (t) => {
    const before = String((await server.get(chassis)).headers.etag)
    const { LocationIndicatorActive: lit } = (await server.get(chassis)).json
    const change = (ifMatch: string) =>
      server.patch(chassis, { LocationIndicatorActive: !lit }, { ...admin, 'if-match': ifMatch })
    for (const stale of ['W/"0"', '"', 'W/', '']) {
      const answer = await change(stale)
      t.equal(answer.status, 412, stale)
      t.same(messagesOf(answer), ['Base.PreconditionFailed()'])
    }
    t.equal((await server.get(chassis)).headers.etag, before)
    t.equal((await change(before)).status, 200)
    const after = String((await server.get(chassis)).headers.etag)
    t.not(after, before)
    t.equal((await change(before)).status, 412)
    for (const holds of [after, '*']) t.equal((await change(holds)).status, 200, holds)
  })

  t.test('a tag without its W/ or its quotes, or in a list, holds as well', async (t) => {
    for (const form of [
      (etag: string) => etag.slice(2),
      (etag: string) => etag.slice(3, -1),
      (etag: string) => `W/"0", ${etag}`
    ]) {
      const { headers, json } = await server.get(chassis)
      const tag = form(String(headers.etag))
      const answer = await server.patch(
        chassis,
        { LocationIndicatorActive: !json.LocationIndicatorActive },
        { ...admin, 'if-match': tag }
      )
      t.equal(answer.status, 200, tag)
    }
  })

  t.test('each malformed request has the status for its fault', async (t) => {
    for (const [status, message, method, path, headers, body] of [
      [404, 'Base.ResourceMissingAtURI(/redfish/v1/Chassis/nowhere/)', 'GET', '/redfish/v1/Chassis/nowhere/', {}],
      [404, 'Base.ResourceMissingAtURI(/redfish/v1/nowhere/)', 'GET', '/redfish/v1/nowhere/', {}],
      [405, 'Base.OperationNotAllowed()', 'DELETE', chassis, {}],
      [405, 'Base.OperationNotAllowed()', 'POST', '/redfish/v1/', {}, {}],
      [406, undefined, 'GET', chassis, { accept: 'text/html' }],
      [415, undefined, 'PATCH', chassis, { 'content-type': 'text/plain' }, '{"LocationIndicatorActive":true}'],
      [415, undefined, 'PATCH', chassis, { 'content-type': 'application/json;charset=utf-16' }, '{}'],
      [501, undefined, 'LOCK', chassis, {}],
      [501, undefined, 'GET', `${chassis}?$orderby=Name`, {}],
      [400, undefined, 'GET', '/redfish/v1/Chassis/?$top=-1', {}],
      [400, undefined, 'GET', '/redfish/v1/Chassis/?$filter=Name', {}],
      [400, undefined, 'GET', `${chassis}?only`, {}],
      [400, undefined, 'GET', '/redfish/v1/Chassis/?only=1', {}],
      [400, undefined, 'PATCH', `${chassis}?$select=Name`, {}, { LocationIndicatorActive: true }]
    ] as const) {
      const answer = await server.request(method, path, { ...admin, ...headers }, body)
      t.equal(answer.status, status, `${method} ${path} ${JSON.stringify(headers)}`)
      t.ok(messagesOf(answer).length === 1, answer.text)
      if (message) t.same(messagesOf(answer), [message])
      if (status === 405) t.ok(answer.headers.allow, 'a 405 says what is allowed')
    }
  })

  t.test('an unknown method is 501 for who is logged in, and 401 for all others', async (t) => {
    const { token } = await server.login()
    const wrong = basic('admin', 'wrong').authorization
    for (const [credentials, status] of [
      [`Authorization: ${admin.authorization}\r\n`, 501],
      [`x-auth-token:${token['x-auth-token']} \r\n`, 501],
      ['', 401],
      [`Authorization: ${wrong}\r\n`, 401],
      ['X-Auth-Token: none\r\n', 401],
      [`Authorization : ${admin.authorization}\r\n`, 401],
      [`Authorization: ${admin.authorization}\r\nAuthorization: ${admin.authorization}\r\n`, 401]
    ] as const) {
      const client = await server.connect()
      client.write(`BREW ${chassis} HTTP/1.1\r\nHost: bmc\r\n${credentials}\r\n`)
      const answer = await client.response()
      t.equal(answer?.status, status, credentials)
      await client.closed
    }
  })

  t.test('an unknown method behind a request has no login of that request', async (t) => {
    const client = await server.connect()
    client.write(head('GET', chassis, `Authorization: ${admin.authorization}\r\n`) + head('BREW', chassis, ''))
    const answers = await client.responses()
    t.equal(answers[0]?.status, 200)
    t.ok(answers.length === 1 || answers[1]?.status === 401)
  })

  t.test('each supported Accept and OData-Version header is 200', async (t) => {
    for (const headers of [
      { accept: '*/*' },
      { accept: 'text/html, application/*;q=0.5' },
      { accept: 'application/json;odata.metadata=minimal' },
      { 'odata-version': '4.0' },
      { 'odata-version': '3.0' }
    ]) {
      t.equal((await server.get(chassis, { ...admin, ...headers })).status, 200, JSON.stringify(headers))
    }
    for (const type of ['application/json; charset=UTF-8', 'Application/JSON', 'application/json;charset="utf-8"']) {
      const answer = await server.patch(chassis, '{"LocationIndicatorActive":true}', { ...admin, 'content-type': type })
      t.equal(answer.status, 200, type)
    }
    const client = await server.connect()
    const body = '{"LocationIndicatorActive":true}'
    client.write(
      `PATCH ${chassis} HTTP/1.1\r\nHost: bmc\r\nAuthorization: ${admin.authorization}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    )
    t.equal((await client.response())?.status, 200, 'a body without a type is JSON')
    client.close()
  })

  t.test('a target may have several slashes, or name the server', async (t) => {
    for (const target of [chassis.replace(/\/(redfish|[^/]+\/$)/g, '//$1'), `https://bmc:443${chassis}`]) {
      const client = await server.connect()
      client.write(`GET ${target} HTTP/1.1\r\nHost: bmc\r\nAuthorization: ${admin.authorization}\r\n\r\n`)
      const answer = await client.response()
      t.equal(answer?.status, 200, target)
      t.equal(JSON.parse(String(answer?.body))['@odata.id'], chassis)
      client.close()
    }
  })

  t.test('a request without a proper Host is 400', async (t) => {
    for (const [host, status] of [
      ['Host: bmc.example:8443\r\n', 200],
      ['Host: [fe80::1]:443\r\n', 200],
      ['Host: 192.0.2.7\r\n', 200],
      ['Host:\r\n', 200],
      ['', 400],
      ['Host: two words\r\n', 400],
      ['Host: bmc/redfish\r\n', 400],
      ['Host: user@bmc\r\n', 400],
      ['Host: bmc:port\r\n', 400],
      ['Host: bmc\r\nHost: bmc\r\n', 400]
    ]) {
      const client = await server.connect()
      client.write(`GET /redfish/v1/ HTTP/1.1\r\n${host}\r\n`)
      t.equal((await client.response())?.status, status, String(host))
      client.close()
    }
  })

  t.test('If-Match of an action is compared with the resource that owns it', async (t) => {
    const { headers } = await server.get(system)
    const nmi = (tag: string) =>
      server.post(`${system}Actions/ComputerSystem.Reset`, { ResetType: 'Nmi' }, { ...admin, 'if-match': tag })
    t.equal((await nmi(String(headers.etag))).status, 200)
    t.equal((await nmi('W/"0"')).status, 412)
  })

  t.test('only answers as the sole member does, and an expanded answer has a tag of all that it shows', async (t) => {
    const member = await server.get(system)
    const sole = await server.get('/redfish/v1/Systems/?only')
    t.equal(sole.text, member.text)
    t.equal(sole.headers.etag, member.headers.etag)
    t.equal(sole.headers.allow, member.headers.allow)
    const before = await server.get('/redfish/v1/Systems/?$expand=.')
    t.equal(before.json['@odata.etag'], before.headers.etag)
    await server.patch(system, { AssetTag: 'seen' })
    const known = { ...admin, 'if-none-match': String(before.headers.etag) }
    t.equal((await server.get('/redfish/v1/Systems/?$expand=.', known)).status, 200)
  })

  t.test('the service root expands for who has credentials', async (t) => {
    t.ok((await server.get('/redfish/v1/?$expand=.')).json.Systems.Members)
    t.notOk((await server.get('/redfish/v1/?$expand=.', anonymous)).json.Systems.Members)
  })

  t.test('$select gives the properties named and the control information', async (t) => {
    const { json } = await server.get(`${system}?$select=Boot/BootSourceOverrideTarget,Id`)
    const names = Object.keys(json).filter((name) => !name.startsWith('@odata.'))
    t.same(names.sort(), ['Boot', 'Id'])
    t.same(
      Object.keys(json.Boot).filter((name) => !name.includes('@')),
      ['BootSourceOverrideTarget']
    )
    t.match(json, { '@odata.id': system, '@odata.type': /^#ComputerSystem/, '@odata.etag': /^W/ })
  })

  t.test('$expand puts the resources in place of links', async (t) => {
    const { json } = await server.get('/redfish/v1/Chassis/?$expand=.($levels=1)')
    t.equal(json.Members.length, json['Members@odata.count'])
    t.ok(json.Members.every((member: Json) => member.ChassisType))
  })

  t.test('$filter, $top, $skip and $count work on a collection', async (t) => {
    const all = (await server.get('/redfish/v1/Chassis/')).json
    t.ok(all['Members@odata.count'] > 1)
    const last = all.Members.at(-1)
    const { Id } = (await server.get(last['@odata.id'])).json
    const filtered = (await server.get(`/redfish/v1/Chassis/?$filter=Id%20eq%20'${Id}'`)).json
    t.same(filtered.Members, [last])
    t.equal(filtered['Members@odata.count'], 1)
    t.same((await server.get('/redfish/v1/Chassis/?$top=1')).json.Members, all.Members.slice(0, 1))
    t.same((await server.get('/redfish/v1/Chassis/?$skip=1')).json.Members, all.Members.slice(1))
  })

  t.test('`only` gives the one member of a collection', async (t) => {
    t.equal((await server.get('/redfish/v1/Systems/?only')).json['@odata.id'], system)
    t.equal((await server.get('/redfish/v1/Chassis/?only')).json['@odata.id'], '/redfish/v1/Chassis/')
  })

  t.test('an option without $ is ignored', async (t) => {
    t.equal((await server.get(`${chassis}?colour=blue`)).text, (await server.get(chassis)).text)
  })

  t.test('every link from the root leads to a resource that says the same of itself', async (t) => {
    const seen = new Set<string>()
    const next = ['/redfish/v1/']
    for (let path = next.pop(); path; path = next.pop()) {
      if (seen.has(path)) continue
      seen.add(path)
      const answer = await server.get(path, { ...admin, 'accept-encoding': 'gzip' })
      t.equal(answer.status, 200, path)
      // A compressed answer is a file.
      if (!answer.headers['content-encoding']) t.equal(answer.json['@odata.id'], path)
      for (const link of links(answer.json)) next.push(link)
    }
    t.ok(seen.size > 30, `${seen.size} resources`)
  })

  t.test('nothing of it needs more than the root said to anybody', async (t) => {
    const { json } = await server.get('/redfish/v1/', anonymous)
    t.match(json, {
      RedfishVersion: /^1\.\d+\.\d+$/,
      Links: { Sessions: { '@odata.id': '/redfish/v1/SessionService/Sessions/' } },
      ProtocolFeaturesSupported: { SelectQuery: true, FilterQuery: true, OnlyMemberQuery: true }
    })
  })
})
