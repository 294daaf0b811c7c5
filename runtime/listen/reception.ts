import type { Server } from 'node:https'
import type { Answer } from '#runtime/request/answer.ts'
import type { Pending } from '#runtime/request/handle.ts'
import type { Head } from '#runtime/request/head.ts'
import type { Refusals } from '#runtime/request/refusals.ts'
import { Body, BodyBudget, type BodyLimits } from './bodies.ts'
import type { Exchange } from './exchange.ts'

/** Receives the bodies of requests, within the memory and the time that there is for them. */
export class Reception {
  readonly #server: Server
  readonly #budget: BodyBudget
  readonly #refusals: Pick<Refusals, 'tooLarge' | 'noRoom'>
  /** Of a request, in milliseconds. */
  readonly #time: number
  #uploads = 0

  /** @param server whose requests have so many milliseconds unless they are uploads */
  constructor(server: Server, time: number, limits: BodyLimits, refusals: Pick<Refusals, 'tooLarge' | 'noRoom'>) {
    this.#server = server
    this.#time = time
    this.#budget = new BodyBudget(limits)
    this.#refusals = refusals
  }

  /** Receives a body and finishes its request. @param send called once, unless the client goes before */
  receive(exchange: Exchange, head: Head, pending: Pending, send: (answer: Answer) => void): void {
    const { connection, request, response } = exchange
    const { upload } = pending
    const length = head.headers['content-length']
    if (Number(length ?? 0) > pending.limit) {
      upload?.release()
      send(this.#refusals.tooLarge())
      return
    }
    if (exchange.waits) {
      exchange.waits = false
      response.writeContinue()
    }
    const body = upload ?? new Body(this.#budget, pending.user, Number(length ?? pending.limit))
    if (upload !== undefined) this.#allow(exchange, upload.time)
    let left = upload === undefined ? Number.POSITIVE_INFINITY : pending.limit
    let over = false
    const refuse = (answer: Answer) => {
      if (over) return
      over = true
      body.release()
      if (upload !== undefined) request.allow?.(this.#time)
      send(answer)
    }
    connection.busy = false
    upload?.onRefused(refuse)
    request.on('data', (chunk) => {
      if (over) return
      left -= chunk.length
      const fault = left < 0 ? 'large' : body.add(chunk)
      if (fault === undefined) return
      const answers = { large: () => this.#refusals.tooLarge(), 'no room': () => this.#refusals.noRoom() }
      refuse(typeof fault === 'string' ? answers[fault]() : fault)
    })
    request.on('end', () => {
      if (over) return
      over = true
      connection.busy = true
      void pending.finish(body.bytes).then((answer) => {
        body.release()
        send(answer)
      })
    })
    // Requests that the service already processes stay as long as they take.
    exchange.onOver(() => {
      if (over) return
      over = true
      body.release()
    })
  }

  /** Gives an upload more time than other requests have. On Node.js all of them have it, as long as there is one. */
  #allow(exchange: Exchange, time: number): void {
    const { request } = exchange
    if (request.allow !== undefined) {
      request.allow(time)
      return
    }
    this.#uploads += 1
    this.#server.requestTimeout = Math.max(time, this.#time)
    exchange.onOver(() => {
      this.#uploads -= 1
      if (this.#uploads === 0) this.#server.requestTimeout = this.#time
    })
  }
}
