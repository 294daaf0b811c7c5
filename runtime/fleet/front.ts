import { log } from '#runtime/base/log.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { busy, type Stream } from '#runtime/contract'
import type { Answering, Local } from '#runtime/listen/server.ts'
import { type Answer, failure, type Messages, once } from '#runtime/request/answer.ts'
import type { Begun } from '#runtime/request/handle.ts'
import type { Head } from '#runtime/request/head.ts'
import { Refusals } from '#runtime/request/refusals.ts'
import type { Control } from './control.ts'
import type { Controller } from './controller.ts'
import { hungUp, type Upset } from './faults.ts'
import type { Finder } from './plan.ts'
import type { Roster } from './roster.ts'
import type { Statistics } from './statistics.ts'

/** 421 Misdirected Request (RFC 9110 15.5.20): no controller has the address that the client connected to. */
const misdirected: Answer = { status: 421, headers: ['Content-Length', '0'], body: undefined }

type Exchange = Parameters<Answering['begin']>[1]

/** Hands each request to the controller that its client connected to, which is opened if it is not open. */
export class Front extends Refusals implements Answering {
  readonly #roster: Roster
  readonly #finder: Finder
  readonly #messages: Messages
  readonly #control: Control | undefined
  readonly #statistics: Statistics | undefined
  /** By connection, whose address does not change. */
  readonly #known = new WeakMap<object, Controller>()

  /** @param control where faults can be changed @param statistics counts the answers */
  constructor(roster: Roster, finder: Finder, messages: Messages, control?: Control, statistics?: Statistics) {
    super(messages)
    this.#roster = roster
    this.#finder = finder
    this.#messages = messages
    this.#control = control
    this.#statistics = statistics
  }

  begin(head: Head, exchange: Exchange, socket: Local): Begun | Promise<Begun> {
    const controller = this.#find(head, socket)
    if (controller === undefined) return misdirected
    this.#roster.asked(controller)
    const begin = () => this.#begin(controller, head, exchange)
    return this.#statistics === undefined ? begin() : this.#statistics.watch(controller, begin)
  }

  #begin(controller: Controller, head: Head, exchange: Exchange): Begun | Promise<Begun> {
    if (controller.isAway) return hungUp
    if (this.#control?.isAt(head)) return this.#control.begin(controller, head)
    const upset = controller.faults.next(head, this.#control?.link(head))
    const { service } = controller
    if (service !== undefined && upset === undefined)
      return this.#hand(controller, service.handling.begin(head, exchange))
    return this.#later(controller, head, exchange, upset)
  }

  /** The way of a request that finds the controller not open, or with which something is to go wrong. */
  async #later(controller: Controller, head: Head, exchange: Exchange, upset: Upset | undefined): Promise<Begun> {
    if (upset !== undefined && upset.delay > 0) await sleep(upset.delay)
    if (upset?.reboot !== undefined) controller.reboot(upset.reboot)
    if (controller.isAway) return hungUp
    const refusal = upset?.refusal(this.#messages)
    if (refusal !== undefined) return upset!.answer(refusal)
    try {
      const { handling } = await controller.open()
      return this.#hand(controller, await handling.begin(upset?.head(head) ?? head, exchange), upset)
    } catch (error) {
      return this.#notOpened(controller, error as Error)
    }
  }

  async methodUnknown(head: Head | undefined, socket: Local): Promise<Answer> {
    const controller = this.#find(head, socket)
    if (controller === undefined) return misdirected
    try {
      return (await controller.open()).handling.methodUnknown(head)
    } catch (error) {
      return this.#notOpened(controller, error as Error)
    }
  }

  #find(head: Head | undefined, socket: Local): Controller | undefined {
    const known = this.#known.get(socket)
    if (known !== undefined) return known
    const { localAddress = '', localPort = 0 } = socket
    const named = this.#finder.named(String(head?.headers.host ?? ''), localPort)
    if (named !== undefined) return this.#roster.get(named)
    const found = this.#roster.get(this.#finder.find(localAddress, localPort) ?? 0)
    if (found !== undefined) this.#known.set(socket, found)
    return found
  }

  #notOpened({ number, isAway }: Controller, error: Error): Answer {
    if (isAway) return hungUp
    log.error('a controller was not opened', { number, cause: error.message })
    return failure(busy(5), this.#messages, '')
  }

  #hand(controller: Controller, begun: Begun, upset?: Upset): Begun
  #hand(controller: Controller, begun: Begun | Promise<Begun>, upset?: Upset): Begun | Promise<Begun>
  #hand(controller: Controller, begun: Begun | Promise<Begun>, upset?: Upset): Begun | Promise<Begun> {
    if (begun instanceof Promise) return begun.then((settled) => this.#hand(controller, settled, upset))
    if (!('finish' in begun)) return this.#answered(controller, begun, upset)
    return {
      ...begun,
      finish: async (body) => {
        if (controller.isAway) return hungUp
        controller.busy += 1
        const answering = begun.finish(body).then(async (answer) => {
          // The state of the machine is as durable as the store.
          await controller.kept()
          return this.#answered(controller, answer, upset)
        })
        controller.answering.add(answering)
        try {
          return await answering
        } finally {
          controller.answering.delete(answering)
          controller.busy -= 1
        }
      }
    }
  }

  /** Where something may go wrong, the listener is to give no answer again by itself: it does not ask. */
  #answered(controller: Controller, given: Answer, upset: Upset | undefined): Answer {
    if (controller.isAway) return hungUp
    const answer = upset?.answer(given) ?? given
    if (answer.stream === undefined) return controller.faults.some ? once(answer) : answer
    return { ...answer, stream: counted(controller, answer.stream) }
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
