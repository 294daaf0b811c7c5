import { rmSync } from 'node:fs'
import { replaceFile } from '#runtime/base/files.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { Variant } from '../dbus/values.ts'
import { HalError } from '../errors.ts'
import {
  accepts,
  type BeforeBoot,
  type Power,
  type PowerEvent,
  type PowerOperation,
  type PowerState
} from '../power.ts'
import type { PowerRestoreSetting } from '../power-restore.ts'
import type { SharedState } from '../shared-state.ts'
import { type BusOptions, busOptions, type Objects, wordOf } from './objects.ts'
import { openbmcPowerRestore, powerRestoreInterfaces } from './power-restore.ts'

/** The back end `openbmc` of power: a host that OpenBMC's state managers control. */
export interface OpenbmcPowerOptions extends BusOptions {
  /** The number of the host and of its chassis: 0 for `host0` and `chassis0`. Default 0. */
  readonly host?: number | undefined
  readonly beforeBoot?: BeforeBoot | undefined
  /** Milliseconds in which a state manager begins what it accepted. Default 30 s. */
  readonly answerTime?: number | undefined
  /** A file that is there while the host is off and must not boot: for a unit of systemd that holds it meanwhile. */
  readonly hold?: string | undefined
}

/** {@link OpenbmcPowerOptions} in a board file. */
export const openbmcPowerOptions = {
  type: 'object',
  properties: {
    host: { type: 'integer', minimum: 0, description: 'The number of the host and its chassis; default 0' },
    answerTime: {
      type: 'number',
      minimum: 0,
      description: 'Milliseconds for the begin of a transition; default 30000'
    },
    hold: { type: 'string', description: 'A file that is there while the host is off and must not boot; default none' },
    ...busOptions
  }
} as const

const state = 'xyz.openbmc_project.State'
const hostInterface = `${state}.Host`
const chassisInterface = `${state}.Chassis`
const progressInterface = `${state}.Boot.Progress`
const nmiInterface = 'xyz.openbmc_project.Control.Host.NMI'

export const powerInterfaces = [
  hostInterface,
  chassisInterface,
  progressInterface,
  nmiInterface,
  ...powerRestoreInterfaces
]

/** The stages of a boot in their order (`State.Boot.Progress`): one that comes after a later one is of another boot. */
const stages = [
  'Unspecified',
  'PrimaryProcInit',
  'BusInit',
  'MemoryInit',
  'SecondaryProcInit',
  'PCIInit',
  'SystemInitComplete',
  'SystemSetup',
  'OSStart',
  'OSRunning'
]

/** The operation under way. There is at most one: a new one ends it. */
interface Course {
  over: boolean
  /** The state until the bus shows that the transition has begun; of a course that passes Off, until it ends. */
  shown: PowerState
  /** No transition has been requested yet: the work before the boot goes on. */
  isHeld?: boolean
  /** The host is to boot once it is off. */
  restarts?: boolean
  /** Another program has asked for it. */
  isOthers?: boolean
}

/** The properties of the state managers: the last words of their enumerations. */
interface Shown {
  readonly host: string
  readonly chassis: string
  readonly requested: string | undefined
}

/**
 * The power of one host of OpenBMC. The bus tells its state, whoever changed it, and its managers bring every transition
 * to an end. They cannot be held before a boot: the host is held by asking for its boot later. So a graceful restart and
 * a cold boot are asked for in two steps, off and on. A boot that another program asks for is held by a unit of systemd,
 * for as long as a file is there.
 */
export function openbmcPower(objects: Objects, options: OpenbmcPowerOptions): Power {
  return new OpenbmcPower(objects, options)
}

