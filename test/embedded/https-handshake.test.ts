// needs: curl
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import { onEveryHost } from './https-hosts.ts'
import { identity, open, otherIdentity, Reader, request, type Server, serve, type Trust } from './https-server.ts'

const versions = ['TLSv1.2', 'TLSv1.3'] as const
const only = (version: (typeof versions)[number]): Trust => ({ minVersion: version, maxVersion: version })

/** One request over a fresh connection, and what a client needs to resume it. */
async function visit(server: Server, options: Trust = {}) {
  const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false, ...options })
  const session = new Promise<Buffer>((resolve) => socket.once('session', resolve))
  await once(socket, 'secureConnect')
  const reader = new Reader(socket)
  socket.write(request('GET /'))
  const { status } = await reader.next()
  const reused = socket.isSessionReused()
  const cipher = socket.getCipher().name
  const facts = { status, protocol: socket.getProtocol(), cipher, reused, session: reused ? undefined : await session }
  socket.end()
  await once(socket, 'close')
  return facts
}

onEveryHost(async (t, command, isNode) => {
  const server = await serve(t, command)

  for (const version of versions) {
    t.test(`${version} is spoken and a session of it resumed`, async (t) => {
      const first = await visit(server, only(version))
      t.match(first, { status: 200, protocol: version, reused: false })
      t.match(await visit(server, { ...only(version), session: first.session }), {
        status: 200,
        protocol: version,
        reused: true
      })
    })

    t.test(`curl speaks ${version}`, async (t) => {
      const url = `https://127.0.0.1:${server.port}/hello`
      const { stdout } = spawnSync('curl', [
        '-sk',
        `--tlsv1.${version.at(-1)}`,
        '--tls-max',
        `1.${version.at(-1)}`,
        url
      ])
      t.equal(stdout.toString(), 'GET /hello')
    })
  }

  t.test('a TLS 1.3 session is resumed for a client that offers a key by itself as well', async (t) => {
    const options: Trust = { ...only('TLSv1.3'), secureOptions: 0x400 }
    const { session } = await visit(server, options)
    t.match(await visit(server, { ...options, session }), { reused: true })
  })

  t.test('every usual key exchange and cipher works', async (t) => {
    for (const curve of ['X25519', 'P-256', 'P-384']) {
      t.match(await visit(server, { ...only('TLSv1.3'), ecdhCurve: curve }), { status: 200 }, curve)
      // TLS 1.2 has one list for key exchange and signatures.
      t.match(
        await visit(server, { ...only('TLSv1.2'), ecdhCurve: [...new Set([curve, 'P-256'])].join(':') }),
        { status: 200 },
        curve
      )
    }
    for (const ciphers of [
      'TLS_AES_128_GCM_SHA256',
      'TLS_AES_256_GCM_SHA384',
      'TLS_CHACHA20_POLY1305_SHA256',
      'ECDHE-ECDSA-AES128-GCM-SHA256',
      'ECDHE-ECDSA-AES256-GCM-SHA384',
      'ECDHE-ECDSA-CHACHA20-POLY1305'
    ]) {
      const version = only(ciphers.startsWith('TLS') ? 'TLSv1.3' : 'TLSv1.2')
      t.match(await visit(server, { ...version, ciphers }), { status: 200 }, ciphers)
    }
  })

  const [cheap, strong, other] = ['TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_AES_128_GCM_SHA256']
  const preferring = (...ciphers: string[]) => ({ ...only('TLSv1.3'), ciphers: ciphers.join(':') })

  t.test('a TLS 1.3 client gets ChaCha20-Poly1305 even if it prefers another cipher', { skip: isNode }, async (t) => {
    for (const before of [[], [strong], [other], [strong, other]]) {
      const options = preferring(...before, cheap)
      const first = await visit(server, options)
      t.match(first, { status: 200, cipher: cheap, reused: false })
      t.match(await visit(server, { ...options, session: first.session }), { cipher: cheap, reused: true })
    }
  })

  t.test('a TLS 1.3 client that does not offer it gets in, and resumes its session', async (t) => {
    for (const offered of [[strong], [other], [other, strong]]) {
      const options = preferring(...offered)
      const first = await visit(server, options)
      t.match(first, { status: 200, reused: false })
      t.ok(offered.includes(first.cipher))
      t.match(await visit(server, { ...options, session: first.session }), { cipher: first.cipher, reused: true })
    }
  })

  t.test('a TLS 1.3 session with another suite is not resumed when ChaCha20-Poly1305 is offered', async (t) => {
    const { session } = await visit(server, preferring(strong))
    t.match(await visit(server, { ...preferring(strong, cheap), session }), {
      status: 200,
      cipher: isNode ? strong : cheap,
      reused: isNode
    })
  })

  t.test('a client whose first bytes arrive one by one is served', async (t) => {
    const plain = connectPlain(server.port, '127.0.0.1').setNoDelay()
    const inPieces = new Duplex({
      read: () => void plain.resume(),
      async write(data: Buffer, _encoding, done) {
        for (const byte of data) await new Promise((sent) => plain.write(Buffer.of(byte), sent))
        done()
      }
    })
    plain.on('data', (data) => inPieces.push(data) || plain.pause())
    const socket = connect({ socket: inPieces, rejectUnauthorized: false, ...preferring(strong, cheap) })
    await once(socket, 'secureConnect')
    socket.write(request('GET /'))
    t.match(await new Reader(socket).next(), { status: 200 })
    plain.destroy()
  })

  t.test('a client gets the certificate for the name that it asks for', async (t) => {
    const named = await serve(t, command, { names: true })
    for (const version of versions) {
      for (const [servername, pair] of [
        ['', identity],
        ['other', identity],
        ['other.later', identity],
        ['next', otherIdentity],
        ['next.later', otherIdentity]
      ] as const) {
        const socket = await open(named, { ...only(version), servername })
        if (servername !== '') t.match(await named.line('name'), { name: servername })
        t.equal(pem(socket.getPeerCertificate().raw), normal(pair.cert), `${version} ${servername}`)
        socket.write(request('GET /here'))
        t.match(await new Reader(socket).next(), { body: 'GET /here' })
        socket.destroy()
      }
    }
    const { session } = await visit(named, { ...only('TLSv1.2'), servername: 'next' })
    t.match(await visit(named, { ...only('TLSv1.2'), servername: 'next', session }), { reused: true })
  })

  t.test('a server name in pieces is found, and a client that disconnects before its end is closed', async (t) => {
    const named = await serve(t, command, { names: true })
    const plain = connectPlain(named.port, '127.0.0.1').setNoDelay()
    const hello: Buffer[] = []
    const inPieces = new Duplex({
      read: () => void plain.resume(),
      async write(data: Buffer, _encoding, done) {
        hello.push(data)
        for (const byte of data) await new Promise((sent) => plain.write(Buffer.of(byte), sent))
        done()
      }
    })
    plain.on('data', (data) => inPieces.push(data) || plain.pause())
    const socket = connect({ socket: inPieces, rejectUnauthorized: false, servername: 'next.later' })
    await once(socket, 'secureConnect')
    t.equal(pem(socket.getPeerCertificate().raw), normal(otherIdentity.cert))
    plain.destroy()
    for (const length of [1, 5, 40, hello[0]!.length - 1]) {
      const leaving = connectPlain(named.port, '127.0.0.1')
      leaving.on('error', () => {})
      leaving.resume()
      leaving.end(hello[0]!.subarray(0, length))
      await once(leaving, 'close')
      t.match(await named.line('tlsClientError'), { tlsClientError: true }, `${length} bytes`)
    }
    t.match(await visit(named), { status: 200 })
  })

  t.test('a client whose name is not answered, or not well, gets nothing', async (t) => {
    const named = await serve(t, command, { names: true, handshakeTimeout: 100 })
    for (const servername of ['never', 'broken']) {
      await t.rejects(visit(named, { servername }), { code: 'ECONNRESET' })
      t.match(await named.line('tlsClientError'), { tlsClientError: true })
    }
    t.match(await visit(named, { servername: 'next' }), { status: 200 })
  })

  t.test('versions can be restricted', async (t) => {
    const strict = await serve(t, command, { minVersion: 'TLSv1.3' })
    t.match(await visit(strict, only('TLSv1.3')), { status: 200 })
    await t.rejects(visit(strict, only('TLSv1.2')), { code: /^ERR_SSL_|^ECONNRESET$/ })
    const old = await serve(t, command, { maxVersion: 'TLSv1.2' })
    t.match(await visit(old), { protocol: 'TLSv1.2' })
  })

  t.test('a key that does not belong to the certificate is refused', async (t) => {
    const broken = await serve(t, command, { key: otherIdentity.key, broken: true }, 1)
    t.not(await broken.ended, 0)
  })

  t.test('garbage and plain HTTP get a closed connection and no content', async (t) => {
    for (const hello of [
      'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
      '\x16\x03\x01\x00\x0a\x02\x00\x00\x06aaaaaa',
      '\x16\x03\x01\xff\xffgarbage',
      '\x00'.repeat(300)
    ]) {
      const socket = connectPlain(server.port, '127.0.0.1')
      let answer = ''
      socket.on('error', () => {})
      socket.on('data', (data) => {
        answer += data.toString('latin1')
      })
      socket.write(hello, 'latin1')
      await once(socket, 'close')
      t.notMatch(answer, /HTTP/)
      t.match(await server.line('tlsClientError'), { tlsClientError: true })
      t.match(await server.line('clientError'), { clientError: /^(?!HPE_)/ })
    }
    t.match(await visit(server), { status: 200 }, 'and the next client is served')
  })

  t.test('a client that does not shake hands is dropped after the time for it', async (t) => {
    const impatient = await serve(t, command, { handshakeTimeout: 100 })
    const socket = connectPlain(impatient.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.resume()
    await once(socket, 'close')
    t.match(await impatient.line('tlsClientError'), { tlsClientError: true })
  })

  t.test('a new certificate serves new connections while old connections stay', async (t) => {
    const replaced = await serve(t, command)
    const old = await open(replaced)
    const reader = new Reader(old)
    t.equal(pem(old.getPeerCertificate().raw), normal(identity.cert))
    old.write(request('POST /refused-replacement'))
    t.match(await reader.next(), { body: 'refused' })
    old.write(request('POST /replace'))
    t.match(await reader.next(), { body: 'replaced' })
    const fresh = await open(replaced)
    t.equal(pem(fresh.getPeerCertificate().raw), normal(otherIdentity.cert))
    fresh.destroy()
    old.write(request('GET /still'))
    t.match(await reader.next(), { body: 'GET /still' })
    old.destroy()
  })

  t.test('a new certificate whose key is another is refused, and the old pair serves on', async (t) => {
    const kept = await serve(t, command)
    const socket = await open(kept)
    socket.write(request('POST /mismatched-replacement'))
    t.match(await new Reader(socket).next(), { body: 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' })
    socket.destroy()
    const fresh = await open(kept)
    t.equal(pem(fresh.getPeerCertificate().raw), normal(identity.cert))
    fresh.write(request('GET /still'))
    t.match(await new Reader(fresh).next(), { body: 'GET /still' })
    fresh.destroy()
  })

  for (const version of versions) {
    t.test(`a ${version} session is not resumed after the certificate was replaced`, async (t) => {
      const replaced = await serve(t, command)
      const { session } = await visit(replaced, only(version))
      t.match(await visit(replaced, { ...only(version), session }), { reused: true }, 'before')
      const socket = await open(replaced)
      socket.write(request('POST /replace'))
      t.match(await new Reader(socket).next(), { body: 'replaced' })
      socket.destroy()
      const later = await open(replaced, { ...only(version), session })
      t.equal(later.isSessionReused(), false)
      t.equal(pem(later.getPeerCertificate().raw), normal(otherIdentity.cert))
      later.destroy()
      const next = await visit(replaced, only(version))
      t.match(await visit(replaced, { ...only(version), session: next.session }), { reused: true }, 'and afterwards')
    })
  }
})

const normal = (text: string) => text.replace(/\s/g, '').replace(/-+[A-Z]+CERTIFICATE-+/g, '')
const pem = (der: Buffer) => der.toString('base64')
