import { once } from 'node:events'
import type { TLSSocket } from 'node:tls'
import { signed } from './undici-certificates.ts'
import { authority, get, type Line, localhost, onEveryClient, open, perform, serve } from './undici-client.ts'

const names = ['DNS:localhost', 'IP:127.0.0.1', 'IP:::1']
const other = signed({ subject: 'other authority', isAuthority: true })
const middle = signed({ subject: 'intermediate', isAuthority: true, by: authority })
const server = { subject: 'server', names, by: authority }
const own = signed({ subject: 'client', by: authority })
const stranger = signed({ subject: 'stranger', by: other })

type Pair = ReturnType<typeof signed>
const pair = ({ certificate, key }: Pair) => ({ cert: certificate, key })

const hello = (request: { socket: unknown }, response: { end(text: string): void }) => {
  const socket = request.socket as TLSSocket
  const { CN } = socket.getPeerCertificate().subject ?? {}
  const facts = {
    protocol: socket.getProtocol(),
    name: socket.servername,
    reused: socket.isSessionReused(),
    client: CN
  }
  response.end(JSON.stringify(facts))
}

onEveryClient(async (t, command) => {
  const visit = async (
    t: Parameters<typeof serve>[0],
    certificate: object,
    connect: object = {},
    host = '127.0.0.1',
    as?: string
  ) => {
    const peer = await serve(t, hello, certificate, host)
    const origin = as ? peer.origin.replace(host, as) : peer.origin
    const [, answer] = await perform(t, command, [open({ origin }, {}, connect), get('/', { take: 'json' })])
    return answer as Line
  }

  t.test('a server with a certificate of a given authority is trusted', async (t) => {
    t.match(await visit(t, {}), { status: 200 })
    const ca = [other.certificate, authority.certificate]
    t.match(await visit(t, {}, { ca }), { status: 200 }, 'one of several')
    const leaf = signed({ subject: 'server', names, by: middle })
    const chain = { key: leaf.key, cert: leaf.certificate + middle.certificate }
    t.match(await visit(t, chain), { status: 200 }, 'by way of an intermediate')
    const alone = signed({ subject: 'alone', names })
    t.match(await visit(t, pair(alone), { ca: alone.certificate }), { status: 200 }, 'itself')
  })

  t.test('servers with other keys, and with the older ciphers of TLS 1.2, are reached', async (t) => {
    const rsa = pair(signed({ ...server, newkey: ['rsa:2048'] }))
    for (const [ciphers, key] of [
      ['ECDHE-ECDSA-AES256-SHA384', {}],
      ['ECDHE-ECDSA-AES128-SHA', {}],
      ['ECDHE-RSA-AES128-GCM-SHA256', { ...rsa, honorCipherOrder: false }],
      ['AES128-GCM-SHA256', rsa],
      ['AES256-SHA', rsa]
    ] as const) {
      const only = { ...key, ciphers, maxVersion: 'TLSv1.2' }
      t.match(await visit(t, only), { status: 200, body: { protocol: 'TLSv1.2' } }, ciphers)
    }
    t.match(await visit(t, { ...rsa, minVersion: 'TLSv1.3' }), { status: 200 }, 'RSA in TLS 1.3')
    for (const curve of ['P-384', 'P-521']) {
      const key = signed({ ...server, newkey: ['ec', '-pkeyopt', `ec_paramgen_curve:${curve}`] })
      t.match(await visit(t, pair(key)), { status: 200 }, curve)
    }
    const root = signed({
      subject: 'Brainpool',
      isAuthority: true,
      newkey: ['ec', '-pkeyopt', 'ec_paramgen_curve:brainpoolP256r1']
    })
    const below = pair(signed({ ...server, by: root }))
    t.match(await visit(t, { ...below, maxVersion: 'TLSv1.2' }, { ca: root.certificate }), { status: 200 }, 'Brainpool')
  })

  t.test('an untrusted server is refused, and the error says why', async (t) => {
    const cases: [string, Pair, object?][] = [
      ['DEPTH_ZERO_SELF_SIGNED_CERT', signed({ subject: 'alone', names })],
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', signed({ ...server, by: other })],
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', localhost, { ca: 'garbage' }],
      ['CERT_HAS_EXPIRED', signed({ ...server, days: -1 })],
      ['CERT_NOT_YET_VALID', signed({ ...server, days: 370 })],
      ['ERR_TLS_CERT_ALTNAME_INVALID', signed({ ...server, names: ['DNS:elsewhere', 'IP:127.0.0.2'] })],
      ['ERR_TLS_CERT_ALTNAME_INVALID', signed({ ...server, names: ['DNS:127.0.0.1'] })],
      ['ERR_TLS_CERT_ALTNAME_INVALID', localhost, { servername: 'elsewhere' }],
      ['INVALID_PURPOSE', signed({ ...server, usage: 'clientAuth' })]
    ]
    for (const [code, certificate, connect] of cases) {
      const { error } = await visit(t, pair(certificate), connect)
      t.match(error, { code, message: /certificate|altnames|purpose/i }, code)
    }
    const leaf = signed({ subject: 'server', names, by: signed({ subject: 'x', isAuthority: true, by: other }) })
    t.match((await visit(t, { key: leaf.key, cert: leaf.certificate + other.certificate })).error, {
      code: /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/
    })
  })

  t.test('a server is not verified if verification is off', async (t) => {
    const anybody = signed({ subject: 'x', names: ['DNS:elsewhere'], days: -1, by: other })
    t.match(await visit(t, pair(anybody), { rejectUnauthorized: false }), { status: 200 })
  })

  t.test('names are sent to the server and checked, addresses are checked only', async (t) => {
    t.match(await visit(t, {}), { body: { name: false } })
    t.match(await visit(t, {}, {}, '127.0.0.1', 'localhost'), { body: { name: 'localhost' } })
    t.match(await visit(t, {}, {}, '::1'), { status: 200, body: { name: false } })
    const wild = signed({ ...server, names: ['DNS:*.example.org'] })
    t.match(await visit(t, pair(wild), { servername: 'a.example.org' }), { body: { name: 'a.example.org' } })
    t.match((await visit(t, pair(wild), { servername: 'a.b.example.org' })).error, {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID'
    })
  })

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const only = { minVersion: version, maxVersion: version }

    t.test(`${version} is spoken, and its sessions are resumed by the next connection`, async (t) => {
      const peer = await serve(
        t,
        (request, response) => {
          response.setHeader('Connection', 'close')
          hello(request, response)
        },
        only
      )
      const [, ...answers] = await perform(t, command, [
        open(peer),
        get('/', { take: 'json' }),
        get('/', { take: 'json' }),
        get('/', { take: 'json' })
      ])
      t.same(
        answers.map(({ body }) => [body.protocol, body.reused]),
        [
          [version, false],
          [version, true],
          [version, true]
        ]
      )
      t.equal(peer.connections, 3)
    })

    t.test(`a ${version} server that wants a certificate gets the client's own`, async (t) => {
      const wants = { ...only, requestCert: true, ca: authority.certificate }
      t.match(await visit(t, wants, pair(own)), { body: { client: 'client' } })
      const refused = [await visit(t, wants), await visit(t, wants, pair(stranger))]
      for (const { error } of refused) t.match(error, { code: /^(ERR_SSL_|EPROTO|ECONNRESET|UND_ERR_SOCKET)/ })
      t.match(await visit(t, { ...wants, rejectUnauthorized: false }), { body: { client: undefined } })
    })
  }

  t.test('a key of another certificate is an error of its own, and so is a text that is neither', async (t) => {
    const mixed = { cert: own.certificate, key: stranger.key }
    t.match((await visit(t, {}, mixed)).error, { code: 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' })
    t.match((await visit(t, {}, { cert: 'garbage', key: own.key })).error, { code: 'ERR_OSSL_PEM_NO_START_LINE' })
  })

  t.test('a server without a cipher or version in common is an error, and leaves nothing behind', async (t) => {
    const peer = await serve(t, hello, { ciphers: 'AES256-SHA', maxVersion: 'TLSv1.2' })
    const [, { error }, again] = await perform(t, command, [open(peer), get('/'), get('/')])
    for (const each of [error, again.error]) t.match(each, { code: /^(ERR_SSL_|EPROTO|ECONNRESET)/ })
    while (peer.sockets.size > 0) await once([...peer.sockets][0]!, 'close')
  })
})
