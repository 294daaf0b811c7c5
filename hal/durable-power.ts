import { readBootId } from './boot-id.ts'
import { Memory } from './memory.ts'
import type { Power, PowerEvent, PowerOperation, PowerState } from './power.ts'

export interface DurablePowerOptions {
  readonly name: string
  readonly directory: string
  readonly warn: (text: string) => void
  /** Milliseconds that the operating system may take to shut down. Default 300 s. */
  readonly gracefulTime?: unknown
  /** Which start of the machine this process is of. Default: the kernel's identifier. */
  readonly bootId?: string | undefined
}

/** The rest of an operation, for the next process when this one ends in the middle of it. */
type Rest = 'cut' | 'boot' | 'boot once off'

/** An operation that was accepted and is not complete; `{}` without one. */
interface Kept {
  readonly rest?: Rest | undefined
  /** Milliseconds since 1970: a machine that does not follow until then never will. */
  readonly until?: number | undefined
}

/** Left for the next process; includes the start of the machine in which the interrupted process ran. */
interface Told extends Kept {
  readonly bootId?: string | undefined
}

/** In place of the start of a machine whose supply is about to be interrupted. */
const interrupted = 'interrupted'

/** The operations that leave no NMI or pulse but a state to be reached. A shutdown is asked for once, and not again. */
const rests: Partial<Record<PowerOperation, (state: PowerState | undefined) => Rest | undefined>> = {
  on: () => 'boot',
  forceRestart: () => 'boot',
  coldBoot: () => 'boot once off',
  gracefulRestart: () => 'boot once off',
  gracefulShutdown: () => undefined,
  pressButton: (state) => (state === 'Off' ? 'boot' : undefined),
  forceOff: () => 'cut',
  holdButton: () => 'cut'
}

/**
 * Power over hardware that has no memory of what is under way: what was accepted is brought to its end by the next
 * process when this one ends first, however it does.
 */
export function durablePower(power: Power, options: DurablePowerOptions): Power {
  return new DurablePower(power, options)
}

class DurablePower implements Power {
  readonly supplyFailed: boolean | undefined
  readonly #power: Power
  readonly #memory: Memory<Told>
  readonly #gracefulTime: number
  readonly #warn: (text: string) => void
  #kept: Kept = {}
  /** The operation to continue once the state of the machine is known. */
  #left: Kept | undefined
  #bootId: string | undefined
  /** Ends the waiting for a machine that the last process has asked to go off. */
  #forget: () => void = () => undefined

  constructor(power: Power, options: DurablePowerOptions) {
    const { name, directory, warn, gracefulTime, bootId = readBootId() } = options
    this.#power = power
    this.#memory = new Memory(`${name}.rest`, { directory, warn })
    this.#gracefulTime = typeof gracefulTime === 'number' ? gracefulTime : 300_000
    this.#warn = warn
    const { bootId: before, ...left } = this.#memory.load(isTold) ?? {}
    this.#kept = left
    const isKnown = bootId !== undefined && power.restore === undefined
    this.supplyFailed = isKnown ? before !== undefined && before !== bootId : undefined
    this.#bootId = bootId
    this.#save()
    power.on((event) => this.#hear(event))
    // Its listeners are there by then, and another operation replaces the rest of this one.
    queueMicrotask(() => {
      if (this.#kept === left) this.#goOn(left)
    })
  }

  get state(): PowerState | undefined {
    return this.#power.state
  }

  get hasWatchdog(): boolean {
    return this.#power.hasWatchdog
  }

  get restore(): Power['restore'] {
    return this.#power.restore
  }

  async perform(operation: PowerOperation): Promise<void> {
    this.#left = undefined
    const restOf = rests[operation]
    if (operation === 'auxCycle') return this.#interruptSupply()
    if (restOf === undefined) return this.#power.perform(operation)
    const rest = restOf(this.state)
    const before = this.#kept
    // Ahead of it: it may be done before it is accepted.
    this.#keep(rest === undefined ? {} : { rest, until: Date.now() + this.#gracefulTime })
    try {
      await this.#power.perform(operation)
      this.#forget()
    } catch (error) {
      this.#keep(before)
      throw error
    }
  }

  on(listener: (event: PowerEvent) => void): () => void {
    return this.#power.on(listener)
  }

  close(): Promise<void> {
    this.#forget()
    // Where the supply fails, nothing is closed.
    if (this.#bootId !== interrupted) this.#bootId = undefined
    this.#save()
    return this.#power.close()
  }

  async #interruptSupply(): Promise<void> {
    const before = this.#bootId
    this.#bootId = before && interrupted
    this.#save()
    try {
      await this.#power.perform('auxCycle')
    } catch (error) {
      this.#bootId = before
      this.#save()
      throw error
    }
  }

  #goOn(kept: Kept): void {
    const { rest, until = 0 } = kept
    if (this.state === undefined) {
      this.#left = kept
      return
    }
    const off = this.state === 'Off'
    // The clock may have been set since.
    const left = Math.min(until - Date.now(), this.#gracefulTime)
    if (left < 0) this.#keep({})
    else if (rest === 'cut' && !off) this.#resume('forceOff')
    else if (rest !== 'cut' && off) this.#resume('on')
    else if (rest === 'boot once off') this.#bootOnceOff(left)
    else this.#keep({})
  }

  /** @param left milliseconds */
  #bootOnceOff(left: number): void {
    const stop = this.#power.on((event) => {
      if (event.type !== 'state' || event.state !== 'Off') return
      this.#forget()
      this.#resume('on')
    })
    const timer = setTimeout(() => this.#forget(), left)
    this.#forget = () => {
      clearTimeout(timer)
      stop()
    }
  }

  #resume(operation: 'on' | 'forceOff'): void {
    this.perform(operation).catch((error: Error) => this.#warn(error.message))
  }

  /** A boot or a failure is the end of it, and so is what the machine settles in, unless off is half way to a boot. */
  #hear(event: PowerEvent): void {
    if (event.type === 'state' && event.state === undefined) this.#left ??= this.#kept
    const left = this.#left
    if (left !== undefined && event.type === 'state') {
      this.#left = undefined
      this.#goOn(left)
      return
    }
    const on = event.type === 'state' && event.state === 'On'
    const off = event.type === 'state' && event.state === 'Off' && this.#kept.rest !== 'boot once off'
    if (on || off || event.type === 'boot' || endings.has(event.type)) this.#keep({})
  }

  #keep(kept: Kept): void {
    if (kept.rest === this.#kept.rest && kept.until === this.#kept.until) return
    this.#kept = kept
    this.#save()
  }

  #save(): void {
    this.#memory.save({ ...this.#kept, bootId: this.#bootId })
  }
}

/** Events that end an operation without a boot. */
const endings: ReadonlySet<PowerEvent['type']> = new Set(['failure', 'ignored'])

function isTold(told: unknown): told is Told {
  const { rest, until, bootId } = (told ?? {}) as Told
  const isRest = rest === undefined || ['cut', 'boot', 'boot once off'].includes(rest)
  return isRest && typeof (until ?? 0) === 'number' && typeof (bootId ?? '') === 'string'
}
