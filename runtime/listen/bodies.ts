import { isOutOfMemory } from '#runtime/contract'

/** How many bytes of bodies there may be at once, until the requests are answered. */
export interface BodyLimits {
  readonly bodies: number
  readonly bodiesPerUser: number
}

/**
 * The memory for bodies of users, which all share. Those of requests without a login are not counted: they are so small
 * that the connections bound them.
 */
export class BodyBudget {
  readonly #limits: BodyLimits
  readonly #byUser = new Map<string, number>()
  #all = 0

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  /** @param bytes negative: gives them back. @returns false, and takes nothing, where they are not there */
  take(user: string, bytes: number): boolean {
    if (user === '') return true
    const own = (this.#byUser.get(user) ?? 0) + bytes
    const { bodies, bodiesPerUser } = this.#limits
    if (bytes > 0 && (own > bodiesPerUser || this.#all + bytes > bodies)) return false
    this.#all += bytes
    if (own > 0) this.#byUser.set(user, own)
    else this.#byUser.delete(user)
    return true
  }
}

const smallest = 256

/** The body of a request as it arrives, in one piece of memory that grows with it, however small its chunks are. */
export class Body {
  readonly #budget: BodyBudget
  readonly #user: string
  readonly #limit: number
  #bytes = new Uint8Array()
  #size = 0

  /** @param user empty for a request without a login @param limit the most bytes that it may have */
  constructor(budget: BodyBudget, user: string, limit: number) {
    this.#budget = budget
    this.#user = user
    this.#limit = limit
  }

  /** @returns why the chunk was not taken: the body is too large, or there is no memory for it */
  add(chunk: Uint8Array): 'large' | 'no room' | undefined {
    const size = this.#size + chunk.length
    if (size > this.#limit) return 'large'
    if (size > this.#bytes.length && !this.#grow(Math.min(this.#limit, Math.max(smallest, 2 * size)))) return 'no room'
    this.#bytes.set(chunk, this.#size)
    this.#size = size
    return undefined
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }

  /** Lets go of what has arrived. */
  release(): void {
    this.#budget.take(this.#user, -this.#bytes.length)
    this.#bytes = new Uint8Array()
    this.#size = 0
  }

  #grow(capacity: number): boolean {
    const more = capacity - this.#bytes.length
    if (!this.#budget.take(this.#user, more)) return false
    try {
      const grown = new Uint8Array(capacity)
      grown.set(this.#bytes)
      this.#bytes = grown
      return true
    } catch (error) {
      if (!isOutOfMemory(error)) throw error
      this.#budget.take(this.#user, -more)
      return false
    }
  }
}
