import { busy } from '#runtime/contract'

/** The client in a turn: its address, and the account that it is about; empty for a name of no account. */
export interface Turn {
  readonly address: string
  readonly user: string
}

interface Waiting extends Turn {
  readonly begin: () => void
  readonly refuse: () => void
}

/**
 * Checks of passwords, which are slow: so many run at once, and so many wait. Addresses take turns, and the users of an
 * address take turns within its own. When all places are taken, whoever has most of them gives one up.
 */
export class LoginQueue {
  readonly #places: number
  #free: number
  #waiting: Waiting[] = []
  /** When an address, or a user of it, had the last turn; forgotten when the queue is empty. */
  readonly #served = new Map<string, number>()
  #turns = 0

  /** @param atOnce checks that run at the same time @param places for those that wait */
  constructor(atOnce: number, places: number) {
    this.#free = atOnce
    this.#places = places
  }

  /**
   * Runs a task in its turn.
   *
   * @throws MessageError 503 ServiceTemporarilyUnavailable where there is no place left for it
   */
  async run<T>(turn: Turn, task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#wait(turn)
    try {
      return await task()
    } finally {
      this.#next()
    }
  }

  #wait(turn: Turn): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...turn, begin: resolve, refuse: () => reject(busy(2)) })
      if (this.#waiting.length > this.#places) this.#refuseGreediest()
    })
  }

  /** The newest check of the user who has most places, of the address that has most. */
  #refuseGreediest(): void {
    const ofAddress = greediest(this.#waiting, ({ address }) => address)
    const [refused] = greediest(ofAddress, ({ user }) => user).slice(-1)
    this.#waiting = this.#waiting.filter((each) => each !== refused)
    refused?.refuse()
  }

  #next(): void {
    const [next] = [...this.#waiting].sort(
      (a, b) => this.#lastOf(a.address) - this.#lastOf(b.address) || this.#lastOf(key(a)) - this.#lastOf(key(b))
    )
    if (next === undefined) {
      this.#free += 1
      this.#served.clear()
      return
    }
    this.#waiting = this.#waiting.filter((each) => each !== next)
    this.#turns += 1
    this.#served.set(next.address, this.#turns)
    this.#served.set(key(next), this.#turns)
    next.begin()
  }

  #lastOf(name: string): number {
    return this.#served.get(name) ?? 0
  }
}

const key = ({ address, user }: Turn) => `${address} ${user}`

/** Of the waiting, those of the group that has most; of two such groups the one that came last. */
function greediest(waiting: readonly Waiting[], groupOf: (each: Waiting) => string): Waiting[] {
  const groups = new Map<string, Waiting[]>()
  for (const each of waiting) groups.set(groupOf(each), [...(groups.get(groupOf(each)) ?? []), each])
  return [...groups.values()].reduce((most, each) => (each.length >= most.length ? each : most), [])
}
