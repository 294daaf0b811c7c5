import { constants, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { type ConnectionOptions, connect } from 'node:tls'
import { onEveryHost } from './every-host.ts'
import { Connection, closed } from './raw.ts'
import { admin, type Server, start } from './server.ts'

const head = (path: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: bmc\r\nAuthorization: ${admin.authorization}\r\n${more}\r\n`

onEveryHost(async (t, host) => {
  t.test('TLS', async (t) => {
    const server = await start(t, host)

    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      t.test(`${version} is spoken, and a session of it is resumed`, async (t) => {
        const only: ConnectionOptions = { minVersion: version, maxVersion: version }
        const first = await exchange(server, only)
        t.equal(first.protocol, version)
        t.notOk(first.reused)
        const second = await exchange(server, { ...only, session: first.session })
        t.equal(second.protocol, version)
        t.ok(second.reused)
      })
    }

    t.test('a client that allows a resumption without key exchange (RFC 8446 4.2.9) resumes as well', async (t) => {
      const only: ConnectionOptions = { minVersion: 'TLSv1.3', secureOptions: constants.SSL_OP_ALLOW_NO_DHE_KEX }
      const first = await exchange(server, only)
      t.ok((await exchange(server, { ...only, session: first.session })).reused)
    })

    t.test('TLS 1.2 offers authenticated encryption only', async (t) => {
      for (const [ciphers, taken] of [
        ['ECDHE-ECDSA-AES128-GCM-SHA256', true],
        ['ECDHE-ECDSA-CHACHA20-POLY1305', true],
        ['ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA384:ECDHE-ECDSA-AES128-SHA:AES128-SHA', false]
      ] as const) {
        const options = { port: server.port, host: '127.0.0.1', rejectUnauthorized: false, ciphers }
        const socket = connect({ ...options, maxVersion: 'TLSv1.2' })
        if (taken) await once(socket, 'secureConnect')
        else await t.rejects(once(socket, 'secureConnect'), { code: /^ERR_SSL_|^ECONNRESET$/ })
        socket.destroy()
      }
    })

    t.test('TLS 1.1 is refused', async (t) => {
      const socket = connect({
        port: server.port,
        host: '127.0.0.1',
        rejectUnauthorized: false,
        minVersion: 'TLSv1.1',
        maxVersion: 'TLSv1.1',
        ciphers: 'DEFAULT@SECLEVEL=0'
      })
      await t.rejects(once(socket, 'secureConnect'), { code: /^ERR_SSL_|^ECONNRESET$/ })
    })

    t.test(
      'the first start makes a P-256 key and a certificate with subjectAltName; later starts keep them',
      async (t) => {
        const first = await start(t, host)
        const made = await certificateOf(first.port)
        t.equal(made.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
        t.ok(made.verify(made.publicKey), 'self-signed')
        for (const name of [hostname(), 'localhost']) t.ok(made.checkHost(name), name)
        for (const { address } of Object.values(networkInterfaces()).flatMap((each) => each ?? []))
          t.ok(made.checkIP(address.replace(/%.*/, '')), address)
        const days = (Date.parse(made.validTo) - Date.parse(made.validFrom)) / 86_400_000
        t.ok(days > 365 && days <= 825, `${days} days`)
        t.same(made.keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
        await first.stop()
        const again = await start(t, host, { data: first.data })
        t.equal((await certificateOf(again.port)).fingerprint256, made.fingerprint256)
        t.not((await certificateOf(server.port)).fingerprint256, made.fingerprint256)
      }
    )

    t.test('a client that trusts the certificate accepts the name localhost', async (t) => {
      const ca = (await certificateOf(server.port)).toString()
      const client = await server.connect({ ca, rejectUnauthorized: true, servername: 'localhost' })
      t.ok(client.socket.authorized)
      client.close()
    })
  })

  t.test('HTTP/1.1', async (t) => {
    const server = await start(t, host)

    t.test('a connection carries one request after the other', async (t) => {
      const client = await server.connect()
      for (const path of ['/redfish/v1/', '/redfish/v1/Chassis/1/', '/redfish/v1/']) {
        client.write(head(path))
        t.equal((await client.response())?.status, 200)
      }
      client.close()
    })

    t.test('pipelined requests are answered in order', async (t) => {
      const client = await server.connect()
      const paths = [
        '/redfish/v1/Chassis/1/',
        '/redfish/v1/Systems/1/',
        '/redfish/v1/nothing/',
        '/redfish/v1/Managers/1/'
      ]
      client.write(paths.map((path) => head(path)).join('') + head('/redfish/v1/', 'Connection: close\r\n'))
      const answers = await client.responses()
      t.same(
        answers.map((each) => each.status),
        [200, 200, 404, 200, 200]
      )
      for (const [at, path] of paths.entries()) {
        const { status, body } = answers[at]!
        if (status === 200) t.equal(JSON.parse(body.toString())['@odata.id'], path)
      }
    })

    t.test('a request that arrives byte by byte is served', async (t) => {
      const client = await server.connect()
      for (const byte of head('/redfish/v1/')) client.write(byte)
      t.equal((await client.response())?.status, 200)
      client.close()
    })

    t.test('an answer is one TLS record, so that nothing waits for an acknowledgement', async (t) => {
      const client = await server.connect()
      let pieces = 0
      client.socket.on('data', () => pieces++)
      for (let n = 1; n <= 3; n++) {
        client.write(head('/redfish/v1/Chassis/1/'))
        await client.response()
        t.equal(pieces, n)
      }
      client.close()
    })

    t.test('`Connection: close` closes after the answer', async (t) => {
      const client = await server.connect()
      client.write(head('/redfish/v1/', 'Connection: close\r\n'))
      const answers = await client.responses()
      t.equal(answers.length, 1)
      t.equal(answers[0]?.headers.connection, 'close')
    })

    t.test('a client that waits for `100 Continue` gets it', async (t) => {
      const client = await server.connect()
      const body = '{"LocationIndicatorActive":false}'
      client.write(
        `PATCH /redfish/v1/Chassis/1/ HTTP/1.1\r\nHost: bmc\r\nAuthorization: ${admin.authorization}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`
      )
      t.equal((await client.response())?.status, 100)
      client.write(body)
      t.equal((await client.response())?.status, 200)
      client.close()
    })

    t.test('a chunked body is read', async (t) => {
      const client = await server.connect()
      client.write(
        `PATCH /redfish/v1/Chassis/1/ HTTP/1.1\r\nHost: bmc\r\nAuthorization: ${admin.authorization}\r\n` +
          'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n' +
          '1c\r\n{"LocationIndicatorActive":t\r\n4\r\nrue}\r\n0\r\n\r\n'
      )
      t.equal((await client.response())?.status, 200)
    })
  })

  t.test('plain HTTP on the port gets a closed connection and no content', async (t) => {
    const server = await start(t, host)
    const socket = connectPlain(server.port, '127.0.0.1')
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    socket.write('GET /redfish/v1/ HTTP/1.1\r\nHost: bmc\r\n\r\n')
    await closed(socket)
    t.notMatch(Buffer.concat(received).toString('latin1'), /HTTP|redfish/i)
    t.equal((await server.get('/redfish/v1/')).status, 200)
  })

  t.test('limits of connections and of time', async (t) => {
    const limits = { connections: 4, handshakeTime: 1, requestTime: 1, keepAlive: 1 }
    const server = await start(t, host, { configuration: { limits } })

    t.test('one connection more than may have credentials is closed; a later one is served', async (t) => {
      const held = await Promise.all(Array.from({ length: limits.connections }, () => server.connect()))
      for (const each of held) {
        each.write(head('/redfish/v1/Chassis/1/'))
        t.equal((await each.response())?.status, 200)
      }
      const refused = closed(connectPlain({ port: server.port, host: '127.0.0.1', localAddress: '127.0.1.1' }))
      await refused
      for (const each of held) {
        each.write(head('/redfish/v1/Chassis/1/'))
        t.equal((await each.response())?.status, 200, 'those that came first are served')
      }
      await Promise.all(held.map((each) => each.closed))
      await server.until(
        () => server.get('/redfish/v1/'),
        ({ status }) => status === 200
      )
    })

    t.test('a connection without a request is closed after the keep-alive time', async (t) => {
      const client = await server.connect()
      client.write(head('/redfish/v1/'))
      t.equal((await client.responses()).length, 1)
    })

    for (const [what, bytes] of [
      ['head', 'GET /redfish/v1/ HTTP/1.1\r\nHost: b'],
      [
        'body',
        `${head('/redfish/v1/Chassis/1/', 'Content-Type: application/json\r\nContent-Length: 9\r\n').replace('GET', 'PATCH')}{`
      ]
    ] as const) {
      t.test(`a ${what} that does not arrive in time ends the connection`, async (t) => {
        const client = await server.connect()
        client.write(bytes)
        for (const { status } of await client.responses()) t.equal(status, 408)
      })
    }

    t.test('a handshake that is not finished in time closes the connection', async (t) => {
      const socket = connectPlain(server.port, '127.0.0.1')
      socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]))
      await closed(socket)
      t.equal((await server.get('/redfish/v1/')).status, 200)
    })
  })
})

/** One request on a connection of its own: what was negotiated, and the session to resume it by. */
async function exchange(server: Server, options: ConnectionOptions) {
  const socket = connect({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
  let session: Buffer | undefined
  socket.on('session', (ticket: Buffer) => {
    session = ticket
  })
  await once(socket, 'secureConnect')
  const negotiated = { protocol: socket.getProtocol(), reused: socket.isSessionReused() }
  const client = new Connection(socket)
  client.write(head('/redfish/v1/'))
  const answer = await client.response()
  client.close()
  return { ...negotiated, session, status: answer?.status }
}

async function certificateOf(port: number): Promise<X509Certificate> {
  const client = await Connection.open(port)
  const certificate = new X509Certificate(client.socket.getPeerCertificate().raw)
  client.close()
  return certificate
}
