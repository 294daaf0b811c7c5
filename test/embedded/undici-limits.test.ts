import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { native } from './programs.ts'
import { get, type Line, onEveryClient, open, perform, serve } from './undici-client.ts'

/** Writes to the connection as it is, past Node.js's own writing of responses. */
const raw = (socket: Socket, text: string) => socket.write(text, 'latin1')

/** Writes the same again and again, as fast as it is taken, until the connection is gone. */
function pour(socket: Socket, text: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(text, 'latin1'));
  }
  socket.on('drain', more)
  more()
}

const isGone = async (peer: { sockets: Set<Socket> }) => {
  while (peer.sockets.size > 0) await once([...peer.sockets][0]!, 'close')
}

onEveryClient(async (t, command, isNode) => {
  t.test('a server that does not shake hands is given up after the time for connecting', async (t) => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    t.teardown(() => {
      silent.close()
      for (const socket of sockets) socket.destroy()
    })
    const { port } = silent.address() as AddressInfo
    const [, answer] = await perform(t, command, [
      open({ origin: `https://127.0.0.1:${port}` }, {}, { timeout: 100 }),
      get('/')
    ])
    t.match(answer.error, { code: 'UND_ERR_CONNECT_TIMEOUT', kind: 'ConnectTimeoutError' })
  })

  t.test('a server that closes or speaks no TLS is an error of connecting', async (t) => {
    for (const words of ['', 'HTTP/1.1 200 OK\r\n\r\n', '\x15\x03\x03\x00\x02\x02\x28']) {
      const peer = createServer((socket) => socket.on('error', () => {}).end(words, 'latin1')).listen(0, '127.0.0.1')
      await once(peer, 'listening')
      t.teardown(() => peer.close())
      const { port } = peer.address() as AddressInfo
      const [, answer] = await perform(t, command, [open({ origin: `https://127.0.0.1:${port}` }), get('/')])
      t.match(answer.error, { code: /^(ECONNRESET|EPROTO|ERR_SSL_.*)$/ })
    }
  })

  t.test('a server that says nothing, or stops, is given up after its times', async (t) => {
    const peer = await serve(t, ({ url, socket }, response) => {
      if (url === '/begun') raw(socket, 'HTTP/1.1 200 OK\r\nX-A: ')
      if (url === '/body') raw(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')
      if (url === '/fine') response.end('fine')
    })
    const [, silent, begun, body, own, fine] = await perform(t, command, [
      open(peer, { headersTimeout: 100, bodyTimeout: 100 }),
      get('/silent'),
      get('/begun'),
      { request: { path: '/body', method: 'GET', headersTimeout: 10_000 } },
      { request: { path: '/silent', method: 'GET', headersTimeout: 50 } },
      { request: { path: '/fine', method: 'GET', headersTimeout: 10_000 } }
    ])
    for (const { error } of [silent, begun, own]) {
      t.match(error, { code: 'UND_ERR_HEADERS_TIMEOUT', kind: 'HeadersTimeoutError' })
    }
    t.match(body, { status: 200, bodyError: { code: 'UND_ERR_BODY_TIMEOUT', kind: 'BodyTimeoutError' } })
    t.equal(fine.body, 'fine')
    await isGone(peer)
  })

  t.test('heads are bounded, to the byte', async (t) => {
    const peer = await serve(t, ({ url, socket }) => {
      const length = Number(url?.slice(1))
      if (length) raw(socket, `HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: ${'b'.repeat(length)}\r\n\r\n`)
      else pour(socket, 'HTTP/1.1 200 ')
    })
    const limit = 1000
    const fits = limit - 1 - 'Content-Length0A'.length
    const [, whole, over, reason] = await perform(t, command, [
      open(peer, { headersTimeout: 10_000, maxHeaderSize: limit }),
      get(`/${fits}`),
      get(`/${fits + 1}`),
      { request: { path: '/reason', method: 'GET', headersTimeout: 1000 } }
    ])
    t.equal(whole.status, 200)
    t.match(over.error, { code: 'UND_ERR_HEADERS_OVERFLOW', kind: 'HeadersOverflowError' })
    t.match(reason.error, { code: isNode ? 'UND_ERR_HEADERS_TIMEOUT' : 'UND_ERR_HEADERS_OVERFLOW' })
    await isGone(peer)
  })

  t.test('heads, trailers and chunk extensions without an end are cut off', async (t) => {
    const peer = await serve(t, ({ url, socket }) => {
      const begin = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n'
      raw(socket, url === '/head' ? begin : `${begin}\r\n${url === '/trailer' ? '0\r\n' : '1;a='}`)
      pour(socket, url === '/extension' ? 'x'.repeat(1000) : `X-A: ${'y'.repeat(1000)}\r\n`)
    })
    const [, head, trailer, extension] = await perform(t, command, [
      open(peer, { bodyTimeout: 1000 }),
      get('/head'),
      get('/trailer'),
      get('/extension')
    ])
    t.match(head.error, { code: 'UND_ERR_HEADERS_OVERFLOW' })
    t.match(trailer.bodyError, { code: 'UND_ERR_HEADERS_OVERFLOW' })
    t.match(extension.bodyError, { code: isNode ? 'UND_ERR_BODY_TIMEOUT' : 'UND_ERR_HEADERS_OVERFLOW' })
    await isGone(peer)
  })

  t.test('bodies are bounded, to the byte, however they are framed', async (t) => {
    const limit = 1000
    const peer = await serve(t, ({ url, socket }, response) => {
      const length = Number(url?.slice(1))
      if (length === 0) {
        raw(socket, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        pour(socket, `64\r\n${'x'.repeat(100)}\r\n`)
      } else response.end('x'.repeat(length))
    })
    const [, whole, over, endless] = await perform(t, command, [
      open(peer, { maxResponseSize: limit }),
      get(`/${limit}`),
      get(`/${limit + 1}`),
      get('/0')
    ])
    t.equal(whole.body.length, limit)
    for (const { bodyError } of [over, endless]) {
      t.match(bodyError, { code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE', kind: 'ResponseExceededMaxSizeError' })
    }
    await isGone(peer)
  })

  t.test('interim responses are skipped, except those that were not asked for', async (t) => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
    const peer = await serve(t, ({ url, socket }, response) => {
      if (url === '/continue') raw(socket, 'HTTP/1.1 100 Continue\r\n\r\n')
      if (url === '/upgrade') raw(socket, 'HTTP/1.1 101 Up\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
      if (url === '/endless') pour(socket, hint)
      else if (url === '/hints') {
        raw(socket, hint.repeat(3))
        response.end('after')
      } else if (url === '/length') {
        raw(socket, 'HTTP/1.1 199 Soon\r\nContent-Length: 5\r\n\r\n')
        response.end('after')
      }
    })
    const [, hints, length, proceed, upgrade] = await perform(t, command, [
      open(peer),
      get('/hints'),
      get('/length'),
      get('/continue'),
      get('/upgrade')
    ])
    t.match(hints, { status: 200, body: 'after' })
    t.match(length, { status: 200, body: 'after' }, 'none of them has a body')
    for (const { error } of [proceed, upgrade]) t.match(error, { code: 'UND_ERR_SOCKET' })
    if (!isNode) {
      // The package never tires of them.
      const [, endless] = await perform(t, command, [open(peer), get('/endless')])
      t.match(endless.error, { code: 'UND_ERR_HEADERS_OVERFLOW' })
    }
    await isGone(peer)
  })

  t.test('an answer that is not HTTP is an error, and the next request works', async (t) => {
    const garbage = [
      'garbage\r\n\r\n',
      'HTTP/1.1 2000 OK\r\n\r\n',
      'HTTP/1.1 099 Low\r\n\r\n',
      'HTTP/1.1 200 OK\r\nNo colon\r\n\r\n',
      'HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n'
    ]
    const late = ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n']
    const peer = await serve(t, ({ url, socket }, response) => {
      const text = [...garbage, ...late][Number(url?.slice(1))]
      if (text) raw(socket, text)
      else response.end('fine')
    })
    const paths = [...garbage, ...late].map((_, index) => get(`/${index}`))
    const [, ...answers] = await perform(t, command, [open(peer), ...paths, get('/fine')])
    const fine = answers.pop() as Line
    const [last] = answers.splice(-1)
    const wrong = { kind: 'HTTPParserError', ...(isNode ? {} : { code: /^HPE_/ }) }
    for (const [index, { error }] of answers.entries()) {
      const name = /^(HTTPParserError|ResponseContentLengthMismatchError|AssertionError)$/ // the package is not of one mind
      t.match(error, isNode ? { name } : wrong, JSON.stringify(garbage[index]))
    }
    t.match(last.bodyError, wrong)
    t.equal(fine.body, 'fine')
    await isGone(peer)
  })

  t.test('an unsolicited response ends the connection and is dropped', async (t) => {
    const extra = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nextra'
    const peer = await serve(t, ({ url, socket }, response) => {
      const length = url === '/1' ? `HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none${extra}` : ''
      if (length) raw(socket, length)
      else response.end(url)
    })
    const [, one, two] = await perform(t, command, [open(peer), get('/1'), get('/2')])
    t.equal(one.body, 'one')
    t.equal(two.body, '/2')
    t.equal(peer.connections, 2)
  })

  t.test('memory does not grow with the number of requests, of connections, or of failures', async (t) => {
    const peer = await serve(t, ({ url, socket }, response) => {
      if (url === '/closed') response.setHeader('Connection', 'close')
      if (url === '/broken') raw(socket, 'garbage\r\n\r\n')
      else response.end('x'.repeat(10_000))
    })
    const round = ['/kept', '/closed', '/broken', '/kept'].map((path) => get(path))
    const rounds = (count: number) => Array.from({ length: count }, () => round).flat()
    const lines = await perform(t, command, [
      open(peer),
      ...rounds(30),
      { memory: true },
      ...rounds(50),
      { memory: true },
      ...rounds(50),
      { memory: true }
    ])
    const [first, second, third] = lines.filter(({ rss }) => rss).map(({ rss }) => rss)
    // An emulator and the sanitizers have memory of their own, which grows, if only now and then by a huge page.
    const most = command[0].endsWith(`undici-${native}`) ? 100_000 : 1_000_000
    const grown = Math.min(second - first, third - second)
    if (!isNode) t.ok(grown < most, `${first} bytes, then ${second}, then ${third}`)
    t.equal(lines.filter(({ error }) => error?.kind === 'HTTPParserError').length, 130)
  })
})
