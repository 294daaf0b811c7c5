import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { head, type RawResponse, toPort } from './raw.ts'
import { admin, anonymous, type Server, start } from './server.ts'

const chassis = '/redfish/v1/Chassis/1/'
const authorization = `Authorization: ${admin.authorization}\r\n`
const json = 'Content-Type: application/json\r\n'
const good = '{"LocationIndicatorActive":true}'

onBothHosts(async (t, host) => {
  const configuration = { limits: { requestTime: 2, handshakeTime: 2 } }
  const server = await start(t, host, { configuration })

  t.test('the URI of HTTP boot is one of HTTP without brackets, of a length that firmware takes', async (t) => {
    const long = `https://boot.example/${'x'.repeat(10_000)}`
    for (const uri of ['', 'ftp://boot.example/', 'https://', 'https://boot.example/(7)', 'https://b/ x', long]) {
      const answer = await server.patch('/redfish/v1/Systems/1/', JSON.stringify({ Boot: { HttpBootUri: uri } }))
      t.equal(answer.status, 400, uri.slice(0, 40))
    }
    t.equal((await server.get('/redfish/v1/Systems/1/')).json.Boot.HttpBootUri, null)
  })

  t.test('bodies', async (t) => {
    for (const [what, body, status, message] of [
      ['malformed JSON', '{"LocationIndicatorActive":tru}', 400, 'Base.MalformedJSON()'],
      ['JSON that ends too early', '{"LocationIndicatorActive":', 400, 'Base.MalformedJSON()'],
      ['JSON with more behind it', `${good}x`, 400, 'Base.MalformedJSON()'],
      [
        'invalid UTF-8',
        Buffer.from([...Buffer.from('{"Colour":"'), 0xc3, 0x28, 0x22, 0x7d]),
        400,
        'Base.MalformedJSON()'
      ],
      ['a NUL byte', '{"Colour":"\0"}', 400, 'Base.MalformedJSON()'],
      ['an array 5,000 deep', `{"Colour":${'['.repeat(5000)}${']'.repeat(5000)}}`, 400, undefined],
      ['an object 5,000 deep', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, 400, undefined],
      ['5,000 values', `{"Colour":[${'1,'.repeat(5000)}1]}`, 400, undefined],
      ['a body of 2 MiB', `{"Colour":"${'x'.repeat(2 ** 21)}"}`, 413, 'Base.PayloadTooLarge()'],
      [
        '__proto__ as a property',
        '{"__proto__":{"LocationIndicatorActive":true}}',
        400,
        'Base.PropertyUnknown(__proto__)'
      ],
      ['constructor as a property', '{"constructor":1}', 400, 'Base.PropertyUnknown(constructor)'],
      ['a number that is too big', '{"LocationIndicatorActive":1e999}', 400, undefined],
      ['a property unknown', '{"Colour":"blue"}', 400, 'Base.PropertyUnknown(Colour)'],
      ['a property that is read-only', '{"SerialNumber":"7"}', 400, 'Base.PropertyNotWritable(SerialNumber)'],
      ['a value of the wrong type', '{"LocationIndicatorActive":{}}', 400, undefined],
      ['a place of 10,000 characters', `{"Location":{"Placement":{"Rack":"${'x'.repeat(10_000)}"}}}`, 400, undefined],
      ['a unit below the rack', '{"Location":{"Placement":{"RackOffset":-1}}}', 400, undefined],
      ['a place with what is unknown', '{"Location":{"Room":"7"}}', 400, 'Base.PropertyUnknown(Room)'],
      ['null for a property without null', '{"LocationIndicatorActive":null}', 400, undefined]
    ] as const) {
      t.test(`${what} is refused`, async (t) => {
        const answer = await server.patch(chassis, body)
        t.equal(answer.status, status)
        t.equal(messagesOf(answer).length, 1, answer.text.slice(0, 300))
        if (message) t.same(messagesOf(answer), [message])
        await goesOn(t, server)
      })
    }

    t.test('before a login a body of 5,000 bytes is too large already', async (t) => {
      const body = { UserName: 'admin', Password: 'x'.repeat(5000) }
      const answer = await server.post('/redfish/v1/SessionService/Sessions', body, anonymous)
      t.equal(answer.status, 413)
    })
  })

  t.test('heads', async (t) => {
    for (const [what, bytes, status] of [
      ['of 9 KiB', head('GET', chassis, `${authorization}X-Long: ${'x'.repeat(9216)}\r\n`), 431],
      ['with a path of 9 KiB', head('GET', `/redfish/v1/${'x'.repeat(9216)}`, authorization), 431],
      ['with 2,000 fields', head('GET', chassis, `${authorization}${'X: y\r\n'.repeat(2000)}`), 431],
      ['with two hosts', head('GET', chassis, `${authorization}Host: other\r\n`), 400],
      ['without a host', `GET ${chassis} HTTP/1.1\r\n${authorization}\r\n`, 400],
      ['with a NUL byte', head('GET', chassis, `${authorization}X: a\0b\r\n`), 400],
      ['with a control character', head('GET', chassis, `${authorization}X: a\x01b\r\n`), 400],
      ['with a bare carriage return', head('GET', chassis, `${authorization}X: a\rb\r\n`), 400],
      ['with a blank before the colon', head('GET', chassis, `${authorization}X : y\r\n`), 400],
      ['with a NUL byte in the path', head('GET', '/redfish/v1/\0/', authorization), 400],
      ['of HTTP/2.0', `GET ${chassis} HTTP/2.0\r\nHost: bmc\r\n\r\n`, /400|505/],
      ['of HTTP/1.9', `GET ${chassis} HTTP/1.9\r\nHost: bmc\r\n\r\n`, /400|505/],
      ['of HTTP/0.9', 'GET /redfish/v1/\r\n\r\n', /400|505/],
      [
        'with a Content-Length that is no number',
        head('PATCH', chassis, `${authorization}${json}Content-Length: 3x\r\n`),
        400
      ],
      ['with a negative Content-Length', head('PATCH', chassis, `${authorization}${json}Content-Length: -3\r\n`), 400],
      [
        'with a Content-Length of 30 digits',
        head('PATCH', chassis, `${authorization}${json}Content-Length: ${'9'.repeat(30)}\r\n`),
        400
      ],
      [
        'with two Content-Lengths',
        head('PATCH', chassis, `${authorization}${json}Content-Length: 32\r\nContent-Length: 31\r\n`) + good,
        400
      ],
      [
        'with the same Content-Length twice',
        head('PATCH', chassis, `${authorization}${json}Content-Length: 32\r\nContent-Length: 32\r\n`) + good,
        400
      ],
      [
        'with Content-Length and Transfer-Encoding',
        `${head('PATCH', chassis, `${authorization}${json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`)}0\r\n\r\n`,
        400
      ],
      [
        'with an unknown Transfer-Encoding',
        `${head('PATCH', chassis, `${authorization}${json}Transfer-Encoding: brotli\r\n`)}x`,
        400
      ],
      [
        'with a chunk size that is no number',
        `${head('PATCH', chassis, `${authorization}${json}Transfer-Encoding: chunked\r\n`)}zz\r\n`,
        400
      ]
    ] as const) {
      t.test(`a head ${what} gets ${String(status)} and a closed connection`, async (t) => {
        t.match(await exchange(server, bytes), [{ status }])
        await goesOn(t, server)
      })
    }

    t.test('bytes after a body that is too long are not read as a request', async (t) => {
      const smuggled = head('PATCH', chassis, `${authorization}${json}Content-Length: 5\r\n`) + good
      await server.patch(chassis, { LocationIndicatorActive: false })
      const answers = await exchange(server, smuggled)
      t.ok(answers.length > 0 && answers.length <= 2, `${answers.length} answers`)
      for (const { status } of answers) t.ok(status === 400 || status === 401, String(status))
      t.equal((await server.get(chassis)).json.LocationIndicatorActive, false)
      await goesOn(t, server)
    })

    for (const [what, bytes] of [
      [
        'a body shorter than its Content-Length',
        head('PATCH', chassis, `${authorization}${json}Content-Length: 99\r\n`) + good
      ],
      [
        'a chunked body cut short',
        `${head('PATCH', chassis, `${authorization}${json}Transfer-Encoding: chunked\r\n`)}20\r\n{"Loc`
      ]
    ] as const) {
      t.test(`${what} is not carried out`, async (t) => {
        await server.patch(chassis, { LocationIndicatorActive: false })
        const client = await server.connect()
        client.write(bytes)
        client.socket.end()
        for (const { status } of await client.responses()) t.ok(status === 400 || status === 408, String(status))
        t.equal((await server.get(chassis)).json.LocationIndicatorActive, false)
      })
    }
  })

  t.test('paths', async (t) => {
    for (const path of [
      '/redfish/v1/Chassis/%2e%2e/Systems/1/',
      '/redfish/v1/Chassis/../Systems/1/',
      '/redfish/v1/%2e%2e/%2e%2e/etc/passwd/',
      '/redfish/v1/SchemaStore/en/%2e%2e%2f%2e%2e%2fpackage.json/',
      '/redfish/v1//Chassis//nowhere/',
      '//etc/passwd/',
      '//redfish//v2/',
      '/redfish/v1/Chassis/%00/',
      '/redfish/v1/Chassis/1%00/',
      '/redfish/v1/Chassis/%/',
      '/redfish/v1/Chassis/%zz/',
      '/redfish/v1/Chassis/%ff%fe/',
      '/redfish/v1/Chassis/__proto__/',
      '/redfish/v1/Chassis/constructor/',
      '/redfish/v1/AccountService/Accounts/toString/',
      '/redfish/v1/AccountService/Accounts/ad%2Fmin/',
      `/redfish/v1/Chassis/${'x'.repeat(5000)}/`,
      `/redfish/v1/Chassis/${'%41'.repeat(1600)}/`
    ]) {
      t.test(`${path.slice(0, 60)} is no resource`, async (t) => {
        const [answer] = await exchange(server, head('GET', path, `${authorization}Connection: close\r\n`))
        t.ok(answer?.status === 404 || answer?.status === 400, String(answer?.status))
        t.equal(messagesOf({ json: JSON.parse(String(answer?.body)) }).length, 1)
        const [stranger] = await exchange(server, head('GET', path, 'Connection: close\r\n'))
        t.ok(stranger?.status === 401 || stranger?.status === answer?.status, String(stranger?.status))
      })
    }

    for (const query of ['$filter=((((', '$select=,', '$expand=.($levels=99)', '$top=1e9', '%', '$filter=%00']) {
      t.test(`?${query} is refused`, async (t) => {
        const answer = await server.get(`/redfish/v1/Chassis/?${query}`)
        t.ok(answer.status === 400, String(answer.status))
        t.match(messagesOf(answer), [/^Base\.Query/])
      })
    }

    t.test('a filter nested 2,000 deep is refused', async (t) => {
      const filter = `${'('.repeat(2000)}Name%20eq%20'x'${')'.repeat(2000)}`
      t.equal((await server.get(`/redfish/v1/Chassis/?$filter=${filter}`)).status, 400)
      await goesOn(t, server)
    })
  })

  t.test('a client that does not speak TLS has its connection closed', async (t) => {
    for (const garbage of [
      randomBytes(512),
      Buffer.alloc(512),
      Buffer.from('GET / HTTP/1.1\r\nHost: bmc\r\n\r\n'),
      Buffer.concat([Buffer.from([0x16, 3, 1, 0x40, 0]), randomBytes(0x4000)]),
      Buffer.concat([Buffer.from([0x16, 3, 1, 0, 64, 1, 0, 0, 60]), randomBytes(60)])
    ]) {
      const received = await toPort(server.port, garbage)
      t.notMatch(received.toString('latin1'), /HTTP\/1/)
    }
    await goesOn(t, server)
  })
})

/** The answer to these bytes until the connection is closed. */
async function exchange(server: Server, bytes: string): Promise<RawResponse[]> {
  const client = await server.connect()
  client.write(Buffer.from(bytes, 'latin1'))
  return client.responses()
}

async function goesOn(t: Test, server: Server): Promise<void> {
  t.equal((await server.get(chassis)).status, 200, 'the service goes on')
}
