import type { Answer } from '#runtime/request/answer.ts'
import type { Begun } from '#runtime/request/handle.ts'

/** Upper bounds of the times that are counted, in seconds. */
export const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** How long the slowest answer is the slowest, in milliseconds. */
const lately = 10_000

/** The controller that answers. */
interface Answerer {
  readonly number: number
  readonly group: string
}

/** The answers of a group: how many of which status, and how long they took. */
class Answers {
  /** By status. */
  readonly statuses = new Map<number, number>()
  /** How many took no longer than each of `bounds`, and at the end all; not summed up. */
  readonly times: number[] = [...bounds, 0].map(() => 0)
  /** Seconds, all together. */
  time = 0
}

/** Counts the answers of each group of a fleet, and remembers which controller was slowest lately. */
export class Statistics {
  /** By the name of the group. */
  readonly groups = new Map<string, Answers>()
  events = 0
  #slowest = { controller: 0, seconds: 0 }
  #slowestAt = 0

  /** The answer that took longest in the last ten seconds or so; of controller 0 where there was none. */
  slowest(now = performance.now()): { readonly controller: number; readonly seconds: number } {
    return now - this.#slowestAt > lately ? { controller: 0, seconds: 0 } : this.#slowest
  }

  /** Counts the answer to a request that has just come. */
  watch(controller: Answerer, begin: () => Begun | Promise<Begun>): Begun | Promise<Begun> {
    const from = performance.now()
    const begun = begin()
    if (!(begun instanceof Promise)) return this.#follow(controller, from, begun)
    return begun.then((settled) => this.#follow(controller, from, settled))
  }

  #follow(controller: Answerer, from: number, begun: Begun): Begun {
    if (!('finish' in begun)) return this.#count(controller, from, begun)
    return { ...begun, finish: async (body) => this.#count(controller, from, await begun.finish(body)) }
  }

  #count({ number, group }: Answerer, from: number, answer: Answer): Answer {
    const now = performance.now()
    const seconds = (now - from) / 1000
    const answers = this.groups.get(group) ?? new Answers()
    this.groups.set(group, answers)
    answers.statuses.set(answer.status, (answers.statuses.get(answer.status) ?? 0) + 1)
    const slot = bounds.findIndex((bound) => seconds <= bound)
    answers.times[slot < 0 ? bounds.length : slot]! += 1
    answers.time += seconds
    if (seconds >= this.slowest(now).seconds) {
      this.#slowest = { controller: number, seconds }
      this.#slowestAt = now
    }
    return answer
  }
}
