import { Listeners } from '#runtime/base/listeners.ts'
import { HalError } from '../errors.ts'
import { Memory, type SimOptions } from '../memory.ts'
import {
  accepts,
  type BeforeBoot,
  type Power,
  type PowerEvent,
  type PowerOperation,
  type PowerState,
  powerStates
} from '../power.ts'
import { type Faults, Gate, simOptions } from './faults.ts'

interface PowerFaults extends Faults {
  /** While true, the operating system ignores the button: what asks it to shut down ends in `On`, without a boot. */
  ignoreButton?: boolean | undefined
  /** While true, the supply cannot be switched off: what would end in or go through `Off` ends in `On`. */
  stuckOn?: boolean | undefined
  /** While true, the operating system hangs once it has started: the host's watchdog timer runs out. */
  hangs?: boolean | undefined
  /** While true, the operating system crashes once it has started, after the same time, and says so. */
  panics?: boolean | undefined
  /** While true, the firmware finds nothing to boot. */
  unbootable?: boolean | undefined
  /** Every operation takes so many milliseconds more. */
  slow?: number | undefined
}

/** Plain JSON but for `warn`. Times are in milliseconds; 0 is the next turn of the event loop. Default 500 each. */
export interface SimPowerOptions extends SimOptions {
  beforeBoot?: BeforeBoot | undefined
  /** From `PoweringOn` to `On`. */
  onTime?: number | undefined
  /** From `PoweringOff` to `Off` when the power is cut. */
  offTime?: number | undefined
  /** Until the operating system has shut down, or has turned out not to. */
  gracefulTime?: number | undefined
  /** That the reset line is held. */
  resetTime?: number | undefined
  /** From a boot until the watchdog timer runs out, or a crash, where the operating system hangs or crashes. */
  watchdogTime?: number | undefined
  /** Initial state. Default `On`. */
  initial?: 'On' | 'Off' | undefined
  /** Faults from the start on. */
  faults?: PowerFaults | undefined
}

const milliseconds = (description: string) => ({ type: 'number', minimum: 0, description }) as const

/** {@link SimPowerOptions} in a board file. */
export const simPowerOptions = {
  type: 'object',
  properties: {
    ...simOptions({
      ignoreButton: { type: 'boolean', description: 'The operating system does not react to the button' },
      stuckOn: { type: 'boolean', description: 'The supply cannot be switched off' },
      hangs: {
        type: 'boolean',
        description: 'The operating system hangs: its watchdog timer expires after each boot'
      },
      panics: { type: 'boolean', description: 'The operating system crashes after each boot, and reports it' },
      unbootable: { type: 'boolean', description: 'The firmware finds nothing to boot, and says so on the console' },
      slow: milliseconds('Additional milliseconds of every operation')
    }),
    onTime: milliseconds('Milliseconds to switch on; default 500'),
    offTime: milliseconds('Milliseconds to switch off; default 500'),
    gracefulTime: milliseconds('Milliseconds until the operating system has shut down; default 500'),
    resetTime: milliseconds('Milliseconds that the reset line is held; default 500'),
    watchdogTime: milliseconds(
      'Milliseconds from a boot until the watchdog timer of a host that hangs runs out, or a host crashes; default 500'
    ),
    initial: { type: 'string', enum: ['On', 'Off'], description: 'At its first start; default On' }
  }
} as const

export interface SimPower extends Power {
  /** Faults of the machine; set or delete its properties at any time. */
  readonly faults: PowerFaults
}

/** The operations that take time. The others are one of these by another name, or done at once. */
type Transition = Exclude<PowerOperation, 'nmi' | 'auxCycle' | 'pressButton' | 'holdButton'>

/** How an operation goes: the state during it, for how long, what happens at the end, and what follows. */
interface Course {
  during: PowerState
  time: number
  end: PowerEvent[]
  next?: Transition
}

interface Kept {
  state: PowerState
  /** The operation under way; it starts again when the simulation resumes. */
  operation?: Transition | undefined
  /** The supply was interrupted, which the next process learns once. */
  interrupted?: boolean | undefined
}

/** The simulated power and reset lines of one host. An operation that the process left unfinished starts again. */
export function simPower(options: SimPowerOptions = {}): SimPower {
  return new Simulation(options)
}

class Simulation implements SimPower {
  readonly hasWatchdog = true
  readonly supplyFailed: boolean
  readonly faults: PowerFaults
  readonly #beforeBoot: BeforeBoot | undefined
  readonly #courses: Record<Transition, Course>
  readonly #gate: Gate
  readonly #memory: Memory<Kept>
  readonly #listeners = new Listeners<PowerEvent>()
  #state: PowerState
  #operation: Transition | undefined
  #course: Course | undefined
  /** When the course ends, in milliseconds of the clock that never leaps. */
  #ends = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #watchdogTime: number
  #watchdog: ReturnType<typeof setTimeout> | undefined

  constructor(options: SimPowerOptions) {
    const { name = 'power', timeout = 2000, initial = 'On', watchdogTime = 500 } = options
    this.#watchdogTime = watchdogTime
    this.#beforeBoot = options.beforeBoot
    this.faults = { ...options.faults }
    this.#courses = courses(options)
    this.#gate = new Gate(name, this.faults, timeout)
    this.#memory = new Memory(name, options)
    const before = this.#memory.load(isKept) ?? { state: initial }
    const kept: Kept = options.supplyFailed ? { state: 'Off', interrupted: true } : before
    this.#state = kept.state
    this.supplyFailed = kept.interrupted === true
    if (this.supplyFailed) this.#keep()
    if (kept.operation) this.#start(kept.operation)
  }

