import { once } from 'node:events'
import type { TLSSocket } from 'node:tls'
import { onEveryHost } from './https-hosts.ts'
import { open, Reader, request, say, serve } from './https-server.ts'

onEveryHost((t, command, isNode) => {
  t.test('a head, and a body, that take too long are refused', async (t) => {
    const times = { headersTimeout: 150, requestTimeout: 300, connectionsCheckingInterval: 20 }
    const server = await serve(t, command, times)
    const head = await say(server, 'GET / HTTP/1.1\r\nHost: l')
    t.match(head, /ERR_HTTP_REQUEST_TIMEOUT$/)
    const body = await say(server, request('POST /echo', 'Content-Length: 10\r\n', 'half'))
    t.match(body, /ERR_HTTP_REQUEST_TIMEOUT$/)
  })

  if (!isNode) {
    t.test('time in which the process is stopped does not count for timeouts', async (t) => {
      const times = { headersTimeout: 300, handshakeTimeout: 300, connectionsCheckingInterval: 20 }
      const server = await serve(t, command, times)
      const [slow, other] = [await open(server), await open(server)]
      const [reader, others] = [new Reader(slow), new Reader(other)]
      for (const [socket, answers] of [[slow, reader] as const, [other, others] as const]) {
        socket.write(request('GET /first'))
        t.match(await answers.next(), { body: 'GET /first' })
      }
      slow.write('GET /second HTTP/1.1\r\nHost: l')
      other.write(request('GET /stand-still'))
      await server.line('still')
      slow.write('\r\n\r\n')
      const late = open(server)
      t.match(await reader.next(), { body: 'GET /second' })
      for (const socket of [slow, other, await late]) socket.destroy()
    })

    t.test('handshakes continue while connected clients keep the process busy', async (t) => {
      const server = await serve(t, command)
      const kept = await Promise.all([1, 2, 3, 4].map(() => open(server)))
      let answers = 0
      let isOver = false
      const busy = kept.map(async (socket) => {
        const reader = new Reader(socket)
        while (!isOver) {
          socket.write(request('GET /work'))
          await reader.next()
          answers += 1
        }
      })
      const others = await Promise.all(Array.from({ length: 32 }, () => open(server)))
      t.ok(answers < 100, `${answers} answers while 32 clients came`)
      isOver = true
      await Promise.all(busy)
      for (const socket of [...kept, ...others]) socket.destroy()
    })

    t.test('one request may be given more time than the others', async (t) => {
      const server = await serve(t, command, { requestTimeout: 150, connectionsCheckingInterval: 20 })
      const patient = await open(server)
      const reader = new Reader(patient)
      patient.write(request('POST /patient', 'Content-Length: 8\r\n', 'half'))
      t.match(await say(server, request('POST /echo', 'Content-Length: 8\r\n', 'half')), /ERR_HTTP_REQUEST_TIMEOUT$/)
      patient.write('full')
      t.match(await reader.next(), { status: 200, body: 'halffull' })
      patient.write(request('POST /echo', 'Content-Length: 8\r\n', 'half'))
      t.match(await reader.next(), { body: /ERR_HTTP_REQUEST_TIMEOUT$/ }, 'the next one has the usual time')
    })
  }

  t.test('the timeout of a request starts with its first byte', async (t) => {
    const server = await serve(t, command, { requestTimeout: 1000, connectionsCheckingInterval: 20 })
    const used = await open(server)
    const reader = new Reader(used)
    const slowly = async (socket: TLSSocket, reader: Reader, times: number) => {
      for (let index = 0; index < times; index++) {
        socket.write(request('GET /slow'))
        t.match(await reader.next(), { body: 'slow' })
      }
    }
    await slowly(used, reader, 11) // 100 ms each
    used.write(request('POST /echo', 'Content-Length: 8\r\n', 'half'))
    const other = await open(server)
    await slowly(other, new Reader(other), 3)
    used.write('full')
    t.match(await reader.next(), { status: 200, body: 'halffull' })
    for (const socket of [used, other]) socket.destroy()
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
    t.match(await second.line('error'), { error: 'EADDRINUSE' })
  })

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
    t.match(await server.line('closed'), { closed: true })
    t.equal(await server.ended, 0, 'nothing keeps the process')
  })

  t.test('closeAllConnections drops them all', async (t) => {
    const server = await serve(t, command)
    const idle = await open(server)
    idle.on('error', () => {})
    const dropped = once(idle, 'close')
    t.equal(await say(server, request('GET /close-all')), '')
    await dropped
    t.match(await server.line('closed'), { closed: true })
  })

  const noLimit = isNode && 'Node.js waits for ever'
  t.test('a client that takes nothing of its answer for too long is dropped', { skip: noLimit }, async (t) => {
    const server = await serve(t, command, { writeTimeout: 200 })
    const socket = await open(server)
    socket.on('error', () => {})
    socket.pause()
    socket.write(request('GET /endless'))
    t.match(await server.line('cut'), { cut: true })
    socket.destroy()
  })

  t.test('a handler may answer after the connection and the server have closed', async (t) => {
    const server = await serve(t, command)
    const socket = await open(server)
    socket.write(request('POST /kept', 'Content-Length: 10\r\n', 'half'), () => socket.destroy())
    t.match(await server.line('late'), { late: [true, false, true] })
    t.equal(await server.ended, 0)
  })
})
