/** The client of fixtures/undici.ts as a child process, on every host, and https servers for it. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer, type Server, type ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import type { Step } from '#test/embedded/fixtures/undici.ts'
import { workFolder } from './dropIn.ts'
import { binaries, type Command, onNode, type Program } from './program.ts'
import { missing, native } from './programs.ts'
import { type Signed, signed } from './undici-certificates.ts'

const { buildBinary } = await import(pathToFileURL('runtime/build/binary.mjs').href)
const { embeddedBundle } = await import(pathToFileURL('runtime/build/bundle.mjs').href)

t.setTimeout(900_000)
const clientTime = 60_000
/** Freed memory is returned soon, so that growth is seen. */
const sanitizerOptions = { ASAN_OPTIONS: 'quarantine_size_mb=1:thread_local_quarantine_size_kb=64' }

const sanitized: Program = {
  host: 'a binary under AddressSanitizer and UBSan',
  skip: missing(native),
  async build(fixture) {
    const out = join(workFolder, `${fixture}-sanitized`)
    await embeddedBundle({ entry: resolve(`test/embedded/fixtures/${fixture}.ts`), out: `${out}.mjs` })
    buildBinary({ bundle: `${out}.mjs`, out, sanitize: true })
    return [out]
  }
}

/** Runs `suite` with the package on Node.js, and with the drop-in in the binaries: what they do is the same. */
export function onEveryClient(
  suite: (t: Test, command: Command, isNode: boolean) => void | Promise<void>,
  fixture = 'undici'
): void {
  for (const host of [onNode, ...binaries, sanitized]) {
    t.test(`${fixture} on ${host.host}`, { skip: host.skip }, async (t) =>
      suite(t, await host.build(fixture), host === onNode)
    )
  }
}

// biome-ignore lint/suspicious/noExplicitAny: lines of JSON, which assertions look into
export type Line = any

/** Runs the steps to their end and gives what became of each. Fails the test when the client says anything else, or fails. */
export async function perform(t: Test, [program, ...words]: Command, steps: object, env = {}): Promise<Line[]> {
  const child = spawn(program, words, {
    env: { ...process.env, ...sanitizerOptions, ...env, CLIENT_SCRIPT: JSON.stringify(steps) },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: clientTime,
    killSignal: 'SIGKILL'
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: Line[] = []
  let noise = ''
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)))
  child.stderr.on('data', (data) => {
    noise += data
  })
  const [status] = await once(child, 'close')
  t.equal(status, 0, noise)
  t.equal(noise, '')
  return lines
}

export interface Peer {
  server: Server
  port: number
  origin: string
  /** Connections so far, and those that are open. */
  connections: number
  sockets: Set<Socket>
}

export const authority = signed({ subject: 'authority', isAuthority: true })
export const localhost = signed({
  subject: 'server',
  names: ['DNS:localhost', 'IP:127.0.0.1', 'IP:::1'],
  by: authority
})

const identity = ({ certificate, key }: Signed) => ({ cert: certificate, key })

/** A server on loopback that ends with the test. */
export async function serve(
  t: Test,
  listener: RequestListener,
  options: ServerOptions = {},
  host = '127.0.0.1'
): Promise<Peer> {
  const server = createServer({ ...identity(localhost), ...options }, listener)
  const peer: Peer = { server, port: 0, origin: '', connections: 0, sockets: new Set() }
  server.on('connection', (socket: Socket) => {
    peer.sockets.add(socket)
    socket.on('close', () => peer.sockets.delete(socket))
    socket.on('error', () => {})
  })
  server.on('secureConnection', (socket) => {
    peer.connections++
    socket.on('error', () => {})
  })
  server.listen(0, host)
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of peer.sockets) socket.destroy()
  })
  peer.port = (server.address() as AddressInfo).port
  peer.origin = `https://${host.includes(':') ? `[${host}]` : host}:${peer.port}`
  return peer
}

/** The first step of most scripts: a client that trusts the authority. */
export const open = (
  { origin }: Pick<Peer, 'origin'>,
  options: object = {},
  connect: object = {},
  name = 'main'
): Step => ({
  open: name,
  origin,
  options: { ...options, connect: { ca: authority.certificate, ...connect } }
})

export const get = (path: string, more: object = {}): Step => ({ request: { path, method: 'GET' }, ...more })

/** A hosts file of these lines, gone when the test ends. */
export function hostsFile(t: Test, lines: readonly string[]): string {
  const file = join(workFolder, `hosts-${lines.length}`)
  writeFileSync(file, `${lines.join('\n')}\n`)
  t.teardown(() => rmSync(file, { force: true }))
  return file
}