  get state(): PowerState {
    return this.#state
  }

  get isUnderWay(): boolean {
    return this.#operation !== undefined || this.#watchdog !== undefined
  }

  async perform(operation: PowerOperation): Promise<void> {
    await this.#gate.accept(operation)
    if (!accepts(this.#state, operation)) {
      throw new HalError('EINVAL', `power: ${operation} is not possible while ${this.#state}`)
    }
    if (operation === 'forceOff' || operation === 'holdButton') return this.#start('forceOff')
    if (this.#operation === 'forceRestart') {
      throw new HalError('EBUSY', `power: ${operation}: a reset is under way`, { left: this.#ends - performance.now() })
    }
    if (operation === 'auxCycle') this.#memory.save({ state: this.#state, interrupted: true })
    if (operation === 'nmi' || operation === 'auxCycle') return this.#listeners.emit({ type: operation })
    if (operation === 'pressButton') return this.#start(this.#state === 'Off' ? 'on' : 'gracefulShutdown')
    this.#start(operation)
  }

  on(listener: (event: PowerEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#unwind()
    this.#gate.close()
    this.#listeners.clear()
  }

  #start(operation: Transition): void {
    const course = this.#asFaultsAllow(operation)
    clearTimeout(this.#timer)
    if (!this.#gate.closed) this.#timer = setTimeout(() => this.#finish(course), course.time)
    this.#operation = operation
    this.#course = course
    this.#ends = performance.now() + course.time
    this.#emit({ type: 'state', state: course.during })
    this.#keep()
  }

  async #finish(course: Course): Promise<void> {
    const { end, next } = course
    if (this.#beforeBoot !== undefined && end.some(({ type }) => type === 'boot')) {
      await this.#beforeBoot().catch(() => undefined)
      // The power was cut meanwhile; or the process ends, and the next one goes on from the file.
      if (this.#course !== course || this.#gate.closed) return
    }
    this.#operation = undefined
    this.#course = undefined
    for (const event of end) this.#emit(event)
    if (next) this.#start(next)
    else this.#keep()
  }

  /** A course of its own each time: the same operation, asked for again, is another one. */
  #asFaultsAllow(operation: Transition): Course {
    const { ignoreButton, stuckOn, slow = 0 } = this.faults
    const course = { ...this.#courses[operation] }
    course.time += slow
    const graceful = operation === 'gracefulShutdown' || operation === 'gracefulRestart'
    const cuts = operation === 'forceOff' || operation === 'coldBoot' || operation === 'gracefulShutdown'
    if (!(graceful && ignoreButton) && !(cuts && stuckOn)) return course
    // A boot that was about to come still does: the power stayed on all the time.
    const boots = this.#course?.end.filter(({ type }) => type === 'boot') ?? []
    const { during, time } = course
    const told: PowerEvent = stuckOn ? { type: 'failure', reason: 'the power is still on' } : { type: 'ignored', time }
    return { during, time, end: [told, ...boots, { type: 'state', state: 'On' }] }
  }

  #emit(event: PowerEvent): void {
    if (event.type === 'state' && event.state !== undefined) {
      if (event.state === this.#state) return
      this.#state = event.state
    }
    if (event.type === 'state' || event.type === 'boot') this.#unwind()
    this.#listeners.emit(event)
    // The timer runs while the host does.
    if (event.type !== 'boot' && (event.type !== 'state' || event.state !== 'On')) return
    if (this.faults.panics) this.#wind('panic')
    else if (this.faults.hangs) this.#wind('watchdog')
  }

  #wind(type: 'panic' | 'watchdog'): void {
    this.#unwind()
    this.#watchdog = setTimeout(() => {
      this.#watchdog = undefined
      this.#listeners.emit({ type })
    }, this.#watchdogTime)
  }

  #unwind(): void {
    clearTimeout(this.#watchdog)
    this.#watchdog = undefined
  }

  #keep(): void {
    this.#memory.save({ state: this.#state, operation: this.#operation })
  }
}

function courses(options: SimPowerOptions): Record<Transition, Course> {
  const { onTime = 500, offTime = 500, gracefulTime = 500, resetTime = 500 } = options
  const on: PowerEvent = { type: 'state', state: 'On' }
  const off: PowerEvent = { type: 'state', state: 'Off' }
  const reset: PowerEvent = { type: 'boot', cause: 'reset' }
  const powerOn: PowerEvent = { type: 'boot', cause: 'powerOn' }
  return {
    on: { during: 'PoweringOn', time: onTime, end: [powerOn, on] },
    forceOff: { during: 'PoweringOff', time: offTime, end: [off] },
    coldBoot: { during: 'PoweringOff', time: offTime, end: [off], next: 'on' },
    gracefulShutdown: { during: 'PoweringOff', time: gracefulTime, end: [off] },
    gracefulRestart: { during: 'PoweringOff', time: gracefulTime, end: [reset, on] },
    forceRestart: { during: 'On', time: resetTime, end: [reset] }
  }
}

function isKept(kept: unknown): kept is Kept {
  const { state, operation } = (kept ?? {}) as Partial<Kept>
  const transitions = Object.keys(courses({}))
  const transient = state === 'PoweringOn' || state === 'PoweringOff'
  return powerStates.includes(state!) && (operation === undefined ? !transient : transitions.includes(operation))
}