class OpenbmcPower implements Power {
  readonly hasWatchdog = false
  readonly restore: SharedState<PowerRestoreSetting>
  readonly #objects: Objects
  readonly #name: string
  readonly #warn: (text: string) => void
  readonly #beforeBoot: BeforeBoot | undefined
  readonly #answerTime: number
  readonly #holdFile: string | undefined
  readonly #host: string
  readonly #chassis: string
  readonly #nmi: string
  readonly #listeners = new Listeners<PowerEvent>()
  #state: PowerState | undefined
  #before: Shown | undefined
  #course: Course | undefined
  /** The host goes through a warm reset. */
  #resets = false
  #stage = 0
  #isQuiesced = false
  #late: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(objects: Objects, options: OpenbmcPowerOptions) {
    const { name, warn, beforeBoot, host = 0, answerTime = 30_000, hold } = options
    this.#objects = objects
    this.#name = name
    this.#warn = warn
    this.#beforeBoot = beforeBoot
    this.#answerTime = answerTime
    this.#holdFile = hold
    this.#host = `/xyz/openbmc_project/state/host${host}`
    this.#chassis = `/xyz/openbmc_project/state/chassis${host}`
    this.#nmi = `/xyz/openbmc_project/control/host${host}/nmi`
    this.restore = openbmcPowerRestore(objects, options)
    objects.on((changed) => {
      if (changed.has(this.#host) || changed.has(this.#chassis)) this.#look()
    })
    this.#look()
  }

  get state(): PowerState | undefined {
    return this.#state
  }

  async perform(operation: PowerOperation): Promise<void> {
    if (this.#isClosed || this.#state === undefined) {
      const reason = this.#isClosed ? 'the device is closed' : 'the bus does not tell the state of the host'
      throw new HalError('ENODEV', `${this.#name}: ${operation}: ${reason}`)
    }
    if (!accepts(this.#state, operation))
      throw new HalError('EINVAL', `${this.#name}: ${operation}: it is not possible while ${this.#state}`)
    if (operation === 'forceOff' || operation === 'holdButton') return this.#cut(false)
    if (this.#resets) throw new HalError('EBUSY', `${this.#name}: ${operation}: a reset is under way`)
    if (operation === 'nmi') return this.#interrupt()
    if (operation === 'auxCycle') return this.#cycleSupply()
    if (operation === 'forceRestart') return this.#reset()
    if (operation === 'coldBoot') return this.#cut(true)
    if (this.#state === 'Off') return this.#run(this.#switchOn(this.#begin('PoweringOn')))
    await this.#requestFirst(this.#begin('PoweringOff', operation === 'gracefulRestart'), 'Host', 'Off')
  }

  on(listener: (event: PowerEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#end()
    this.#listeners.clear()
    this.#objects.close()
  }

  async #interrupt(): Promise<void> {
    await this.#objects.call(this.#nmi, nmiInterface, 'NMI')
    this.#listeners.emit({ type: 'nmi' })
  }

  /** Takes the standby power away, where the machine can. */
  async #cycleSupply(): Promise<void> {
    const system = '/xyz/openbmc_project/state/chassis_system0'
    const transition = new Variant('s', `${chassisInterface}.Transition.PowerCycle`)
    await this.#objects.set(system, chassisInterface, 'RequestedPowerTransition', transition)
    this.#listeners.emit({ type: 'auxCycle' })
  }

  async #reset(): Promise<void> {
    const course = this.#begin('On')
    this.#resets = true
    this.#run(
      this.#hold(course).then(async () => {
        if (!course.over) await this.#request(course, 'Host', 'ForceWarmReboot')
      })
    )
  }

  async #cut(restarts: boolean): Promise<void> {
    const wasHeld = this.#course?.isHeld === true && !this.#resets
    const course = this.#begin('PoweringOff', restarts)
    // Nothing was asked for: there is no power to cut.
    if (wasHeld && this.#before !== undefined && stateOf(this.#before) === 'Off') return this.#end()
    await this.#requestFirst(course, 'Chassis', 'Off')
  }

