import { once } from 'node:events'
import { get, type Line, onEveryClient, open, type Peer, perform, serve } from './undici-client.ts'

/** A server for the requests themselves: what to do is in the path. */
const echo = (t: Parameters<typeof serve>[0]): Promise<Peer> =>
  serve(t, (request, response) => {
    const chunks: Uint8Array[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, rawHeaders } = request
      response.end(JSON.stringify({ method, url, rawHeaders, body: Buffer.concat(chunks).toString('latin1') }))
    })
  })

onEveryClient(async (t, command) => {
  t.test('a request arrives as it was given, with the fields that its connection and its body need', async (t) => {
    const peer = await echo(t)
    const [, plain, posted, empty, bytes, own] = await perform(t, command, [
      open(peer),
      get('/a?b=c%20d'),
      {
        request: {
          path: '/',
          method: 'POST',
          headers: { 'Content-Type': 'text/plain', 'X-Odd': 'é\t!' },
          body: 'grüße'
        }
      },
      { request: { path: '/', method: 'POST' } },
      { request: { path: '/', method: 'PUT', bytes: [0, 255, 10] } },
      { request: { path: '/', method: 'M-SEARCH', headers: { Accept: 'a, b' } } }
    ])
    const host = `127.0.0.1:${peer.port}`
    const common = ['host', host, 'connection', 'keep-alive']
    t.same(JSON.parse(plain.body), { method: 'GET', url: '/a?b=c%20d', rawHeaders: common, body: '' })
    t.same(JSON.parse(posted.body), {
      method: 'POST',
      url: '/',
      rawHeaders: [...common, 'Content-Type', 'text/plain', 'X-Odd', 'é\t!', 'content-length', '7'],
      body: Buffer.from('grüße').toString('latin1')
    })
    t.same(JSON.parse(empty.body).rawHeaders, [...common, 'content-length', '0'])
    t.match(JSON.parse(bytes.body), { method: 'PUT', body: '\x00\xff\n' })
    t.same(JSON.parse(own.body).rawHeaders, [...common, 'Accept', 'a, b'])
    t.equal(peer.connections, 1)
  })

  t.test('a response has its status, its headers in lower case, and its body in every form', async (t) => {
    const peer = await serve(t, ({ url }, response) => {
      if (url === '/headers')
        response.writeHead(201, ['X-A', '1', 'x-a', '2', 'X-A', '3', 'Padded', 'a \t', '__proto__', 'p'])
      if (url === '/bom') response.write('\ufeff')
      if (url === '/chunked') response.write('first ')
      response.end(url === '/json' ? '{"a":[1]}' : 'ä')
    })
    const [, headers, text, json, bytes, count, chunked, twice, broken] = await perform(t, command, [
      open(peer),
      get('/headers'),
      get('/bom'),
      get('/json', { take: 'json' }),
      get('/', { take: 'bytes' }),
      get('/', { take: 'count' }),
      get('/chunked'),
      get('/', { take: 'twice' }),
      get('/', { take: 'json' })
    ])
    t.match(headers, { status: 201, headers: { 'x-a': ['1', '2', '3'], padded: 'a' } })
    t.equal(text.body, 'ä')
    t.same(json.body, { a: [1] })
    t.same(bytes.body, [0xc3, 0xa4])
    t.equal(count.body, 2)
    t.equal(chunked.body, 'first ä')
    t.match(twice, { status: 200, bodyError: { message: String } })
    t.match(broken.bodyError, { name: 'SyntaxError' })
  })

  t.test('responses that have no body end with their head, and a redirection is a response like others', async (t) => {
    const peer = await serve(t, ({ url }, response) => {
      const status = Number(url?.slice(1))
      response.writeHead(status, status === 302 ? { Location: '/200' } : {}).end(status === 200 ? 'body' : '')
    })
    const lines = await perform(t, command, [
      open(peer),
      { request: { path: '/200', method: 'HEAD' } },
      ...[204, 304, 302, 404, 503, 200].map((status) => get(`/${status}`))
    ])
    t.same(
      lines.slice(1).map(({ status, body }: Line) => `${status} ${body}`),
      ['200 ', '204 ', '304 ', '302 ', '404 ', '503 ', '200 body']
    )
    t.equal(peer.connections, 2, 'after HEAD there is a new connection, since some servers send a body')
  })

  t.test('a body without a length ends with the connection', async (t) => {
    const peer = await serve(t, ({ url }, response) => {
      const length = url === '/cut' ? 'Content-Length: 100\r\n' : ''
      response.socket?.end(`HTTP/1.1 200 OK\r\n${length}Connection: close\r\n\r\nto the end`)
    })
    const [, whole, cut, again] = await perform(t, command, [open(peer), get('/'), get('/cut'), get('/')])
    t.equal(whole.body, 'to the end')
    t.match(cut.bodyError, { code: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' })
    t.equal(again.body, 'to the end')
    t.equal(peer.connections, 3)
  })

  t.test('requests are sent one after another over one connection, in order', async (t) => {
    let busy = 0
    const order: string[] = []
    const peer = await serve(t, async (request, response) => {
      t.equal(++busy, 1)
      order.push(request.url!)
      setImmediate(() => {
        busy--
        response.end(request.url)
      })
    })
    const paths = ['/1', '/2', '/3', '/4', '/5']
    const together = paths.map((path) => ({ path, method: 'GET' }))
    const [, { all }] = await perform(t, command, [open(peer), { together }])
    t.same(
      all.map(({ body }: Line) => body),
      paths
    )
    t.same(order, paths)
    t.equal(peer.connections, 1)
  })

  t.test('a large request and a large response arrive completely', async (t) => {
    const peer = await serve(t, async (request, response) => {
      let received = 0
      for await (const chunk of request) received += chunk.length
      response.end(Buffer.alloc(received, 'x'))
    })
    const size = 3_000_000
    const post = { path: '/', method: 'POST' }
    const [, counted, slow, dumped, next] = await perform(t, command, [
      open(peer),
      { request: { ...post, size }, take: 'count' },
      { request: { ...post, size }, take: 'slowly' },
      { request: { ...post, size: 100_000 }, take: 'dump' },
      { request: { ...post, body: 'last' } }
    ])
    t.same([counted.body, slow.body], [size, size])
    t.match(dumped, { status: 200, bodyError: undefined })
    t.equal(next.body, 'xxxx')
    t.equal(peer.connections, 1)
  })

  t.test('a server cannot send more than is taken', async (t) => {
    const chunk = Buffer.alloc(65_536, 'z')
    const most = 16_000_000
    let sent = 0
    const peer = await serve(t, async ({ url }, response) => {
      if (url === '/large') {
        const pour = () => {
          while (sent < most) {
            sent += chunk.length
            if (!response.write(chunk)) break
          }
        }
        response.on('drain', pour)
        pour()
        return
      }
      for (let before = -1; before !== sent && sent < most; ) {
        before = sent
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      response.end(String(sent))
    })
    const [, , large, control, ended] = await perform(t, command, [
      open(peer),
      open(peer, {}, {}, 'second'),
      get('/large', { take: 'nothing' }),
      get('/control', { client: 'second' }),
      { destroy: 'main' }
    ])
    t.equal(large.status, 200)
    t.ok(Number(control.body) < most, 'what the two kernels hold, and little more')
    t.same(ended, { done: true })
  })

  t.test(
    'a caller that reads a part of a body closes the connection, and the next request opens another',
    async (t) => {
      const peer = await serve(t, ({ url }, response) => {
        if (url === '/endless') {
          const pour = () => {
            while (response.write('x'.repeat(10_000)));
          }
          response.on('drain', pour)
          pour()
        } else response.end('next')
      })
      const [, first, next, dumped, destroyed, last] = await perform(t, command, [
        open(peer),
        get('/endless', { take: 'first' }),
        get('/next'),
        get('/endless', { take: 'dump' }),
        get('/endless', { take: 'destroy' }),
        get('/next')
      ])
      t.equal(first.body, 1)
      t.equal(next.body, 'next')
      t.notOk(dumped.bodyError)
      t.match(destroyed.bodyError, { code: 'UND_ERR_ABORTED' })
      t.equal(last.body, 'next')
      t.equal(peer.connections, 4)
      while (peer.sockets.size > 0) await once([...peer.sockets][0]!, 'close')
    }
  )
})
