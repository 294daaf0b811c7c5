// needs: curl
import { spawnSync } from 'node:child_process'
import { Agent, get } from 'node:https'
import { onEveryHost } from './https-hosts.ts'
import { open, Reader, request, rest, say, serve } from './https-server.ts'

onEveryHost(async (t, command) => {
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

  t.test('a body waits for a listener, and whenever the listener pauses', async (t) => {
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
    t.match(await server.line('finished'), { finished: true })
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

  t.test('a connection dropped before its pipelined request does not affect others', async (t) => {
    t.match(await say(server, request('GET /destroy-soon').repeat(2)), /^HTTP\/1.1 200 /)
    t.match(await ask(request('GET /other')), { body: 'GET /other' })
  })

  t.test('an error thrown by a handler is an uncaught exception, and the server continues', async (t) => {
    const socket = await open(server)
    socket.write(request('GET /throw'))
    t.match(await server.line('uncaught'), { uncaught: 'thrown by a handler' })
    socket.destroy()
    t.match(await ask(request('GET /')), { status: 200 })
  })

  t.test('a client that disconnects in the middle of its body is reported', async (t) => {
    const socket = await open(server)
    socket.write(request('POST /echo', 'Content-Length: 100\r\n', 'half'), () => socket.destroy())
    t.match(await server.line('aborted', '/echo'), { aborted: '/echo' })
  })

  t.test("Node's https client is served over kept connections", async (t) => {
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
})

function fetchText(agent: Agent, port: number, path: string): Promise<string> {
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