  async #switchOn(course: Course): Promise<void> {
    await this.#hold(course)
    if (!course.over) await this.#request(course, 'Host', 'On')
  }

  /** The work before the boot, whose failure keeps no machine off. */
  async #hold(course: Course): Promise<void> {
    course.isHeld = true
    await this.#beforeBoot?.().catch(() => undefined)
    course.isHeld = false
    if (!course.over) this.#setHold(false)
  }

  /** Another program has asked for a boot, and systemd holds it: once the work before it is done, no longer. */
  async #letBoot(): Promise<void> {
    if (this.#holdFile === undefined || this.#course !== undefined || this.#state !== 'Off') return
    const course = this.#begin('PoweringOn')
    course.isOthers = true
    await this.#hold(course)
    if (!course.over) this.#late = setTimeout(() => this.#end(), this.#answerTime)
  }

  #setHold(isHeld: boolean): void {
    if (this.#holdFile === undefined) return
    try {
      if (isHeld) replaceFile(this.#holdFile, '')
      else rmSync(this.#holdFile, { force: true })
    } catch (error) {
      this.#warn(`${this.#name}: ${this.#holdFile}: ${(error as Error).message}`)
    }
  }

  /** Asks for a transition of `State.Host` or `State.Chassis`. The course ends if that does not begin. */
  async #request(course: Course, manager: 'Host' | 'Chassis', transition: string): Promise<void> {
    const [path, property] =
      manager === 'Host' ? [this.#host, 'RequestedHostTransition'] : [this.#chassis, 'RequestedPowerTransition']
    clearTimeout(this.#late)
    this.#late = setTimeout(
      () => this.#fail(course, `${transition} has not begun in ${this.#answerTime} ms`),
      this.#answerTime
    )
    const value = new Variant('s', `${state}.${manager}.Transition.${transition}`)
    await this.#objects.set(path, `${state}.${manager}`, property, value)
  }

  /** As above, for an operation that is only accepted with it. */
  async #requestFirst(course: Course, manager: 'Host' | 'Chassis', transition: string): Promise<void> {
    try {
      await this.#request(course, manager, transition)
    } catch (error) {
      if (!course.over) this.#end()
      throw error
    }
  }

  #fail(course: Course, reason: string): void {
    if (course.over) return
    this.#warn(`${this.#name}: ${reason}`)
    this.#listeners.emit({ type: 'failure', reason })
    if (!course.over) this.#end()
  }

  /** Continues an operation that was accepted. A failure becomes an event. */
  #run(work: Promise<void>): void {
    const course = this.#course as Course
    work.catch((error: unknown) => {
      if (!(error instanceof HalError)) throw error
      this.#fail(course, error.message)
    })
  }

  #begin(shown: PowerState, restarts = false): Course {
    if (this.#course !== undefined) this.#course.over = true
    clearTimeout(this.#late)
    this.#resets = false
    const course: Course = { over: false, shown, restarts }
    this.#course = course
    this.#become(shown)
    return course
  }

  #end(): void {
    if (this.#course !== undefined) this.#course.over = true
    this.#course = undefined
    this.#resets = false
    clearTimeout(this.#late)
    if (!this.#isClosed && this.#before !== undefined) this.#become(stateOf(this.#before))
  }

  #look(): void {
    const properties = this.#objects.properties(this.#host, hostInterface)
    const host = wordOf(properties?.get('CurrentHostState'))
    const chassis = wordOf(this.#objects.properties(this.#chassis, chassisInterface)?.get('CurrentPowerState'))
    if (host === undefined || chassis === undefined) {
      this.#before = undefined
      this.#end()
      this.#become(undefined)
      return
    }
    const requested = wordOf(properties?.get('RequestedHostTransition'))
    const before = this.#before
    this.#before = { host, chassis, requested }
    if (before === undefined) this.#become(stateOf(this.#before))
    else this.#follow(before, this.#before)
    this.#watchStage()
    this.#watchQuiesce(host)
  }

  #follow(before: Shown, now: Shown): void {
    const hasChanged = before.host !== now.host || before.chassis !== now.chassis
    const isAsked = (transition: string) => before.requested !== now.requested && now.requested === transition
    if (isAsked('ForceWarmReboot')) this.#resets = true
    if (!hasChanged) {
      if (isAsked('On')) void this.#letBoot()
      return
    }
    const runs = before.host !== 'Running' && now.host === 'Running'
    if (this.#resets && now.chassis === 'On') {
      if (!runs) return
      this.#stage = 0
      this.#end()
      this.#listeners.emit({ type: 'boot', cause: 'reset' })
      return
    }
    const course = this.#course
    const next = stateOf(now)
    if (course !== undefined && !course.isHeld) {
      const isOff = now.host === 'Off' && now.chassis === 'Off'
      if (course.restarts && isOff) {
        this.#bootAgain(course)
        return
      }
      // Off is only complete without the supply, and on only once the host runs.
      if (course.shown === 'PoweringOff' ? !isOff && next !== 'On' : next !== 'On') {
        clearTimeout(this.#late)
        return
      }
    } else if (course !== undefined && !course.isOthers) return
    // A host that went on in spite of a request to shut down does not boot.
    if (runs && before.host !== 'TransitioningToOff') this.#boot()
    this.#end()
    this.#become(next)
    if (now.requested === 'Reboot') void this.#letBoot()
  }

  #boot(): void {
    this.#stage = 0
    this.#become('PoweringOn')
    this.#listeners.emit({ type: 'boot', cause: 'powerOn' })
  }

  #bootAgain(course: Course): void {
    course.restarts = false
    clearTimeout(this.#late)
    this.#become('Off')
    // A listener may have begun something else.
    if (course.over) return
    this.#run(this.#switchOn(this.#begin('PoweringOn')))
  }

  /** A host that resets itself goes back to an earlier stage. */
  #watchStage(): void {
    const stage = stages.indexOf(
      wordOf(this.#objects.properties(this.#host, progressInterface)?.get('BootProgress')) ?? ''
    )
    if (stage < 0) return
    const wasLater = stage < this.#stage
    this.#stage = stage
    if (wasLater && this.#state === 'On' && !this.#resets) this.#listeners.emit({ type: 'boot', cause: 'reset' })
  }

  /** A host that does not boot, or has crashed, stays quiesced. */
  #watchQuiesce(host: string): void {
    const isQuiesced = host === 'Quiesced'
    if (isQuiesced && !this.#isQuiesced) this.#listeners.emit({ type: 'failure', reason: 'the host is quiesced' })
    this.#isQuiesced = isQuiesced
  }

  #become(next: PowerState | undefined): void {
    if (this.#state === next) return
    this.#state = next
    if (next === 'Off') this.#setHold(true)
    this.#listeners.emit({ type: 'state', state: next })
  }
}

function stateOf({ host, chassis, requested }: Shown): PowerState {
  if (host === 'TransitioningToRunning') return 'PoweringOn'
  if (host === 'TransitioningToOff') return 'PoweringOff'
  if (host !== 'Off') return chassis === 'On' ? 'On' : 'PoweringOff'
  const isStarting = chassis === 'On' && requested !== undefined && requested !== 'Off'
  return chassis === 'TransitioningToOn' || isStarting ? 'PoweringOn' : 'Off'
}
