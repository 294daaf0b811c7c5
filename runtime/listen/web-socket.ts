import { utf8 } from '#runtime/base/bytes.ts'
import type { Exchange, Peer } from '#runtime/contract'

/** The part of a connection that a WebSocket uses: Node.js's own class on one host, a drop-in on the other. */
export interface Tunnel {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  on(event: 'close' | 'end' | 'drain', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  /** @returns false where bytes wait; `drain` follows when they have left */
  write(bytes: Uint8Array): boolean
  end(bytes?: Uint8Array): unknown
  destroy(): unknown
  /** Bytes that the client has not taken yet. */
  readonly writableLength: number
  readonly destroyed: boolean
}

/** Frames (RFC 6455 5.2, 11.8). */
const [continuation, binary, close, ping, pong] = [0x0, 0x2, 0x8, 0x9, 0xa]

/** Statuses of RFC 6455 7.4.1. */
const normal = 1000
const protocolError = 1002
const tooBig = 1009

/** The most that the payload of a control frame may have (RFC 6455 5.5). */
const longestControl = 125

/** The most that the head of a client's frame has. */
const longestHead = 14

/** Milliseconds that a client has for its side of the goodbye. */
const closeTimeout = 2000

/** The frames of a client. */
export interface Frames {
  /** The content of messages, in pieces as they come. */
  data(bytes: Uint8Array): void
  /** A frame of control. */
  control(opcode: number, payload: Uint8Array): void
}

/** Reads the frames of a client. It keeps no more than a head and the payload of a control frame. */
export class FrameReader {
  readonly #frames: Frames
  readonly #head = new Uint8Array(longestHead)
  #read = 0
  #wanted = 2
  /** Of the payload. */
  #left = 0
  #taken = 0
  #control: Uint8Array | undefined
  /** A message goes on in the next frame. */
  #goesOn = false

  constructor(frames: Frames) {
    this.#frames = frames
  }

