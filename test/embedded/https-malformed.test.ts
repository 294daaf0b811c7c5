import { onEveryHost } from './https-hosts.ts'
import { open, request, rest, say, serve } from './https-server.ts'

onEveryHost(async (t, command, isNode) => {
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
    [
      'chunk extensions of 17 KiB',
      request('POST /echo', 'Transfer-Encoding: chunked\r\n', `1;${'x'.repeat(17_000)}\r\na\r\n`),
      /HPE_CHUNK_EXTENSIONS_OVERFLOW/
    ],
    ['no HTTP at all', 'hello there\r\n\r\n', /HPE_/]
  ]
  // Node.js has an event of its own for CONNECT, and closes the connection without a listener.
  if (!isNode) cases.push(['CONNECT', request('CONNECT localhost:443'), /HPE_INVALID_METHOD/])
  for (const [title, text, code] of cases) {
    t.test(`${title} is answered by clientError and the connection closes`, async (t) => {
      const answer = await say(server, Buffer.from(text, 'latin1'))
      t.match(answer, /^HTTP\/1.1 400 Bad Request\r\n/)
      t.match(answer.split('\r\n\r\n')[1], code)
      t.match(await server.line('clientError'), { clientError: code })
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
    t.match(await server.line('aborted', '/echo'), { aborted: '/echo' })
  })

  const halfOpen = isNode && 'Node.js drops the request'
  t.test('a client that closes its side after a whole request still gets the answer', { skip: halfOpen }, async (t) => {
    const socket = await open(server)
    const answer = rest(socket)
    socket.end(request('GET /slow'))
    t.match(await answer, /slow$/)
  })
})
