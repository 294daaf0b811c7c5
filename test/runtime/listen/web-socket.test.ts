import { EventEmitter } from 'node:events'
import t from 'tap'
import type { Exchange, Peer } from '#runtime/contract'
import { FrameReader, frame, type Tunnel, webSocket } from '#runtime/listen/web-socket.ts'

/** A small generator: the same numbers each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

/** A frame of a client (RFC 6455 5.2), whose length may be written longer than it needs to be. */
function masked(first: number, payload: Uint8Array, form = payload.length < 126 ? 0 : payload.length < 65_536 ? 2 : 8) {
  const mask = Uint8Array.of(0x11, 0xf0, 0x3c, 0x99)
  const size = Buffer.alloc(form)
  if (form === 2) size.writeUInt16BE(payload.length)
  if (form === 8) size.writeBigUInt64BE(BigInt(payload.length))
  const short = form === 0 ? payload.length : form === 2 ? 126 : 127
  return Buffer.concat([Buffer.of(first, 0x80 | short), size, mask, payload.map((byte, i) => byte ^ mask[i & 3]!)])
}

/** The output of a frame reader for bytes in these pieces. */
function read(pieces: Iterable<Uint8Array>) {
  const data: Uint8Array[] = []
  const controls: [number, string][] = []
  const reader = new FrameReader({
    data: (bytes) => data.push(bytes),
    control: (opcode, payload) => controls.push([opcode, Buffer.from(payload).toString()])
  })
  let fault: number | undefined
  for (const piece of pieces) {
    fault = reader.add(piece)
    if (fault !== undefined) break
  }
  return { text: Buffer.concat(data).toString(), controls, fault }
}

function* cut(bytes: Buffer, below: (limit: number) => number) {
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + below(9)
    yield bytes.subarray(at, at + length)
    at += length
  }
}

t.test('however frames are cut into pieces, the content is the same', async (t) => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const below = numbers(seed)
    const frames: Buffer[] = []
    const controls: [number, string][] = []
    let text = ''
    let open = false
    for (let count = 0; count < 12; count += 1) {
      if (below(3) === 0) {
        const payload = 'p'.repeat(below(126))
        const opcode = 9 + below(2)
        controls.push([opcode, payload])
        frames.push(masked(0x80 | opcode, Buffer.from(payload)))
      }
      const payload = String(count).repeat(below(300))
      const final = below(2) === 0
      frames.push(
        masked(
          (final ? 0x80 : 0) | (open ? 0 : 1 + below(2)),
          Buffer.from(payload),
          payload.length < 126 ? [0, 2, 8][below(3)] : 2
        )
      )
      open = !final
      text += payload
    }
    const bytes = Buffer.concat(frames)
    t.strictSame(read(cut(bytes, below)), { text, controls, fault: undefined }, `seed ${seed}`)
  }
})

t.test('a protocol error of a client ends with 1002, and a message that is too large with 1009', async (t) => {
  const x = Buffer.from('x')
  for (const [what, bytes, status] of [
    ['not masked', Buffer.of(0x82, 0x01, 0x78), 1002],
    ['an extension', masked(0xc2, x), 1002],
    ['an unknown frame', masked(0x83, x), 1002],
    ['an unknown control', masked(0x8b, x), 1002],
    ['a control in parts', masked(0x09, x), 1002],
    ['a long control', masked(0x89, Buffer.alloc(126)), 1002],
    ['a second part without a first', masked(0x80, x), 1002],
    ['a second message in the first', Buffer.concat([masked(0x01, x), masked(0x81, x)]), 1002],
    ['2^63 bytes', Buffer.from('82ff80000000000000000000000078', 'hex'), 1009]
  ] as const) {
    t.equal(read([bytes]).fault, status, what)
  }
})

t.test('no bytes at all make the reader throw, or keep more than it was given', async (t) => {
  const below = numbers(7)
  let faults = 0
  for (let round = 0; round < 5000; round += 1) {
    const bytes = Buffer.from(
      Array.from({ length: 40 }, () => (below(3) > 0 ? [0x80, 0x81, 0x82, 0x89, 0x01, 0][below(6)]! : below(256)))
    )
    const { text, controls, fault } = read(cut(bytes, below))
    const content = controls.reduce((sum, [, payload]) => sum + Buffer.byteLength(payload), 0)
    if (Math.min(text.length, content) > 3 * bytes.length) t.fail(`more than there is: ${bytes.toString('hex')}`)
    if (fault !== undefined) faults += 1
  }
  t.ok(faults > 1000 && faults < 5000, `${faults} of them are refused`)
})

