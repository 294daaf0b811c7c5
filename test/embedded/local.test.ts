import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { missing, native, program, script } from './programs.ts'

t.setTimeout(900_000)

const folder = mkdtempSync(join(tmpdir(), 'local-'))
t.teardown(() => rmSync(folder, { recursive: true }))

async function told(command: string, ...args: string[]): Promise<{ lines: string; status: number | null }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let lines = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    lines += text
  })
  const [status] = await once(child, 'close')
  return { lines, status }
}

/** A listener that does with each connection what `serve` says; resolves with its path. */
async function listening(name: string, serve: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => serve(socket.on('error', () => socket.destroy())))
  const path = join(folder, name)
  server.listen(path)
  await once(server, 'listening')
  t.teardown(() => server.close())
  return path
}

if (missing(native)) {
  t.test('other programs and sockets of this machine', { skip: missing(native) }, async () => {})
} else {
  const inBinary = await program('local', { sanitize: true })
  const onNode = await script('local')
  const same = async (t: Test, way: string, ...more: string[]) => {
    const expected = await told(process.execPath, onNode, way, ...more)
    const { lines, status } = await told(inBinary, way, ...more)
    t.same({ lines, status }, expected, way)
    return lines
  }

  t.test('a program is run to its end as on Node.js', async (t) => {
    const ways = ['succeed', 'fail', 'end by a signal', 'take too long', 'is not there', 'leave one behind', 'many']
    for (const way of ways) t.match(await same(t, way), /^ended/, way)
  })

  t.test('standard input is empty, unlike the open pipe of Node.js', async (t) => {
    t.match((await told(inBinary, 'read nothing')).lines, 'ended undefined false undefined ["",""]')
  })

  t.test('one that writes too much is ended', async (t) => {
    const { lines } = await told(inBinary, 'write too much')
    t.match(lines, /^ended ERR_CHILD_PROCESS_STDIO_MAXBUFFER/)
  })

  t.test('a socket sends, receives, and reports when the peer ends it', async (t) => {
    const path = await listening('polite', (socket) => {
      socket.once('data', (bytes) => socket.end(`you said ${bytes}`))
    })
    t.equal(await same(t, 'connect', path), 'connected\ndata you said hello\nclosed\n')
    t.equal(await same(t, 'destroy at once', path), 'closed\n')
  })

  t.test('datagrams reach a group and a single member', async (t) => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    const port = String(socket.address().port)
    socket.close()
    t.equal(
      await same(t, 'datagrams', port),
      'EINVAL\nto all hello 127.0.0.1 true\nto one and you? 127.0.0.1 true\none closed\none Not running\nall closed\n'
    )
    t.equal(await same(t, 'datagrams over IPv6', port), 'joined lo\nEADDRINUSE lo\nheard hello ::1 true\n')
    t.equal(await same(t, 'a datagram from elsewhere', port), 'error EADDRNOTAVAIL\n')
  })

  t.test('half a megabyte is sent and returned', async (t) => {
    const path = await listening('echo', (socket) => socket.pipe(socket))
    t.equal(await same(t, 'write much', path), `read ${8 * 65_535 + 1}\n`)
  })

  t.test('a program listens on a socket of its own, which is there as long as it does', async (t) => {
    const path = join(folder, 'own')
    t.equal(await same(t, 'listen', path), 'second EADDRINUSE\naccepted\nyou said hello\ngone true\nclosed false\n')
    t.equal(await same(t, 'listen', '/no/such/folder'), 'error EACCES\n')
  })

  t.test('a missing socket, or one without a listener, is an error', async (t) => {
    t.equal(await same(t, 'connect', join(folder, 'none')), 'error ENOENT\nclosed\n')
    t.equal(await same(t, 'connect', '/dev/null'), 'error ECONNREFUSED\nclosed\n')
    t.match((await told(inBinary, 'connect', join(folder, 'x'.repeat(200)))).lines, /^error /)
  })
}