  /** @returns the status to end with, where the client does not keep to the protocol; nothing may be added then */
  add(chunk: Uint8Array): number | undefined {
    let at = 0
    while (at < chunk.length) {
      if (this.#read < this.#wanted) {
        this.#head[this.#read] = chunk[at]!
        at += 1
        this.#read += 1
        const fault = this.#read < this.#wanted ? undefined : this.#readHead()
        if (fault !== undefined) return fault
      } else {
        const end = Math.min(chunk.length, at + this.#left)
        this.#deliver(new Uint8Array(chunk.subarray(at, end)))
        at = end
      }
    }
    return undefined
  }

  #readHead(): number | undefined {
    const [first, second] = this.#head as unknown as [number, number]
    const short = second & 0x7f
    const extra = short === 127 ? 8 : short === 126 ? 2 : 0
    this.#wanted = 2 + extra + 4
    if (this.#read < this.#wanted) return this.#check(first, second)
    let length = extra === 0 ? short : 0
    for (let index = 2; index < 2 + extra; index += 1) length = length * 256 + this.#head[index]!
    if (length > Number.MAX_SAFE_INTEGER) return tooBig
    this.#left = length
    this.#taken = 0
    if (isControl(first)) this.#control = new Uint8Array(length)
    else this.#goesOn = first < 0x80
    if (length === 0) this.#finish()
    return undefined
  }

  /** The first two bytes: no extension is agreed upon, and clients mask. */
  #check(first: number, second: number): number | undefined {
    const opcode = first & 0x0f
    const sound =
      (first & 0x70) === 0 &&
      second >= 0x80 &&
      (isControl(first)
        ? opcode <= pong! && first >= 0x80 && (second & 0x7f) <= longestControl
        : opcode <= binary! && (opcode === continuation) === this.#goesOn)
    return sound ? undefined : protocolError
  }

  #deliver(bytes: Uint8Array): void {
    this.#unmask(bytes)
    if (this.#control === undefined) this.#frames.data(bytes)
    else this.#control.set(bytes, this.#taken)
    this.#taken += bytes.length
    this.#left -= bytes.length
    if (this.#left === 0) this.#finish()
  }

  /** Four bytes at a time: a file of a client is long, and the binary has an interpreter. */
  #unmask(bytes: Uint8Array): void {
    const key = Uint8Array.from([0, 1, 2, 3], (index) => this.#head[this.#wanted - 4 + ((this.#taken + index) & 3)]!)
    const words = new Uint32Array(bytes.buffer, 0, bytes.length >> 2)
    const [mask = 0] = new Uint32Array(key.buffer)
    for (let index = 0; index < words.length; index += 1) words[index]! ^= mask
    for (let index = words.length * 4; index < bytes.length; index += 1) bytes[index]! ^= key[index & 3]!
  }

  #finish(): void {
    const control = this.#control
    this.#read = 0
    this.#wanted = 2
    this.#control = undefined
    if (control !== undefined) this.#frames.control(this.#head[0]! & 0x0f, control)
  }
}

function isControl(first: number): boolean {
  return (first & 0x08) !== 0
}

/** A frame of the service: whole, and not masked. */
export function frame(opcode: number, payload: Uint8Array): Uint8Array {
  const { length } = payload
  const size = length < 126 ? [length] : length < 65_536 ? [126, length >> 8, length & 0xff] : wide(length)
  const bytes = new Uint8Array(1 + size.length + length)
  bytes.set([0x80 | opcode, ...size])
  bytes.set(payload, 1 + size.length)
  return bytes
}

function wide(length: number): number[] {
  return [127, 0, 0, 0, 0, length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff]
}

/**
 * Speaks WebSocket (RFC 6455) over a connection whose upgrade is agreed upon. Each write is a binary message; where the
 * client's messages end does not matter.
 *
 * @param keepAlive milliseconds: a client that is silent for so long is asked, and given up when it stays so for as long
 */
export function webSocket(tunnel: Tunnel, begin: (peer: Peer) => Exchange, keepAlive: number): Peer {
  let over = false
  let saidGoodbye = false
  let silent = 0
  let waits = false
  /** Payload of the last ping that came while output waits: a pong to that one is enough (RFC 6455 5.5.3). */
  let unanswered: Uint8Array | undefined
  const say = (opcode: number, payload: Uint8Array) => {
    if (!over) waits = !tunnel.write(frame(opcode, payload))
  }
  const answerPing = (payload: Uint8Array) => {
    unanswered = waits ? payload : undefined
    if (!waits) say(pong!, payload)
  }
  const peer: Peer = {
    write: (bytes) => say(binary!, bytes),
    unread: () => tunnel.writableLength,
    end(reason, words = '') {
      if (over) return
      say(close!, Uint8Array.of(reason >> 8, reason & 0xff, ...utf8(words)))
      over = true
      tunnel.end()
      setTimeout(() => tunnel.destroy(), closeTimeout).unref()
    },
    cut() {
      over = true
      tunnel.destroy()
    }
  }
  const exchange = begin(peer)
  const reader = new FrameReader({
    data: (bytes) => {
      if (!over) exchange.received(bytes)
    },
    control(opcode, payload) {
      if (opcode === ping) answerPing(payload)
      if (opcode !== close) return
      saidGoodbye = true
      peer.end(answerTo(payload))
    }
  })
  const timer = setInterval(() => {
    silent += 1
    if (silent > 2) peer.cut()
    else if (silent > 1) say(ping!, new Uint8Array())
  }, keepAlive)
  timer.unref()
  tunnel.on('data', (chunk) => {
    if (over) return
    silent = 0
    const fault = reader.add(chunk)
    if (fault !== undefined) peer.end(fault)
  })
  tunnel.on('drain', () => {
    waits = false
    if (unanswered !== undefined) answerPing(unanswered)
  })
  tunnel.on('end', () => peer.cut())
  tunnel.on('error', () => peer.cut())
  const gone = () => {
    over = true
    clearInterval(timer)
    exchange.gone(saidGoodbye)
  }
  // A client may have gone before its request was answered.
  if (tunnel.destroyed) gone()
  else tunnel.on('close', gone)
  return peer
}

/** The status of the answer to a client's close frame: its own (RFC 6455 5.5.1), if it may be sent at all (7.4). */
function answerTo(payload: Uint8Array): number {
  if (payload.length === 0) return normal
  const status = payload.length < 2 ? 0 : payload[0]! * 256 + payload[1]!
  const known =
    (status >= 1000 && status < 1015 && ![1004, 1005, 1006].includes(status)) || (status >= 3000 && status < 5000)
  return known ? status : protocolError
}
