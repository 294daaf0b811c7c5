import type { Configuration } from '#data/configuration'
import type { Console } from '#hal/console.ts'
import type { HalError } from '#hal/errors.ts'
import { busy, type Caller, type Exchange, notFound, type Peer } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import { History } from './history.ts'

/** Statuses of RFC 6455 7.4.1. */
const goingAway = 1001
const internalError = 1011
const tryAgainLater = 1013

/** Seconds after which a client for whom there is no place left may try again. */
const retryAfter = 30

interface Session {
  readonly system: string
  readonly caller: Caller
  readonly peer: Peer
}

/** The serial consoles of hosts: all clients of one see the same, and each may type. */
export class Consoles {
  readonly #store: Store
  readonly #consoles: ReadonlyMap<string, Console>
  readonly #settings: Configuration['console']
  readonly #histories = new Map<string, History>()
  readonly #sessions = new Set<Session>()
  /** Clients, and those to whom a place is promised. */
  #places = 0

  constructor(store: Store, consoles: ReadonlyMap<string, Console>, settings: Configuration['console']) {
    this.#store = store
    this.#consoles = consoles
    this.#settings = settings
    for (const [system, console] of consoles) {
      const history = new History(settings.history)
      this.#histories.set(system, history)
      console.on((bytes) => {
        history.add(bytes)
        for (const each of this.#sessions) if (each.system === system) this.#write(each, bytes)
      })
    }
  }

  /** The last output of a system. @throws MessageError 404 if it has no console */
  recent(system: string): Uint8Array {
    return this.#histories.get(system)?.bytes ?? notFound()
  }

  /**
   * The place is taken at once. It is free again when the client of what is returned has gone.
   *
   * @param withHistory the first message, perhaps an empty one, is the last output: nothing is missed after it, or comes
   * again
   * @throws MessageError 404 if a system has no console, 503 if there are as many clients as may be
   */
  begin(system: string, caller: Caller, withHistory = false): (peer: Peer) => Exchange {
    const console = this.#consoles.get(system) ?? notFound()
    if (this.#places >= this.#settings.sessions) throw busy(retryAfter)
    this.#places += 1
    return (peer) => {
      const session = { system, caller, peer }
      const who = { system, user: caller.user, address: caller.address }
      if (withHistory) peer.write(this.#recentFor(system))
      this.#sessions.add(session)
      this.#store.log.info('a console is opened', who)
      return {
        received: (bytes) => type(console, bytes, peer),
        gone: () => {
          this.#sessions.delete(session)
          this.#places -= 1
          this.#store.log.info('a console is closed', who)
        }
      }
    }
  }

  /** The last output that a client may have unread: with more it would lose its connection by the next output. */
  #recentFor(system: string): Uint8Array {
    const bytes = this.recent(system)
    return bytes.subarray(Math.max(0, bytes.length - this.#settings.unread))
  }

  /** Ends all sessions. */
  close(): void {
    for (const { peer } of [...this.#sessions]) peer.end(goingAway)
  }

  /** A client that does not read loses its connection; what it missed is in the history. */
  #write({ peer, caller, system }: Session, bytes: Uint8Array): void {
    if (peer.unread() <= this.#settings.unread) peer.write(bytes)
    else {
      this.#store.log.warning('a console was closed: its client did not read it', {
        system,
        user: caller.user,
        address: caller.address
      })
      peer.cut()
    }
  }
}

/** A host that is off hears nothing, as a terminal's cable that leads nowhere. */
function type(console: Console, bytes: Uint8Array, peer: Peer): void {
  try {
    console.write(bytes)
  } catch (error) {
    const { code } = error as HalError
    if (code !== 'ENODEV') peer.end(code === 'EBUSY' ? tryAgainLater : internalError)
  }
}
