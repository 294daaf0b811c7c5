import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { connect } from 'node:tls'
import t, { type Test } from 'tap'
import {
  identity,
  open,
  otherIdentity,
  Reader,
  request,
  rest,
  type Server,
  say,
  serve,
  type Trust
} from './https-server.ts'
import { binaries, type Command, onNode, type Program } from './program.ts'
import { missing, native, program } from './programs.ts'

t.setTimeout(300_000)

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
  const facts = { status, protocol: socket.getProtocol(), reused, session: reused ? undefined : await session }
  socket.end()
  await once(socket, 'close')
  return facts
}

const sanitized: Program = {
  host: 'a binary under AddressSanitizer and UBSan',
  skip: missing(native),
  build: async (fixture) => [await program(fixture, { sanitize: true })]
}

for (const host of [onNode, ...binaries, sanitized]) {
  t.test(`https on ${host.host}`, { skip: host.skip }, async (t) => {
    const command = await host.build('https')
    await handshakes(t, command)
    await requests(t, command)
    await malformed(t, command, host === onNode)
    await limits(t, command)
    await closing(t, command)
  })
}

async function handshakes(t: Test, command: Command) {
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
      t.match(await server.said('tlsClientError'), { tlsClientError: true })
      t.match(await server.said('clientError'), { clientError: /^(?!HPE_)/ })
    }
    t.match(await visit(server), { status: 200 }, 'and the next client is served')
  })

  t.test('a client that does not shake hands is dropped after the time for it', async (t) => {
    const impatient = await serve(t, command, { handshakeTimeout: 100 })
    const socket = connectPlain(impatient.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.resume()
    await once(socket, 'close')
    t.match(await impatient.said('tlsClientError'), { tlsClientError: true })
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
}

const normal = (text: string) => text.replace(/\s/g, '').replace(/-+[A-Z]+CERTIFICATE-+/g, '')
const pem = (der: Buffer) => der.toString('base64')

async function requests(t: Test, command: Command) {
  const server = await serve(t, command)
  const ask = async (text: string, hasBody = true) => {
    const socket = await open(server)
    socket.write(text)
    const answer = await new Reader(socket).next(hasBody)
    socket.destroy()
    return answer
  }

  t.test('a request arrives with its parts, headers as written and joined', async (t) => {
    const fields =
      'X-One: a \r\nx-one:  b\r\nAccept: */*\r\nUser-Agent: first\r\nUser-Agent: second\r\nCookie: a=1\r\nCookie: b=2\r\n'
    const { body, headers } = await ask(request('PATCH /head', fields))
    t.same(JSON.parse(body), {
      method: 'PATCH',
      url: '/head',
      rawHeaders: [
        'Host',
        'localhost',
        'X-One',
        'a',
        'x-one',
        'b',
        'Accept',
        '*/*',
        'User-Agent',
        'first',
        'User-Agent',
        'second',
        'Cookie',
        'a=1',
        'Cookie',
        'b=2'
      ],
      headers: { host: 'localhost', 'x-one': 'a, b', accept: '*/*', 'user-agent': 'first', cookie: 'a=1; b=2' },
      httpVersion: '1.1',
      remoteAddress: '127.0.0.1'
    })
    t.match(headers, { connection: 'keep-alive', 'keep-alive': 'timeout=5', 'content-type': 'text/plain' })
    t.match(Date.parse(headers.date!), Number)
  })

  t.test('bodies arrive whole, by length and in chunks, in one piece or byte by byte', async (t) => {
    const long = 'y'.repeat(100_000)
    t.match(await ask(request('POST /echo', 'Content-Length: 5\r\n', 'hello')), { body: 'hello' })
    t.match(await ask(request('POST /echo', `Content-Length: ${long.length}\r\n`, long)), { body: long })
    t.match(await ask(request('POST /echo', 'Content-Length: 0\r\n')), { body: '' })
    const chunked = '5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: 1\r\n\r\n'
    t.match(await ask(request('POST /echo', 'Transfer-Encoding: chunked\r\n', chunked)), { body: 'hello world' })
    const socket = await open(server)
    for (const byte of request('POST /echo', 'Transfer-Encoding: chunked\r\n', chunked)) socket.write(byte)
    t.match(await new Reader(socket).next(), { body: 'hello world' })
    socket.destroy()
  })

  t.test('a body waits until somebody listens, and as often as the listener pauses', async (t) => {
    const long = 'z'.repeat(200_000)
    const fields = `Content-Length: ${long.length}\r\n`
    t.match(await ask(request('POST /late', fields, long)), { body: '200000' })
    t.match(await ask(request('POST /paused', fields, long)), { body: '200000' })
  })

  t.test('a body that is not read is thrown away, and the next request is answered', async (t) => {
    const socket = await open(server)
    const reader = new Reader(socket)
    const long = 'z'.repeat(200_000)
    socket.write(request('POST /unread', `Content-Length: ${long.length}\r\n`, long) + request('GET /next'))
    t.match(await reader.next(), { body: 'unread' })
    t.match(await reader.next(), { body: 'GET /next' })
    socket.destroy()
  })

  t.test('an answer before the body arrived, with Connection: close, reaches the client', async (t) => {
    const socket = await open(server)
    const answer = rest(socket)
    socket.write(request('POST /early', 'Content-Length: 1000000\r\n', 'z'.repeat(100_000)))
    t.match(await answer, /^HTTP\/1.1 413 .*Connection: close\r\n.*\r\n\r\nno$/s)
  })

  t.test('a client that expects 100-continue gets it; another expectation fails', async (t) => {
    const socket = await open(server)
    const reader = new Reader(socket)
    socket.write(request('POST /echo', 'Content-Length: 5\r\nExpect: 100-continue\r\n'))
    t.match(await reader.next(), { status: 100 })
    socket.write('hello')
    t.match(await reader.next(), { status: 200, body: 'hello' })
    socket.write(request('POST /echo', 'Content-Length: 0\r\nExpect: wonders\r\n'))
    t.match(await reader.next(), { status: 417 })
    socket.destroy()
  })

  t.test('pipelined requests are answered in order, also when an answer takes time', async (t) => {
    const socket = await open(server)
    const reader = new Reader(socket)
    const paths = Array.from({ length: 50 }, (_, index) => (index % 10 === 0 ? '/slow' : `/${index}`))
    socket.write(paths.map((path) => request(`GET ${path}`)).join(''))
    for (const path of paths) t.match(await reader.next(), { body: path === '/slow' ? 'slow' : `GET ${path}` })
    socket.destroy()
  })

  t.test('a client that pipelines without end does not keep others from their answers', async (t) => {
    const greedy = await open(server)
    greedy.on('error', () => {})
    greedy.resume()
    const flood = request('GET /flood').repeat(500)
    const pour = () => {
      while (greedy.writable && greedy.write(flood));
    }
    greedy.on('drain', pour)
    pour()
    for (let index = 0; index < 20; index++) t.match(await ask(request('GET /other')), { body: 'GET /other' })
    greedy.destroy()
  })

  t.test('HTTP/1.0 closes after the answer, unless the client asks to stay', async (t) => {
    t.match(
      await say(server, 'GET /old HTTP/1.0\r\n\r\n'),
      /^HTTP\/1.1 200 OK\r\n.*Connection: close\r\n.*\r\nGET \/old$/s
    )
    const socket = await open(server)
    const reader = new Reader(socket)
    for (let index = 0; index < 2; index++) {
      socket.write('GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
      t.match(await reader.next(), { body: 'GET /old', headers: { connection: 'keep-alive' } })
    }
    socket.destroy()
  })

  t.test('Connection: close of a client ends the connection after the answer', async (t) => {
    t.match(await say(server, request('GET /bye', 'Connection: close\r\n')), /Connection: close\r\n.*GET \/bye$/s)
  })

  t.test('HEAD has the length and no body; 204 and 304 have neither', async (t) => {
    const socket = await open(server)
    const reader = new Reader(socket)
    socket.write(request('HEAD /hello'))
    t.match(await reader.next(false), { status: 200, headers: { 'content-length': '11' } })
    for (const [path, status] of [
      ['/empty', 204],
      ['/cached', 304]
    ] as const) {
      socket.write(request(`GET ${path}`))
      const { headers, ...answer } = await reader.next()
      t.match(answer, { status })
      t.notHas(headers, 'content-length')
      t.notHas(headers, 'transfer-encoding')
    }
    socket.write(request('GET /last'))
    t.match(await reader.next(), { body: 'GET /last' }, 'and nothing was left between them')
    socket.destroy()
  })

  t.test('an answer can be written in parts, and its headers set one by one', async (t) => {
    t.match(await ask(request('GET /stream')), { headers: { 'transfer-encoding': 'chunked' }, body: 'one,two,three' })
    t.match(await ask(request('GET /set')), { status: 202, headers: { 'x-first': '1' }, body: 'set' })
    t.match(await say(server, 'GET /stream HTTP/1.0\r\n\r\n'), /^(?!.*chunked).*\r\n\r\none,two,three$/s)
  })

  t.test('a large answer arrives whole, also at a client that reads slowly', async (t) => {
    const socket = await open(server)
    socket.pause()
    socket.write(request('GET /large') + request('GET /after'))
    const reader = new Reader(socket)
    socket.resume()
    t.equal((await reader.next()).body.length, 300_000)
    t.match(await server.said('finished'), { finished: true })
    t.match(await reader.next(), { body: 'GET /after' })
    socket.destroy()
  })

  t.test('a line break in a header is refused', async (t) => {
    const answer = await ask(request('GET /inject'))
    t.match(answer, { status: 500, body: 'ERR_INVALID_CHAR' })
    t.notHas(answer.headers, 'x-injected')
  })

  t.test('a handler can drop the connection', async (t) => {
    t.equal(await say(server, request('GET /destroy')), '')
  })

  t.test("an error thrown by a handler is the process's, and the server goes on", async (t) => {
    const socket = await open(server)
    socket.write(request('GET /throw'))
    t.match(await server.said('uncaught'), { uncaught: 'thrown by a handler' })
    socket.destroy()
    t.match(await ask(request('GET /')), { status: 200 })
  })

  t.test('a client that goes away in the middle of its body is noticed', async (t) => {
    const socket = await open(server)
    socket.write(request('POST /echo', 'Content-Length: 100\r\n', 'half'), () => socket.destroy())
    t.match(await server.said('aborted', '/echo'), { aborted: '/echo' })
  })

  t.test("Node's https client is served over kept connections", async (t) => {
    const { Agent } = await import('node:https')
    const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 4 })
    const bodies = await Promise.all(
      Array.from({ length: 40 }, (_, index) => fetchText(agent, server.port, `/${index}`))
    )
    t.same(
      bodies,
      Array.from({ length: 40 }, (_, index) => `GET /${index}`)
    )
    agent.destroy()
  })

  t.test('curl sends requests one after another over one connection', async (t) => {
    const url = `https://127.0.0.1:${server.port}`
    const format = '%{http_code} %{num_connects}\n'
    const { stdout } = spawnSync('curl', [
      '-sk',
      '-o',
      '/dev/null',
      '-o',
      '/dev/null',
      '-w',
      format,
      `${url}/a`,
      `${url}/b`
    ])
    t.equal(stdout.toString(), '200 1\n200 0\n')
  })
}

function fetchText(agent: import('node:https').Agent, port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      let text = ''
      response.on('data', (data) => {
        text += data
      })
      response.on('end', () => resolve(text))
    }).on('error', reject)
  })
}

