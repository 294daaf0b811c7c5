// needs: curl, openssl
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:tls'
import type { Test } from 'tap'
import { type ClientCertificate, clientCertificate, expired, kinds, liar } from './client-certificates.ts'
import { onEveryHost } from './https-hosts.ts'
import { Reader, request, type Server, serve, type Trust } from './https-server.ts'

const versions = ['TLSv1.2', 'TLSv1.3'] as const
const only = (version: (typeof versions)[number]): Trust => ({ minVersion: version, maxVersion: version })
const asking = { requestCert: true, rejectUnauthorized: false }
const shown = ({ key, cert }: ClientCertificate): Trust => ({ key, cert })

/** Asks over a fresh connection what certificate the server knows, as hex. */
async function known(server: Server, options: Trust) {
  const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false, ...options })
  const sessions: Buffer[] = []
  socket.on('session', (session) => sessions.push(session))
  try {
    await once(socket, 'secureConnect')
    const reader = new Reader(socket)
    const ended = new Promise<never>((_, reject) =>
      socket.once('error', reject).once('close', () => reject(Object.assign(new Error('closed'), { code: 'CLOSED' })))
    )
    socket.write(request('GET /certificate'))
    const { body } = await Promise.race([reader.next(), ended])
    return { certificate: body, reused: socket.isSessionReused(), session: sessions.at(-1) }
  } finally {
    socket.destroy()
  }
}

