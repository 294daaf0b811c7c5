import { busy, type Stream } from '#runtime/contract'
import type { Answering, Local } from '#runtime/host/server.ts'
import { type Answer, failure, type Messages } from '#runtime/request/answer.ts'
import type { Begun } from '#runtime/request/handle.ts'
import type { Head } from '#runtime/request/head.ts'
import { Refusals } from '#runtime/request/refusals.ts'
import { log } from '#runtime/store/log.ts'
import type { Controller } from './controller.ts'
import type { Roster } from './fleet.ts'
import type { Finder } from './plan.ts'

/** 421 Misdirected Request (RFC 9110 15.5.20): no controller has the address that the client connected to. */
const misdirected: Answer = { status: 421, headers: ['Content-Length', '0'], body: undefined }

type Exchange = Parameters<Answering['begin']>[1]

/** Hands each request to the controller that its client connected to, which is opened where it is not open. */
export class Front extends Refusals implements Answering {
  readonly #roster: Roster
  readonly #finder: Finder
  readonly #messages: Messages
  /** By connection, whose address does not change. */
  readonly #known = new WeakMap<object, Controller>()

  constructor(roster: Roster, finder: Finder, messages: Messages) {
    super(messages)
    this.#roster = roster
    this.#finder = finder
    this.#messages = messages
  }

  begin(head: Head, exchange: Exchange, socket: Local): Begun | Promise<Begun> {
    const controller = this.#find(socket)
    if (controller === undefined) return misdirected
    this.#roster.asked(controller)
    const { service } = controller
    if (service !== undefined) return this.#hand(controller, service.handling.begin(head, exchange))
    return controller.open().then(
      async (opened) => this.#hand(controller, await opened.handling.begin(head, exchange)),
      (error: Error) => this.#notOpened(controller, error)
    )
  }

  async methodUnknown(head: Head | undefined, socket: Local): Promise<Answer> {
    const controller = this.#find(socket)
    if (controller === undefined) return misdirected
    try {
      return (await controller.open()).handling.methodUnknown(head)
    } catch (error) {
      return this.#notOpened(controller, error as Error)
    }
  }

  #find(socket: Local): Controller | undefined {
    const known = this.#known.get(socket)
    if (known !== undefined) return known
    const { localAddress = '', localPort = 0 } = socket
    const found = this.#roster.get(this.#finder.find(localAddress, localPort) ?? 0)
    if (found !== undefined) this.#known.set(socket, found)
    return found
  }

  #notOpened({ number }: Controller, error: Error): Answer {
    log('error', 'a controller was not opened', { number, cause: error.message })
    return failure(busy(5), this.#messages, '')
  }

  #hand(controller: Controller, begun: Begun): Begun
  #hand(controller: Controller, begun: Begun | Promise<Begun>): Begun | Promise<Begun>
  #hand(controller: Controller, begun: Begun | Promise<Begun>): Begun | Promise<Begun> {
    if (begun instanceof Promise) return begun.then((settled) => this.#hand(controller, settled))
    if (!('finish' in begun)) return this.#answered(controller, begun)
    return {
      ...begun,
      finish: async (body) => {
        controller.busy += 1
        try {
          const answer = await begun.finish(body)
          // What happened to the machine is as durable as what was stored.
          await controller.kept()
          return this.#answered(controller, answer)
        } finally {
          controller.busy -= 1
        }
      }
    }
  }

  /** The listener knows nothing of controllers: it is not to give an answer again to the same request to another one. */
  #answered(controller: Controller, answer: Answer): Answer {
    if (answer.lasting) return { ...answer, lasting: false }
    return answer.stream === undefined ? answer : { ...answer, stream: counted(controller, answer.stream) }
  }
}

/** A controller with a stream is not put aside. */
function counted(controller: Controller, stream: Stream): Stream {
  return (sink) => {
    controller.busy += 1
    const gone = stream(sink)
    return () => {
      controller.busy -= 1
      gone()
    }
  }
}