async function malformed(t: Test, command: Command, isNode: boolean) {
  const server = await serve(t, command, { maxHeaderSize: 8192 })
  const long = 'a'.repeat(9000)
  const cases: [title: string, text: string, code: RegExp][] = [
    ['an unknown method', request('BREW /'), /HPE_INVALID_METHOD/],
    ['an unknown HTTP version', 'GET / HTTP/3.7\r\nHost: x\r\n\r\n', /HPE_INVALID_VERSION/],
    ['a head of 9 KiB', request('GET /', `X-Long: ${long}\r\n`), /HPE_HEADER_OVERFLOW/],
    ['a URL of 9 KiB', request(`GET /${long}`), /HPE_HEADER_OVERFLOW/],
    ['headers of 9 KiB together', request('GET /', `X-Part: ${'a'.repeat(300)}\r\n`.repeat(30)), /HPE_HEADER_OVERFLOW/],
    [
      'Content-Length with Transfer-Encoding',
      request('POST /echo', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
      /HPE_/
    ],
    [
      'two lengths',
      request('POST /echo', 'Content-Length: 5\r\nContent-Length: 6\r\n', 'hello'),
      /HPE_UNEXPECTED_CONTENT_LENGTH/
    ],
    [
      'a length that is no number',
      request('POST /echo', 'Content-Length: five\r\n', 'hello'),
      /HPE_INVALID_CONTENT_LENGTH/
    ],
    ['a negative length', request('POST /echo', 'Content-Length: -5\r\n', 'hello'), /HPE_INVALID_CONTENT_LENGTH/],
    ['a control character in a value', request('GET /', 'X-Bell: \x07\r\n'), /HPE_INVALID_HEADER_TOKEN/],
    ['a NUL in a value', request('GET /', 'X-Nul: a\0b\r\n'), /HPE_INVALID_HEADER_TOKEN/],
    ['a space before the colon', request('GET /', 'X-Space : a\r\n'), /HPE_INVALID_HEADER_TOKEN/],
    ['a space in the URL', request('GET /a b'), /HPE_INVALID_CONSTANT/],
    [
      'a chunk size that is no number',
      request('POST /echo', 'Transfer-Encoding: chunked\r\n', 'zz\r\n'),
      /HPE_INVALID_CHUNK_SIZE/
    ],
    ['no HTTP at all', 'hello there\r\n\r\n', /HPE_/]
  ]
  for (const [title, text, code] of cases) {
    t.test(`${title} is answered by clientError and the connection closes`, async (t) => {
      const answer = await say(server, Buffer.from(text, 'latin1'))
      t.match(answer, /^HTTP\/1.1 400 Bad Request\r\n/)
      t.match(answer.split('\r\n\r\n')[1], code)
      t.match(await server.said('clientError'), { clientError: code })
    })
  }

  t.test('a head just under the limit is served', async (t) => {
    t.match(
      await say(server, request('GET /fits', `Connection: close\r\nX-Long: ${'a'.repeat(7900)}\r\n`)),
      /GET \/fits$/
    )
  })

  t.test('HTTP/1.1 without a Host header is a bad request', async (t) => {
    t.match(await say(server, 'GET / HTTP/1.1\r\n\r\n'), /^HTTP\/1.1 400 Bad Request\r\n.*Connection: close\r\n/s)
  })

  t.test('bad bytes after a good request do not spoil its answer', async (t) => {
    const answer = await say(server, `${request('GET /good')}\x00\x01\x02\r\n\r\n`)
    t.match(answer, /^HTTP\/1.1 200 OK\r\n.*GET \/goodHTTP\/1.1 400 Bad Request/s)
  })

  t.test('a chunked body cut short never ends the request', async (t) => {
    const socket = await open(server)
    const answer = rest(socket)
    socket.end(request('POST /echo', 'Transfer-Encoding: chunked\r\n', '5\r\nhel'))
    t.notMatch(await answer, /200 OK/)
    t.match(await server.said('aborted', '/echo'), { aborted: '/echo' })
  })

  const halfOpen = isNode && 'Node.js drops the request'
  t.test('a client that closes its side after a whole request still gets the answer', { skip: halfOpen }, async (t) => {
    const socket = await open(server)
    const answer = rest(socket)
    socket.end(request('GET /slow'))
    t.match(await answer, /slow$/)
  })
}

async function limits(t: Test, command: Command) {
  t.test('a head, and a body, that take too long are refused', async (t) => {
    const times = { headersTimeout: 150, requestTimeout: 300, connectionsCheckingInterval: 20 }
    const server = await serve(t, command, times)
    const head = await say(server, 'GET / HTTP/1.1\r\nHost: l')
    t.match(head, /ERR_HTTP_REQUEST_TIMEOUT$/)
    const body = await say(server, request('POST /echo', 'Content-Length: 10\r\n', 'half'))
    t.match(body, /ERR_HTTP_REQUEST_TIMEOUT$/)
  })

  t.test('a connection without a second request is closed after the keep-alive time', async (t) => {
    const server = await serve(t, command, { keepAliveTimeout: 100 })
    const answer = await say(server, request('GET /one'))
    t.match(answer, /GET \/one$/)
  })

  t.test('connections above the limit are closed at once, and there is room again when one ends', async (t) => {
    const server = await serve(t, command, { maxConnections: 3 })
    const kept = [await open(server), await open(server), await open(server)]
    await t.rejects(open(server))
    const [first] = kept
    new Reader(first!)
    first!.end()
    await once(first!, 'close')
    for (;;) {
      // The server learns of it a moment later.
      const next = await open(server).catch(() => undefined)
      if (!next) continue
      next.write(request('GET /room'))
      t.match(await new Reader(next).next(), { body: 'GET /room' })
      next.destroy()
      break
    }
    for (const socket of kept) socket.destroy()
  })

  t.test('a port in use is an error with its code', async (t) => {
    const server = await serve(t, command)
    const second = await serve(t, command, {}, server.port)
    t.match(await second.said('error'), { error: 'EADDRINUSE' })
  })
}

async function closing(t: Test, command: Command) {
  t.test('close lets a request in flight be answered, ends idle connections, and then says so', async (t) => {
    const server = await serve(t, command)
    const idle = await open(server)
    const idleReader = new Reader(idle)
    idle.write(request('GET /idle'))
    await idleReader.next()
    const idleClosed = once(idle, 'close')
    const busy = await open(server)
    const busyReader = new Reader(busy)
    busy.write(request('GET /close'))
    await idleClosed
    t.match(await busyReader.next(), { body: 'closing' })
    await t.rejects(open(server), { code: 'ECONNREFUSED' })
    busy.end()
    t.match(await server.said('closed'), { closed: true })
    t.equal(await server.ended, 0, 'nothing keeps the process')
  })

  t.test('closeAllConnections drops them all', async (t) => {
    const server = await serve(t, command)
    const idle = await open(server)
    idle.on('error', () => {})
    const dropped = once(idle, 'close')
    t.equal(await say(server, request('GET /close-all')), '')
    await dropped
    t.match(await server.said('closed'), { closed: true })
  })
}
