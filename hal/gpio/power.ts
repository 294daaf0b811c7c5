import process from 'node:process'
import { Listeners } from '#runtime/base/listeners.ts'
import { HalError } from '../errors.ts'
import {
  accepts,
  type BeforeBoot,
  type Power,
  type PowerEvent,
  type PowerOperation,
  type PowerState
} from '../power.ts'
import type { Edge, Gpio, OutputLine } from './gpio.ts'
import { type HostLines, openHostLines } from './host.ts'
import { type GpioPowerOptions, readTimes, type Times } from './options.ts'

/** The operation under way. There is at most one: a new one ends it. */
interface Course {
  readonly kind: 'on' | 'shutdown' | 'cut' | 'reset'
  over: boolean
  /** Of a cut or a shutdown: the power comes back. */
  restarts: boolean
  /** Of what switches on: the button was pressed, so that the power may come up any time. */
  pressed: boolean
}

/**
 * The power of one host behind GPIO lines: presses its buttons and watches its power-good line. The state follows that
 * line, also without a request, e.g. after a power failure or a press of the power button.
 *
 * The host is held by leaving it off or, for a reset, by the reset line: also for one that it begins itself, as soon as
 * that is over. Not before, because a host that switches itself off goes into reset too, and comes out of it later.
 *
 * When the process ends, every press ends, and the next one sees what has become of the host; what was under way is for
 * `durablePower` to bring to its end.
 *
 * @throws {HalError} one sentence about options that are wrong, and lines that are not there, in use, or broken
 */
export function gpioPower(gpio: Gpio, options: GpioPowerOptions): Power {
  try {
    return new GpioPower(gpio, options)
  } catch (error) {
    if (!(error instanceof HalError)) throw error
    throw new HalError(error.code, `${options.name}: ${error.message}`, { cause: error })
  }
}

class GpioPower implements Power {
  readonly hasWatchdog: boolean
  readonly #beforeBoot: BeforeBoot | undefined
  readonly #name: string
  readonly #warn: (text: string) => void
  readonly #times: Times
  readonly #listeners = new Listeners<PowerEvent>()
  readonly #lines: HostLines
  /** Those who wait for an edge, or the end of their course. */
  readonly #waiting = new Set<() => void>()
  #good: boolean
  /** The kernel's time of what last put the host into reset or let it out from here: its power, or the reset line. */
  #touched = 0n
  /** The host went into reset by itself, and has not come out of it. */
  #resetsItself = false
  #state: PowerState
  #course: Course | undefined
  #resetHeld = false
  /** When the reset line is let go of, in milliseconds of the clock that never leaps. */
  #resetEnds = 0
  #closed = false

