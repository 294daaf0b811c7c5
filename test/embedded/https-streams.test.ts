import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Test } from 'tap'
import { onEveryHost } from './https-hosts.ts'
import { open, request, type Server, serve, type Trust } from './https-server.ts'

/** A stream of events, as it arrives. */
class Stream {
  text = ''
  readonly socket: TLSSocket
  readonly closed: Promise<unknown>

  constructor(socket: TLSSocket) {
    this.socket = socket
    this.closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.on('data', (data) => {
      this.text += data.toString('latin1')
      socket.emit('more')
    })
  }

  async until(part: string): Promise<void> {
    while (!this.text.includes(part)) await once(this.socket, 'more')
  }
}

async function listen(server: Server, name: string, version = '1.1', options: Trust = {}): Promise<Stream> {
  const stream = new Stream(await open(server, options))
  stream.socket.write(`GET /events/${name} HTTP/${version}\r\nHost: localhost\r\n\r\n`)
  await stream.until('data: first\n\n')
  return stream
}

onEveryHost(async (t, command) => {
  const server = await serve(t, command, { keepAliveTimeout: 60_000 })
  /** On a connection of its own, which stays idle for as long as the test takes. */
  const teller = async (server: Server, t: Test) => {
    const stream = new Stream(await open(server))
    t.teardown(() => stream.socket.destroy())
    return async (path: string, answer: string) => {
      stream.text = ''
      stream.socket.write(request(`GET ${path}`))
      await stream.until(answer)
    }
  }

  t.test('each write is sent at once, as a chunk of its own', async (t) => {
    const tell = await teller(server, t)
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const stream = await listen(server, 'chunks', '1.1', { minVersion: version, maxVersion: version })
      t.match(stream.text, /^HTTP\/1.1 200 OK\r\n/)
      t.match(stream.text, /Transfer-Encoding: chunked\r\n/)
      t.notMatch(stream.text, /Content-Length/)
      await tell('/publish/two', '[true]')
      await stream.until('\r\nb\r\ndata: two\n\n\r\n')
      await tell('/end-streams', 'ended')
      await stream.until('\r\n0\r\n\r\n')
      t.match(await server.line('gone', '/events/chunks'), { finished: true })
      stream.socket.write(request('GET /after'))
      await stream.until('GET /after')
      stream.socket.destroy()
    }
  })

  t.test('a client of HTTP/1.0 gets it bare, and the end of the connection for its end', async (t) => {
    const tell = await teller(server, t)
    const stream = await listen(server, 'old', '1.0')
    await tell('/publish/two', '[true]')
    await tell('/end-streams', 'ended')
    await stream.closed
    t.match(
      stream.text,
      /^HTTP\/1.1 200 OK\r\n(?!.*chunked).*Connection: close\r\n(.*\r\n)?\r\ndata: first\n\ndata: two\n\n$/s
    )
  })

  t.test('each way of disconnecting is reported without a further write', async (t) => {
    const leave: Record<string, (socket: TLSSocket, raw: Socket) => unknown> = {
      'with its last word': (socket) => socket.end(),
      'without a word': (_, raw) => raw.end(),
      'at once': (_, raw) => raw.destroy(),
      'with a reset': (_, raw) => raw.resetAndDestroy()
    }
    for (const [name, go] of Object.entries(leave).map(([name, go]) => [name.replaceAll(' ', '-'), go] as const)) {
      for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
        const raw = connect(server.port, '127.0.0.1')
        const stream = await listen(server, name, '1.1', { socket: raw, minVersion: version, maxVersion: version })
        go(stream.socket, raw)
        t.match(await server.line('gone', `/events/${name}`), { finished: false }, `${name}, ${version}`)
      }
    }
  })

  t.test('no time runs out while a stream is silent', async (t) => {
    const times = { headersTimeout: 1000, requestTimeout: 1000, keepAliveTimeout: 50, connectionsCheckingInterval: 20 }
    const server = await serve(t, command, { ...times, writeTimeout: 500, lingerTimeout: 500 })
    const stream = await listen(server, 'silent')
    for (let times = 0; times < 11; times++) {
      const other = new Stream(await open(server))
      other.socket.write(request('GET /slow')) // 100 ms
      await other.until('slow')
      other.socket.destroy()
    }
    const last = new Stream(await open(server))
    last.socket.write(request('GET /publish/later'))
    await last.until('[true]')
    await stream.until('data: later')
    t.pass('it goes on')
    for (const { socket } of [stream, last]) socket.destroy()
  })

  t.test('write reports a client that does not read, and drain that it reads again', async (t) => {
    const tell = await teller(server, t)
    const stream = await listen(server, 'lazy')
    stream.socket.pause()
    await tell('/flood', 'flooded')
    const { waiting } = await server.line('full', '/events/lazy')
    t.ok(Number(waiting) > 0 && Number(waiting) < 100_000, `${waiting} bytes wait`)
    const received = stream.text.length
    stream.socket.resume()
    t.match(await server.line('drained'), { drained: '/events/lazy' })
    await tell('/publish/again', '[true]')
    await stream.until('data: again')
    t.ok(stream.text.length > received)
    stream.socket.destroy()
    await server.line('gone', '/events/lazy')
  })

  t.test('a client that disconnects without reading is reported, too', async (t) => {
    const tell = await teller(server, t)
    const stream = await listen(server, 'rude')
    stream.socket.pause()
    await tell('/flood', 'flooded')
    stream.socket.destroy()
    t.match(await server.line('gone', '/events/rude'), { finished: false })
  })

  t.test('a request sent while a stream runs waits for its end', async (t) => {
    const tell = await teller(server, t)
    const stream = await listen(server, 'pipelined')
    stream.socket.write(request('GET /next'))
    await tell('/publish/two', '[true]')
    await stream.until('data: two')
    await tell('/end-streams', 'ended')
    await stream.until('GET /next')
    t.ok(stream.text.indexOf('GET /next') > stream.text.indexOf('0\r\n\r\n'))
    stream.socket.destroy()
  })

  t.test('one stream that ends leaves the others alone', async (t) => {
    const tell = await teller(server, t)
    const streams = await Promise.all(['a', 'b', 'c', 'd'].map((name) => listen(server, name)))
    streams[1]!.socket.destroy()
    await server.line('gone', '/events/b')
    await tell('/publish/rest', '[true,true,true]')
    for (const stream of streams.filter((_, index) => index !== 1)) {
      await stream.until('data: rest')
      stream.socket.destroy()
      await server.line('gone')
    }
  })

  t.test('closeAllConnections cuts streams, and nothing keeps the process', async (t) => {
    const server = await serve(t, command)
    const stream = await listen(server, 'cut')
    const other = await open(server)
    other.on('error', () => {})
    other.write(request('GET /close-all'))
    await stream.closed
    t.match(await server.line('gone', '/events/cut'), { finished: false })
    t.match(await server.line('closed'), { closed: true })
    t.equal(await server.ended, 0)
  })
})
