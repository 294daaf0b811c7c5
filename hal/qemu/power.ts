import { Listeners } from '#runtime/base/listeners.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { HalError } from '../errors.ts'
import {
  accepts,
  type BeforeBoot,
  type Power,
  type PowerEvent,
  type PowerOperation,
  type PowerState
} from '../power.ts'
import type { QemuMachine } from './machine.ts'

export interface QemuPowerOptions {
  /** Milliseconds that the operating system may take to shut down. Default 300 s. */
  readonly gracefulTime?: unknown
  /** Milliseconds without power in a cold boot. Default 5 s. */
  readonly offTime?: unknown
  readonly warn: (text: string) => void
  readonly beforeBoot?: BeforeBoot | undefined
}

/** The operation under way; a new one takes its place. */
interface Course {
  readonly restarts: boolean
}

/**
 * The power of a virtual machine. A reset, too, ends the process and starts another: QEMU reads the flash with the
 * variables only when it starts, and what waits for a reset is written to it before. So does a reset by the guest.
 */
export class QemuPower implements Power {
  readonly hasWatchdog = true
  readonly #machine: QemuMachine
  readonly #gracefulTime: number
  readonly #offTime: number
  readonly #warn: (text: string) => void
  readonly #listeners = new Listeners<PowerEvent>()
  readonly #beforeBoot: BeforeBoot | undefined
  #state: PowerState
  #course: Course | undefined
  #late: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(machine: QemuMachine, { gracefulTime, offTime, warn, beforeBoot }: QemuPowerOptions) {
    this.#machine = machine
    this.#beforeBoot = beforeBoot
    this.#gracefulTime = typeof gracefulTime === 'number' ? gracefulTime : 300_000
    this.#offTime = typeof offTime === 'number' ? offTime : 5000
    this.#warn = warn
    this.#state = machine.running ? 'On' : 'Off'
    machine.onFailure((reason) => this.#failed(reason))
    machine.onPanic(() => this.#listeners.emit({ type: 'panic' }))
    machine.onWatchdog(() => this.#listeners.emit({ type: 'watchdog' }))
    machine.onEnd((end) => {
      if (this.#course !== undefined) return
      if (end === 'reset') this.#run((course) => this.#boot(course, 'reset'), { restarts: true })
      else this.#become('Off')
    })
  }

  get state(): PowerState {
    return this.#state
  }

  async perform(operation: PowerOperation): Promise<void> {
    if (this.#closed) throw new HalError('ENODEV', 'qemu: power: closed')
    if (!accepts(this.#state, operation)) {
      throw new HalError('EINVAL', `qemu: ${operation} is not possible while ${this.#state}`)
    }
    if (operation === 'forceOff' || operation === 'holdButton') return this.#run(() => this.#cut())
    if (this.#course?.restarts) throw new HalError('EBUSY', `qemu: ${operation}: a reset is under way`)
    if (operation === 'auxCycle') return this.#listeners.emit({ type: 'auxCycle' })
    if (operation === 'nmi') {
      await this.#machine.execute('inject-nmi')
      return this.#listeners.emit({ type: 'nmi' })
    }
    if (operation === 'on' || (operation === 'pressButton' && this.#state === 'Off')) return this.#switchOn()
    if (operation === 'forceRestart') return this.#reset()
    if (operation === 'coldBoot') return this.#coldBoot()
    return this.#askToShutDown(operation === 'gracefulRestart')
  }

  on(listener: (event: PowerEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#course = undefined
    clearTimeout(this.#late)
    this.#listeners.clear()
    await this.#machine.close()
  }

  #switchOn(): void {
    this.#machine.check()
    this.#become('PoweringOn')
    this.#run((course) => this.#boot(course, 'powerOn'))
  }

  #reset(): void {
    this.#machine.check()
    this.#run(
      async (course) => {
        await this.#machine.stop()
        await this.#boot(course, 'reset')
      },
      { restarts: true }
    )
  }

  #coldBoot(): void {
    this.#machine.check()
    this.#run(async (course) => {
      await this.#cut()
      await sleep(this.#offTime)
      if (this.#course !== course) return
      this.#become('PoweringOn')
      await this.#boot(course, 'powerOn')
    })
  }

  async #cut(): Promise<void> {
    this.#become('PoweringOff')
    await this.#machine.stop()
    this.#become('Off')
  }

  async #askToShutDown(restarts: boolean): Promise<void> {
    await this.#machine.execute('system_powerdown')
    this.#become('PoweringOff')
    this.#run(async (course) => {
      if (!(await this.#gone(course))) {
        if (this.#course !== course) return
        this.#listeners.emit({ type: 'ignored', time: this.#gracefulTime })
        this.#become('On')
      } else if (restarts) await this.#boot(course, 'reset')
      else this.#become('Off')
    })
  }

  /** Whether the machine switched itself off in time. */
  #gone(course: Course): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (gone: boolean) => {
        clearTimeout(this.#late)
        stop()
        resolve(gone && this.#course === course)
      }
      const stop = this.#machine.onEnd(() => settle(true))
      this.#late = setTimeout(() => settle(false), this.#gracefulTime)
    })
  }

  /** An operation that cuts the power meanwhile cancels the boot. */
  async #boot(course: Course, cause: 'powerOn' | 'reset'): Promise<void> {
    await this.#beforeBoot?.().catch(() => undefined)
    if (this.#course !== course) return
    await this.#machine.start()
    if (this.#course !== course) return
    this.#listeners.emit({ type: 'boot', cause })
    this.#become('On')
  }

  /** Begins what takes time. A machine that does not start is off. */
  #run(work: (course: Course) => Promise<void>, { restarts = false } = {}): void {
    const course = { restarts }
    this.#course = course
    clearTimeout(this.#late)
    work(course)
      .catch((error: Error) => {
        this.#failed(error.message)
        if (this.#course === course) this.#become(this.#machine.running ? 'On' : 'Off')
      })
      .finally(() => {
        if (this.#course === course) this.#course = undefined
      })
  }

  #failed(reason: string): void {
    this.#warn(reason)
    this.#listeners.emit({ type: 'failure', reason })
  }

  #become(state: PowerState): void {
    if (this.#state === state) return
    this.#state = state
    this.#listeners.emit({ type: 'state', state })
  }
}
