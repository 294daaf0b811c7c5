import { connect, createServer, type Socket } from 'node:net'
import type { Scope } from '#test/host/server.ts'

interface Link {
  /** Milliseconds from one end to the other and back. */
  readonly roundTrip: number
  /** Bytes a second in each direction, which all connections share. */
  readonly rate: number
}

/** Bytes that go over the link at a time: what a packet carries. */
const packet = 1400

/**
 * A port that leads to another one over a slow link. It delays and paces bytes of TCP, handshakes among them, which the
 * browser's own emulation leaves out.
 */
export async function slowLink(scope: Scope, port: number, { roundTrip, rate }: Link): Promise<number> {
  const lanes = { up: new Lane(rate), down: new Lane(rate) }
  const open = new Set<Socket>()
  const proxy = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    // The handshake of TCP takes a round trip as well.
    const ready = performance.now() + roundTrip
    carry(near, far, lanes.up, roundTrip / 2, ready)
    carry(far, near, lanes.down, roundTrip / 2, ready)
    for (const socket of [near, far]) open.add(socket.setNoDelay())
  })
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
  scope.teardown(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
  })
  return (proxy.address() as { readonly port: number }).port
}

/** One direction of the link: what is sent waits until what was sent before it has gone. */
class Lane {
  readonly #rate: number
  #free = 0

  constructor(rate: number) {
    this.#rate = rate
  }

  /** When some bytes that are sent at a time have gone, in milliseconds. */
  pass(bytes: number, from: number): number {
    this.#free = Math.max(this.#free, from) + (bytes / this.#rate) * 1000
    return this.#free
  }
}

function carry(from: Socket, to: Socket, lane: Lane, delay: number, ready: number): void {
  let last = Promise.resolve()
  /** Does something at a time, and after what came before it. */
  const then = (time: number, act: () => void) => {
    last = last
      .then(() => new Promise<void>((done) => setTimeout(done, Math.max(0, time - performance.now()))))
      .then(() => void (to.destroyed || act()))
  }
  from.on('data', (bytes) => {
    for (let at = 0; at < bytes.length; at += packet) {
      const part = bytes.subarray(at, at + packet)
      then(lane.pass(part.length, Math.max(ready, performance.now())) + delay, () => to.write(part))
    }
  })
  from.on('end', () => then(performance.now() + delay, () => to.end()))
  for (const socket of [from, to]) socket.on('error', () => socket.destroy())
}
