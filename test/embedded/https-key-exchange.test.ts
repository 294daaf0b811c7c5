import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { directory } from '#test/host/server.ts'
import { onEveryHost } from './https-hosts.ts'
import { type Server, serve } from './https-server.ts'
import { alerts, clientHello, groups, type Reply, reply, type Share, visitWithOpenssl } from './openssl.ts'

const { X25519MLKEM768, X25519, P521 } = groups
const encapsulationKey = 1184
const ciphertext = 1088
const x25519 = 32

/** OpenSSL has the group since 3.5, and Node.js since it has that. */
const lacksGroup =
  Number.parseFloat(process.versions.openssl) < 3.5 && `OpenSSL ${process.versions.openssl} has no ML-KEM`

/** A valid share of a client: all coefficients are zero. */
function validShare(change: (share: Buffer) => void = () => {}): Share {
  const share = Buffer.concat([Buffer.alloc(encapsulationKey), randomBytes(x25519)])
  change(share)
  return [X25519MLKEM768, share]
}

/** The server's reply to each message of one connection. */
async function say(server: Server, ...hellos: Buffer[]): Promise<Reply[]> {
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => {})
  const replies = []
  for (const hello of hellos) {
    const arrived = Promise.race([once(socket, 'data'), once(socket, 'close')])
    socket.write(hello)
    const [data] = await arrived
    replies.push(Buffer.isBuffer(data) ? reply(data) : undefined)
  }
  socket.destroy()
  return replies
}

onEveryHost(async (t, command, isNode) => {
  const server = await serve(t, command)

  t.test('X25519MLKEM768', { skip: isNode && lacksGroup }, async (t) => {
    t.test('OpenSSL 3.5 gets it without asking for it', async (t) => {
      t.match(await visitWithOpenssl(server.port), { group: 'X25519MLKEM768', hellos: 1, served: true })
    })

    t.test('a client that offers it without a share is asked for one', async (t) => {
      const visit = await visitWithOpenssl(server.port, ['-groups', 'P-521:X25519MLKEM768'])
      t.match(visit, { group: 'X25519MLKEM768', hellos: 2, served: true })
    })

    t.test('a session is resumed with a new exchange', async (t) => {
      const file = join(directory(t), 'session')
      t.match(await visitWithOpenssl(server.port, ['-sess_out', file]), { reused: false, served: true })
      const resumed = await visitWithOpenssl(server.port, ['-sess_in', file])
      t.match(resumed, { group: 'X25519MLKEM768', reused: true, served: true })
    })

    t.test('in TLS 1.2 it is not taken for X25519, and P-256 is negotiated', async (t) => {
      const older = await serve(t, command, { maxVersion: 'TLSv1.2' })
      const visit = await visitWithOpenssl(older.port, ['-groups', 'X25519MLKEM768:P-256'])
      t.match(visit, { group: 'prime256v1', served: true })
    })

    t.test('a share of 1216 bytes is answered with one of 1120', async (t) => {
      const hello = clientHello([X25519MLKEM768], [validShare()])
      t.same(await say(server, hello), [{ group: X25519MLKEM768, length: ciphertext + x25519 }])
    })

    t.test('a share with another length is refused', async (t) => {
      for (const length of [1, x25519, ciphertext, encapsulationKey, 1215, 1217, 4000]) {
        const hello = clientHello([X25519MLKEM768], [[X25519MLKEM768, Buffer.alloc(length, 1)]])
        t.same(await say(server, hello), [{ alert: alerts.illegalParameter }], `${length} bytes`)
      }
    })

    t.test('a share that ends before its length says is refused', async (t) => {
      const hello = clientHello([X25519MLKEM768], [validShare()])
      const length = hello.indexOf(Buffer.of(0x11, 0xec, 0x04, 0xc0)) + 2
      hello.writeUInt16BE(1217, length)
      t.same(await say(server, hello), [{ alert: alerts.decodeError }])
    })

    t.test('a key of ML-KEM with a coefficient that is not below 3329 is refused', async (t) => {
      // Each coefficient has 12 bits (FIPS 203, 4.2.1): in the first and the last two bytes.
      for (const [at, coefficient] of [
        [0, 3329],
        [0, 4095],
        [encapsulationKey - 32 - 2, 4095 << 4]
      ] as const) {
        const invalid = validShare((share) => share.writeUInt16LE(coefficient, at))
        t.same(await say(server, clientHello([X25519MLKEM768], [invalid])), [{ alert: alerts.illegalParameter }])
      }
      const largest = validShare((share) => share.writeUInt16LE(3328, 0))
      t.match(await say(server, clientHello([X25519MLKEM768], [largest])), [{ group: X25519MLKEM768 }])
    })

    t.test('a share is checked in the second hello as well', async (t) => {
      const first = clientHello([X25519MLKEM768, P521], [[P521, Buffer.alloc(133, 4)]])
      const second = clientHello([X25519MLKEM768, P521], [[X25519MLKEM768, Buffer.alloc(1215)]])
      t.same(await say(server, first, second), [{ retry: X25519MLKEM768 }, { alert: alerts.illegalParameter }])
    })

    t.test('a point of X25519 of small order is refused', async (t) => {
      const share = validShare((share) => share.fill(0, encapsulationKey))
      const [answer] = await say(server, clientHello([X25519MLKEM768], [share]))
      t.ok(answer === undefined || 'alert' in answer, JSON.stringify(answer))
    })
  })

  t.test('a client without it gets the group that it has a share of', async (t) => {
    t.match(await visitWithOpenssl(server.port, ['-groups', 'X25519']), { group: 'X25519', hellos: 1, served: true })
    const hello = clientHello([X25519], [[X25519, randomBytes(x25519)]])
    t.same(await say(server, hello), [{ group: X25519, length: x25519 }])
  })

  t.test('hellos with changed bytes never end the server', async (t) => {
    // The same ones each time: a linear congruential generator (Numerical Recipes).
    let state = 1
    const below = (bound: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return Math.floor((state / 2 ** 32) * bound)
    }
    const mutant = () => {
      const hello = clientHello([X25519MLKEM768, X25519], [validShare(), [X25519, randomBytes(x25519)]])
      // Half of the changes are in the lengths and names before the shares.
      for (let left = 1 + below(4); left > 0; left--)
        hello[below(below(2) === 0 ? hello.length : 130)] = [0, 255, below(256)][below(3)]!
      return hello.subarray(0, below(4) === 0 ? below(hello.length) : hello.length)
    }
    for (let round = 0; round < 40; round++) {
      const closed = Array.from({ length: 16 }, () => {
        const socket = connect(server.port, '127.0.0.1')
        socket.on('error', () => {})
        socket.resume()
        socket.end(mutant())
        return once(socket, 'close')
      })
      await Promise.all(closed)
    }
    t.match(await visitWithOpenssl(server.port), { served: true })
  })
})