  constructor(gpio: Gpio, options: GpioPowerOptions) {
    this.#name = options.name
    this.#warn = options.warn
    this.#beforeBoot = options.beforeBoot
    this.#times = readTimes(options)
    const senses = {
      powerGood: (edge: Edge) => this.#powerEdge(edge),
      platformReset: (edge: Edge) => this.#resetEdge(edge),
      watchdog: ({ active }: Edge) => active && this.#good && this.#listeners.emit({ type: 'watchdog' })
    }
    this.#lines = openHostLines(gpio, options, senses, ({ message }) =>
      this.#warnOf(`the state of the host is unknown: ${message}`)
    )
    this.hasWatchdog = this.#lines.watchdog !== undefined
    this.#good = this.#lines.powerGood.active()
    this.#state = this.#good ? 'On' : 'Off'
  }

  get state(): PowerState {
    return this.#state
  }

  async perform(operation: PowerOperation): Promise<void> {
    if (this.#closed) throw this.#error('ENODEV', operation, 'the lines are closed')
    if (!accepts(this.#state, operation)) {
      throw this.#error('EINVAL', operation, `it is not possible while ${this.#state}`)
    }
    if (operation === 'forceOff' || operation === 'holdButton') return this.#cut(false)
    if (this.#course?.kind === 'reset') {
      const left = this.#resetEnds - performance.now()
      throw new HalError('EBUSY', `${this.#name}: ${operation}: a reset is under way`, { left })
    }
    if (operation === 'nmi') return this.#pulse('nmi', this.#lines.nmi, this.#times.pressTime)
    if (operation === 'auxCycle') return this.#pulse('auxCycle', this.#lines.auxCycle, this.#times.auxTime)
    if (operation === 'forceRestart') return this.#restart()
    if (operation === 'coldBoot') return this.#cut(true)
    if (this.#state === 'Off') return this.#run(this.#switchOn(this.#begin('on')))
    this.#shutDown(operation === 'gracefulRestart')
  }

  on(listener: (event: PowerEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#end()
    this.#listeners.clear()
    this.#closed = true
    this.#run((async () => this.#lines.close())())
  }

  async #switchOn(course: Course): Promise<void> {
    this.#become('PoweringOn')
    // A hand may have switched it on meanwhile.
    if (!this.#good) await this.#hook()
    if (course.over) return
    if (!this.#good) {
      course.pressed = true
      const released = this.#lines.powerButton.press(this.#times.pressTime)
      await Promise.all([released, this.#until(course, this.#times.onTime, () => this.#good)])
      if (course.over) return
      if (!this.#good) {
        const reason = `no power ${this.#times.onTime} ms after the button was pressed`
        this.#warnOf(reason)
        this.#listeners.emit({ type: 'failure', reason })
        if (course.over) return
      }
    }
    this.#settle('powerOn')
  }

  #shutDown(restarts: boolean): void {
    const released = this.#lines.powerButton.press(this.#times.pressTime)
    const course = this.#begin('shutdown', restarts)
    this.#become('PoweringOff')
    const off = this.#until(course, this.#times.gracefulTime, () => !this.#good)
    this.#run(Promise.all([released, off]).then(() => this.#powerCycled(course)))
  }

  /** The button is held until the power is gone. With a reset under way the reset line stays held until then. */
  async #cut(restarts: boolean): Promise<void> {
    const before = this.#course
    if (before?.kind === 'cut') {
      before.restarts = restarts
      return
    }
    const course = this.#begin('cut', restarts)
    let hadPower = this.#good
    let released: Promise<void> | undefined
    // Held before anything was pressed, there is nothing to cut.
    if (this.#good || before?.pressed) {
      try {
        this.#lines.powerButton.release()
        released = this.#lines.powerButton.press(this.#times.holdTime)
      } catch (error) {
        this.#letGoOfReset()
        this.#settle()
        throw error
      }
    }
    this.#become('PoweringOff')
    if (released === undefined) return this.#settle()
    const off = this.#until(course, this.#times.holdTime, () => {
      hadPower ||= this.#good
      return hadPower && !this.#good
    })
    const ended = off.then(() => this.#closed || this.#lines.powerButton.release())
    this.#run(Promise.all([ended, released]).then(() => this.#powerCycled(course)))
  }

  /** After what was to take the power away. */
  async #powerCycled(course: Course): Promise<void> {
    if (course.over) return
    if (this.#good) {
      const isCut = course.kind === 'cut'
      const reason = `the power is still on after a ${isCut ? 'long ' : ''}press`
      this.#warnOf(reason)
      this.#listeners.emit(isCut ? { type: 'failure', reason } : { type: 'ignored', time: this.#times.gracefulTime })
      // A listener may have closed it, or begun something.
      if (course.over) return
    }
    const boots = this.#good && this.#resetHeld
    if (boots) await this.#hook()
    if (course.over) return
    this.#letGoOfReset()
    if (this.#good || !course.restarts) return this.#settle(boots ? 'reset' : undefined)
    this.#become('Off')
    // A listener may have closed it, or begun something.
    if (course.over) return
    const on = this.#begin('on')
    this.#become('PoweringOn')
    await this.#until(on, this.#times.cycleTime, () => this.#good)
    if (!on.over) await this.#switchOn(on)
  }

  #restart(): void {
    const { resetTime } = this.#times
    this.#run(this.#line('forceRestart', this.#lines.reset).press())
    this.#resetHeld = true
    this.#resetEnds = performance.now() + resetTime
    const course = this.#begin('reset')
    const held = Promise.all([this.#hook(), this.#until(course, resetTime, () => false)])
    this.#run(
      held.then(() => {
        if (course.over) return
        this.#letGoOfReset()
        this.#settle('reset')
      })
    )
  }

  async #pulse(type: 'nmi' | 'auxCycle', line: OutputLine | undefined, time: number): Promise<void> {
    await this.#line(type, line).press(time)
    this.#listeners.emit({ type })
  }

  #powerEdge({ active: good, nanoseconds }: Edge): void {
    if (good === this.#good || this.#closed) return
    this.#good = good
    this.#touched = nanoseconds
    this.#resetsItself = false
    for (const look of [...this.#waiting]) look()
    if (this.#course === undefined) this.#settle(good ? 'powerOn' : undefined)
    else if (this.#course.kind === 'reset') {
      this.#letGoOfReset()
      this.#settle()
    }
  }

  /** A host goes through reset also when it is switched on or off, and when it is reset from here. */
  #resetEdge({ active, nanoseconds }: Edge): void {
    const free = this.#good && (this.#course === undefined || this.#course.kind === 'shutdown')
    const isOver = this.#resetsItself && !active
    this.#resetsItself = free && active && nanoseconds > this.#touched
    if (isOver && free) this.#hasReset()
  }

  /** The host begins to boot, and is put into reset once more to hold it, where there is a line for that. */
  #hasReset(): void {
    try {
      if (this.#lines.reset) this.#restart()
      else this.#settle('reset')
    } catch (error) {
      if (!(error instanceof HalError)) throw error
      this.#warnOf(error.message)
      this.#settle('reset')
    }
  }

  /** Resolves when `met` holds, the time (ms) is over or the course is. */
  #until(course: Course, time: number, met: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        this.#waiting.delete(look)
        resolve()
      }
      const look = () => {
        if (met() || course.over) finish()
      }
      const timer = setTimeout(finish, time)
      this.#waiting.add(look)
      look()
    })
  }

  async #hook(): Promise<void> {
    await this.#beforeBoot?.().catch(() => undefined)
  }

  #begin(kind: Course['kind'], restarts = false): Course {
    this.#end()
    this.#course = { kind, restarts, over: false, pressed: false }
    return this.#course
  }

  #end(): void {
    if (this.#course) this.#course.over = true
    this.#course = undefined
    for (const look of [...this.#waiting]) look()
  }

  /** Nothing is under way any more: the state is what the power-good line says. */
  #settle(cause?: 'powerOn' | 'reset'): void {
    this.#end()
    if (this.#good && cause) this.#listeners.emit({ type: 'boot', cause })
    this.#become(this.#good ? 'On' : 'Off')
  }

  #become(state: PowerState): void {
    if (state === this.#state) return
    this.#state = state
    this.#listeners.emit({ type: 'state', state })
  }

  #letGoOfReset(): void {
    const held = this.#resetHeld
    this.#resetHeld = false
    if (!held) return
    this.#run((async () => this.#lines.reset?.release())())
    this.#touched = process.hrtime.bigint()
  }

  /** The work after the operation was accepted. If lines fail then, it logs that, and the state is that of the line. */
  #run(work: Promise<unknown>): void {
    work.catch((error: Error) => {
      if (!(error instanceof HalError)) throw error
      this.#warnOf(error.message)
      if (!this.#closed) this.#settle()
    })
  }

  #line(operation: PowerOperation, line: OutputLine | undefined): OutputLine {
    if (line === undefined) throw this.#error('EINVAL', operation, 'this board has no line for it')
    return line
  }

  #warnOf(text: string): void {
    this.#warn(`${this.#name}: ${text}`)
  }

  #error(code: 'EINVAL' | 'ENODEV', operation: string, reason: string): HalError {
    return new HalError(code, `${this.#name}: ${operation}: ${reason}`)
  }
}