onEveryHost(async (t, command, isNode) => {
  const server = await serve(t, command, asking)
  const operator = clientCertificate(t)

  t.test('a client may show no certificate', async (t) => {
    for (const version of versions) t.match(await known(server, only(version)), { certificate: 'none' }, version)
  })

  t.test('certificates of every kind are accepted from any issuer and with any expiry', async (t) => {
    const issuer = clientCertificate(t, { subject: '/CN=ca' })
    const shows = {
      ...Object.fromEntries(
        (['P-256', 'P-384', 'RSA'] as const).map((kind) => [kind, clientCertificate(t, { newkey: kinds[kind] })])
      ),
      expired: await expired(t),
      'for servers only': clientCertificate(t, { extensions: ['extendedKeyUsage=serverAuth'] }),
      'with its issuer': clientCertificate(t, { issuer })
    }
    for (const [kind, client] of Object.entries(shows)) {
      for (const version of versions) {
        const { certificate } = await known(server, { ...only(version), ...shown(client) })
        t.equal(certificate, client.der, `${kind}, ${version}`)
      }
    }
  })

  t.test('curl and openssl show theirs', async (t) => {
    const { key, cert } = operator.files
    for (const version of ['1.2', '1.3']) {
      const trust = [`--tlsv${version}`, '--tls-max', version, '--key', key, '--cert', cert]
      const url = `https://127.0.0.1:${server.port}/certificate`
      t.equal(execFileSync('curl', ['-sk', ...trust, url], { encoding: 'utf8' }), operator.der, `curl, TLS ${version}`)
      const words = [`-tls${version.replace('.', '_')}`, '-key', key, '-cert', cert, '-quiet', '-ign_eof']
      const { stdout } = spawnSync('openssl', ['s_client', ...words, '-connect', `127.0.0.1:${server.port}`], {
        input: request('GET /certificate', 'Connection: close\r\n'),
        encoding: 'utf8'
      })
      t.ok(stdout.endsWith(operator.der), `openssl, TLS ${version}`)
    }
  })

  for (const version of versions) {
    t.test(`a resumed ${version} session has the certificate that it began with`, async (t) => {
      const first = await known(server, { ...only(version), ...shown(operator) })
      t.equal(first.certificate, operator.der)
      const again = await known(server, { ...only(version), ...shown(operator), session: first.session })
      t.equal(again.certificate, operator.der)
      t.equal(again.reused, isNode || version === 'TLSv1.2', 'in the binary those of TLS 1.3 are begun anew')
      const third = await known(server, {
        ...only(version),
        ...shown(operator),
        session: again.session ?? first.session
      })
      t.match(third, { certificate: operator.der, reused: again.reused }, 'and once more')
      const silent = await known(server, { ...only(version), session: first.session })
      t.equal(silent.certificate, silent.reused ? operator.der : 'none', 'also when it is not shown again')
      const other = clientCertificate(t)
      const swapped = await known(server, { ...only(version), ...shown(other), session: first.session })
      t.equal(swapped.certificate, swapped.reused ? operator.der : other.der, 'also when another would be shown')
    })

    t.test(`a resumed ${version} session without a certificate has none`, async (t) => {
      const first = await known(server, only(version))
      t.match(await known(server, { ...only(version), session: first.session }), { certificate: 'none', reused: true })
    })

    t.test(`a ${version} client that does not have the key is refused`, async (t) => {
      await t.rejects(known(server, { ...only(version), ...shown(liar(operator)) }), /./)
      t.match(await server.line('tlsClientError'), { tlsClientError: true })
      t.match(await known(server, { ...only(version), ...shown(operator) }), { certificate: operator.der })
    })
  }

  const bounded = isNode && 'Node.js takes them'
  t.test('large certificates, and those of unusual keys, are refused', { skip: bounded }, async (t) => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `DNS:host-${index}.example.com`)
    const large = (count: number) => ({ extensions: [`subjectAltName=${names(count).join(',')}`] })
    t.match(await known(server, shown(clientCertificate(t, large(200)))), { certificate: /^3082/ }, '5 KB is not')
    const refused = {
      '9 KB': clientCertificate(t, large(400)),
      '50 KB': clientCertificate(t, large(2000)),
      'P-521': clientCertificate(t, { newkey: kinds['P-521'] }),
      'RSA of 5120 bits': clientCertificate(t, { newkey: ['rsa:5120'] }),
      'RSA with a long exponent': clientCertificate(t, {
        newkey: ['rsa:2048', '-pkeyopt', 'rsa_keygen_pubexp:0x1000000000000000000000001']
      })
    }
    for (const [kind, client] of Object.entries(refused)) {
      for (const version of versions) {
        await t.rejects(known(server, { ...only(version), ...shown(client) }), /./, `${kind}, ${version}`)
      }
    }
    const edwards = shown(clientCertificate(t, { newkey: kinds.Ed25519 }))
    t.match(await known(server, edwards), { certificate: 'none' }, 'one that was not asked for is not shown')
    t.match(await known(server, shown(operator)), { certificate: operator.der }, 'and the next client is served')
  })

  t.test('asking begins and ends while the server serves, for new connections', async (t) => {
    const server = await serve(t, command, { rejectUnauthorized: false })
    const kept = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false, ...shown(operator) })
    await once(kept, 'secureConnect')
    const reader = new Reader(kept)
    const say = async (path: string) => {
      kept.write(request(`GET ${path}`))
      return (await reader.next()).body
    }
    const unasked = await known(server, shown(operator))
    t.equal(unasked.certificate, 'none')
    t.equal(await say('/ask'), 'done')
    t.equal(await say('/certificate'), 'none', 'the old connection stays what it was')
    t.match(await known(server, shown(operator)), { certificate: operator.der })
    const resumed = await known(server, { ...shown(operator), session: unasked.session })
    t.equal(resumed.certificate, resumed.reused ? 'none' : operator.der)
    if (!isNode) t.equal(resumed.reused, false, 'an old session does not avoid the request')
    t.equal(await say('/replace'), 'replaced')
    t.match(await known(server, shown(operator)), { certificate: operator.der }, 'also with a new certificate')
    t.equal(await say('/ask-no-more'), 'done')
    t.match(await known(server, shown(operator)), { certificate: 'none' })
    kept.destroy()
  })

  t.test('nothing is left of connections with certificates', async (t: Test) => {
    const server = await serve(t, command, asking)
    await known(server, shown(operator))
    await known(server, shown(liar(operator))).catch(() => {})
    await known(server, shown(clientCertificate(t, { issuer: operator })))
    const last = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false, ...shown(operator) })
    await once(last, 'secureConnect')
    last.write(request('GET /close'))
    t.match(await new Reader(last).next(), { body: 'closing' })
    last.end()
    t.equal(await server.ended, 0)
  })

  t.test('a server that would have to judge certificates itself is refused', { skip: isNode }, async (t) => {
    const broken = await serve(t, command, { requestCert: true, broken: true }, 1)
    t.not(await broken.ended, 0)
  })
})
