import { Listeners } from '#runtime/base/listeners.ts'
import type { Caller } from '#runtime/contract'
import type { Local } from '#runtime/request/head.ts'

/** The part of an accepted connection that is needed here: Node.js's own class on one host, a drop-in on the other. */
export interface Accepted extends Local {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly destroyed: boolean
  on(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

/** How many connections there may be. */
export interface ConnectionLimits {
  readonly connections: number
  readonly connectionsPerAddress: number
}

/** Beyond the limit, for clients on the machine itself: the watchdog's probe gets in when every other place is taken. */
const reserve = 4

const itself = '127.0.0.1'
const loopback = new Set([itself, '::1', `::ffff:${itself}`])

/** A connection, and what its client has done with it. */
export class Connection {
  /** Its address and port. */
  readonly peer: string
  /** Whose connections count together. */
  readonly client: string
  /** The last request that needs credentials carried valid ones. */
  authenticated = false
  /** A request has arrived, and its answer is the service's to give. */
  busy = false
  /** A request was answered. */
  served = false
  /** The present answer is its last. */
  ends = false
  /** When it was accepted, by the clock of `performance`. */
  readonly since = performance.now()
  readonly #accepted: Accepted
  readonly #closed = new Listeners<void>()

  constructor(accepted: Accepted) {
    this.#accepted = accepted
    this.peer = peerOf(accepted)
    this.client = clientOf(accepted.remoteAddress ?? '')
  }

  /** It is known who sends the present request. */
  identified(caller: Pick<Caller, 'user'>): void {
    this.authenticated = caller.user !== ''
  }

  /** Calls back when it is closed, at once if it is closed already; the function returned ends that. */
  onClosed(listener: () => void): () => void {
    if (!this.#accepted.destroyed) return this.#closed.add(listener)
    listener()
    return () => undefined
  }

  /** Where its client connected to. */
  get local(): Local {
    return this.#accepted
  }

  close(): void {
    this.#accepted.destroy()
  }

  /** Its socket has emitted `close`. */
  closed(): void {
    this.#closed.emit()
  }
}

/**
 * All connections. A new one for which there is no room takes the place of another, of the same client where that one
 * has its share: of the one that has waited longest for its first whole request, then of the one without credentials
 * that was answered longest ago. One that carried valid credentials, or whose request is being answered, stays.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  /** By peer, in the order in which they were accepted, or answered without credentials. */
  readonly #open = new Map<string, Connection>()
  readonly #bySocket = new WeakMap<object, Connection>()

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /** Makes room for a new connection, or closes it. */
  accept(accepted: Accepted): void {
    const connection = new Connection(accepted)
    if (!this.#makeRoom(connection)) {
      connection.close()
      return
    }
    this.#open.set(connection.peer, connection)
    this.#remember(accepted, connection)
    accepted.on('close', () => {
      if (this.#open.get(connection.peer) === connection) this.#open.delete(connection.peer)
    })
  }

  /** The connection of a socket that was accepted, or of the one that Node.js's TLS has in its place. */
  of(socket: object): Connection {
    const known = this.#bySocket.get(socket)
    if (known !== undefined) return known
    const found = this.#open.get(peerOf(socket as Accepted)) ?? new Connection(socket as Accepted)
    this.#remember(socket as Accepted, found)
    return found
  }

  /** A connection refers to its socket, and the engine of the binary never collects such a pair in a WeakMap. */
  #remember(socket: Accepted, connection: Connection): void {
    this.#bySocket.set(socket, connection)
    socket.on('close', () => {
      this.#bySocket.delete(socket)
      connection.closed()
    })
  }

  /** Closes connections, those with a request after its answer. @param isMeant gets where a client connected to */
  end(isMeant: (local: Local) => boolean): void {
    for (const connection of [...this.#open.values()]) {
      if (!isMeant(connection.local)) continue
      if (connection.busy) connection.ends = true
      else connection.close()
    }
  }

  /** The present request is answered. */
  answered(connection: Connection): void {
    connection.busy = false
    connection.served = true
    if (!connection.authenticated && this.#open.delete(connection.peer)) this.#open.set(connection.peer, connection)
  }

  #makeRoom({ client }: Connection): boolean {
    const { connections, connectionsPerAddress } = this.#limits
    const all = [...this.#open.values()]
    const own = all.filter((each) => each.client === client)
    const local = client === itself
    const crowd = !local && own.length >= connectionsPerAddress ? own : all
    if (crowd === all && all.length < connections) return true
    const open = crowd.filter(({ authenticated, busy }) => !authenticated && !busy)
    const last = open.find(({ served }) => !served) ?? open[0]
    if (last === undefined) return local && all.length < connections + reserve
    this.#open.delete(last.peer)
    last.close()
    return true
  }
}

function peerOf({ remoteAddress, remotePort }: Accepted): string {
  return `${remoteAddress} ${remotePort}`
}

/** An IPv4 address, or the 64 bits of an IPv6 address that name its network: a single host has all of the others. */
function clientOf(address: string): string {
  if (loopback.has(address)) return itself
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? []
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [left = '', right = ''] = address.split('::')
  const [before, after] = [left, right].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]]
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}
