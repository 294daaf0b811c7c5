import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { directory } from '#test/host/server.ts'
import { deadPort } from '#test/runtime/service/events/subscriber.ts'
import { alerts, groups, openssl, type Share, serverHello } from './openssl.ts'
import { get, localhost, onEveryClient, open, perform } from './undici-client.ts'

const { P256, P521, X25519, X25519MLKEM768 } = groups
const [ciphertext, x25519] = [1088, 32]

/** A server of OpenSSL 3.5 with these groups. @returns its origin, and how many hellos it got and sessions it resumed */
async function serveWithOpenssl(t: Test, offered: string) {
  const folder = directory(t)
  const pem = join(folder, 'server.pem')
  writeFileSync(pem, localhost.key + localhost.certificate)
  const port = await deadPort()
  const words = ['s_server', '-accept', `127.0.0.1:${port}`, '-cert', pem, '-groups', offered, '-www', '-msg']
  const [program, ...before] = openssl()
  const child = spawn(program, [...before, ...words], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(() => child.kill())
  let text = ''
  child.stdout.on('data', (data) => {
    text += data
  })
  while (!text.includes('ACCEPT')) await once(child.stdout, 'data')
  return {
    origin: `https://localhost:${port}`,
    hellos: () => [...text.matchAll(/^<<< .*, ClientHello$/gm)].length
  }
}

/** A server that answers a hello with this one, and more. @returns its origin, and the alert that it gets */
async function answerWith(t: Test, answer: Share | number, more = Buffer.alloc(0)) {
  let heard: (alert: number | undefined) => void = () => {}
  const alert = new Promise<number | undefined>((resolve) => {
    heard = resolve
  })
  const server = createServer((socket) => {
    const parts: Buffer[] = []
    socket.once('data', (hello) => {
      socket.write(Buffer.concat([serverHello(hello, answer), more]))
      socket.on('data', (data) => parts.push(data))
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      // The record that changes nothing (RFC 8446, D.4) may come first.
      const all = Buffer.concat(parts)
      const at = all[0] === 20 ? 6 : 0
      heard(all[at] === 21 ? all[at + 6] : undefined)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { origin: `https://localhost:${(server.address() as AddressInfo).port}`, alert }
}

/** OpenSSL has the group since 3.5, and Node.js since it has that. */
const lacksGroup =
  Number.parseFloat(process.versions.openssl) < 3.5 && `OpenSSL ${process.versions.openssl} has no ML-KEM`

onEveryClient(async (t, command, isNode) => {
  t.test('X25519MLKEM768', { skip: isNode && lacksGroup }, async (t) => {
    t.test('is used with a server of OpenSSL 3.5, and offered first', async (t) => {
      for (const offered of ['X25519MLKEM768', 'X25519:X25519MLKEM768']) {
        const server = await serveWithOpenssl(t, offered)
        const [, answer] = await perform(t, command, [open(server), get('/', { take: 'text' })])
        t.match(answer, { status: 200, body: /Supported groups: X25519MLKEM768:x25519:secp256r1/ }, offered)
        t.equal(server.hellos(), 1)
      }
    })

    t.test('a session is resumed with it', async (t) => {
      const server = await serveWithOpenssl(t, 'X25519MLKEM768')
      const page = get('/', { take: 'text' })
      const [, first, second] = await perform(t, command, [open(server), page, page])
      t.match(first, { body: /^New, TLSv1.3/m })
      t.match(second, { body: /^Reused, TLSv1.3/m })
    })

    t.test('a server with X25519 alone needs no second hello, one with another group does', async (t) => {
      for (const [offered, hellos] of [
        ['X25519', 1],
        ['P-256', 2]
      ] as const) {
        const server = await serveWithOpenssl(t, offered)
        const [, answer] = await perform(t, command, [open(server), get('/', { take: 'text' })])
        t.match(answer, { status: 200 }, offered)
        t.equal(server.hellos(), hellos, offered)
      }
    })

    t.test('a share of a server with another length is refused', async (t) => {
      for (const length of [1, x25519, ciphertext, 1119, 1121, 1216]) {
        const server = await answerWith(t, [X25519MLKEM768, Buffer.alloc(length, 9)])
        const [, answer] = await perform(t, command, [open(server), get('/')])
        t.match(answer, { error: {} }, `${length} bytes`)
        t.equal(await server.alert, alerts.illegalParameter, `${length} bytes`)
      }
    })

    t.test('a ciphertext for another key leads to another secret, which ends the handshake', async (t) => {
      const encrypted = Buffer.concat([Buffer.of(23, 3, 3, 0, 40), randomBytes(40)])
      const server = await answerWith(t, [X25519MLKEM768, randomBytes(ciphertext + x25519)], encrypted)
      const [, answer] = await perform(t, command, [open(server), get('/')])
      t.match(answer, { error: {} })
      t.equal(await server.alert, alerts.badRecordMac)
    })

    t.test('a group without a share, and a wish for a share that was sent, are refused', async (t) => {
      for (const [answer, alert] of [
        [[P256, Buffer.alloc(65, 4)], alerts.handshakeFailure],
        [[P521, Buffer.alloc(133, 4)], alerts.handshakeFailure],
        [X25519, alerts.illegalParameter],
        [X25519MLKEM768, alerts.illegalParameter]
      ] as const) {
        const server = await answerWith(t, answer)
        const [, result] = await perform(t, command, [open(server), get('/')])
        t.match(result, { error: {} })
        t.equal(await server.alert, alert)
      }
    })
  })
})