t.test('a frame of the service has the shortest length that fits', async (t) => {
  for (const [length, head] of [
    [0, '8200'],
    [125, '827d'],
    [126, '827e007e'],
    [65_535, '827effff'],
    [65_536, '827f0000000000010000']
  ] as const) {
    const bytes = frame(2, new Uint8Array(length))
    t.equal(Buffer.from(bytes.subarray(0, bytes.length - length)).toString('hex'), head)
  }
})

/** A connection in memory. */
class Line extends EventEmitter implements Tunnel {
  readonly written: string[] = []
  ended = false
  destroyed = false
  writableLength = 0
  isRead = true

  write(bytes: Uint8Array) {
    this.written.push(Buffer.from(bytes).toString('hex'))
    return this.isRead
  }

  end() {
    this.ended = true
  }

  destroy() {
    if (!this.destroyed) queueMicrotask(() => this.emit('close'))
    this.destroyed = true
  }
}

function open(keepAlive = 60_000) {
  const line = new Line()
  const heard: string[] = []
  let gone = 0
  const exchange: Exchange = {
    received: (bytes) => heard.push(Buffer.from(bytes).toString()),
    gone: () => {
      gone += 1
    }
  }
  let peer!: Peer
  webSocket(
    line,
    (each) => {
      peer = each
      return exchange
    },
    keepAlive
  )
  return { line, heard, peer, gone: () => gone, send: (bytes: Uint8Array) => line.emit('data', bytes) }
}

t.test('a ping is answered, and a goodbye with the same status', async (t) => {
  const { line, heard, send, gone } = open()
  send(masked(0x89, Buffer.from('hi')))
  send(masked(0x82, Buffer.from('typed')))
  send(masked(0x88, Buffer.of(0x03, 0xe9)))
  send(masked(0x82, Buffer.from('too late')))
  t.strictSame(line.written, ['8a026869', '880203e9'])
  t.strictSame(heard, ['typed'])
  t.ok(line.ended)
  line.destroy()
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(gone(), 1)
})

t.test('of the pings of a client that does not read, the last one is answered when it reads again', async (t) => {
  const { line, send } = open()
  line.isRead = false
  for (const payload of ['1', '2', '3']) send(masked(0x89, Buffer.from(payload)))
  t.strictSame(line.written, ['8a0131'])
  line.isRead = true
  line.emit('drain')
  t.strictSame(line.written, ['8a0131', '8a0133'])
  send(masked(0x89, Buffer.from('4')))
  t.strictSame(line.written.length, 3)
  line.destroy()
})

t.test('a close frame with a reserved status is a protocol error', async (t) => {
  for (const [payload, answer] of [
    ['', '880203e8'],
    ['0fa0', '88020fa0'],
    ['03ed', '880203ea'],
    ['07d0', '880203ea'],
    ['03', '880203ea']
  ] as const) {
    const { line, send } = open()
    send(masked(0x88, Buffer.from(payload, 'hex')))
    t.strictSame(line.written, [answer], payload)
    line.destroy()
  }
})

t.test('a client that is silent is asked, and given up when it stays so', async (t) => {
  const { line, send, gone } = open(20)
  const asked = () => line.written.filter((each) => each === '8900').length
  while (asked() < 1) await new Promise((resolve) => setTimeout(resolve, 5))
  send(masked(0x8a, Buffer.alloc(0)))
  t.notOk(line.destroyed)
  while (!line.destroyed) await new Promise((resolve) => setTimeout(resolve, 5))
  t.ok(asked() >= 2)
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(gone(), 1)
})

t.test('nothing is written after the goodbye, and a client that does not answer it is cut off', async (t) => {
  const { line, peer } = open()
  peer.end(1001)
  peer.write(Buffer.from('x'))
  peer.end(1008)
  t.strictSame(line.written, ['880203e9'])
  while (!line.destroyed) await new Promise((resolve) => setTimeout(resolve, 50))
})
