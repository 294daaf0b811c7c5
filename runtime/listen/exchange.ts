import type { Caller } from '#runtime/contract'
import type { Arrival } from '#runtime/request/handle.ts'
import type { Parsed } from '#runtime/request/head.ts'
import type { Connection } from './connections.ts'
import type { Repeatable } from './repeats.ts'
import type { Streamed } from './sink.ts'

/** The part of a request that the server uses: Node.js's own class on one host, a drop-in on the other. */
export interface Incoming extends Parsed {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  on(event: 'end' | 'close', listener: () => void): unknown
  /** Gives this request so many milliseconds from now on; Node.js gives all requests of a server the same time. */
  allow?(time: number): void
}

/** The part of its answer that the server uses. */
export interface Outgoing extends Streamed, Repeatable {
  readonly writableFinished: boolean
  /** Bytes cost no more than a text: not on Node.js. */
  readonly takesBytes?: true
  writeContinue(): unknown
  writeHead(status: number, headers: string[]): unknown
  end(body?: Uint8Array): unknown
  end(body: string, encoding: 'latin1'): unknown
  on(event: 'close', listener: () => void): unknown
}

/** A request with its answer, and who sends it as soon as that is known. */
export class Exchange implements Arrival {
  readonly connection: Connection
  readonly request: Incoming
  readonly response: Outgoing
  waits: boolean
  caller: Caller | undefined

  /** @param waits whether the client sent `Expect: 100-continue` and waits to send the body (RFC 9110 10.1.1) */
  constructor(connection: Connection, request: Incoming, response: Outgoing, waits: boolean) {
    this.connection = connection
    this.request = request
    this.response = response
    this.waits = waits
  }

  get since(): number {
    return this.connection.since
  }

  identified(caller: Caller): void {
    this.caller = caller
    this.connection.identified(caller)
  }

  /**
   * Calls back once, when the answer has left or its client has gone. Node.js does not tell the answers to pipelined
   * requests that their connection has ended.
   */
  onOver(listener: () => void): void {
    let over = false
    const end = () => {
      if (over) return
      over = true
      listener()
    }
    const forget = this.connection.onClosed(end)
    this.response.on('close', () => {
      forget()
      end()
    })
  }
}
