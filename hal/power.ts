import type { PowerRestoreSetting } from './power-restore.ts'
import type { SharedState } from './shared-state.ts'

export const powerStates = ['On', 'Off', 'PoweringOn', 'PoweringOff'] as const

/**
 * `On` and `Off` are final. `PoweringOn` and `PoweringOff` last until the power supply and, after a request to shut
 * down, the operating system have followed; a machine that does not follow returns to its earlier state.
 */
export type PowerState = (typeof powerStates)[number]

/**
 * - `on`: switch on.
 * - `forceOff`: cut the power at once.
 * - `gracefulShutdown`: ask the operating system to shut down; it may ignore that.
 * - `forceRestart`: reset line; the power stays on.
 * - `gracefulRestart`: ask the operating system to shut down, then start again.
 * - `coldBoot`: cut the power, then switch on again.
 * - `nmi`: non-maskable interrupt to the host.
 * - `pressButton`: a short press of the power button: `on` when off, `gracefulShutdown` when on.
 * - `holdButton`: a press of the power button long enough to cut the power (ACPI, "Power Button Override": over 4 s).
 * - `auxCycle`: interrupt the standby supply too, from which this controller itself lives.
 */
export type PowerOperation = keyof typeof acceptedIn

export type PowerEvent =
  | { type: 'state'; state: PowerState | undefined }
  /** The host starts to boot, and is held no longer. Comes before the state `On` it leads to. */
  | { type: 'boot'; cause: 'powerOn' | 'reset' }
  | { type: 'nmi' }
  /** An accepted operation failed, or the host is gone. The event of the state that it leads to follows. */
  | { type: 'failure'; reason: string }
  /** The operating system has not shut down within `time` ms of the request. The wait ends; `On` follows. */
  | { type: 'ignored'; time: number }
  /** The operating system reports a crash. The host keeps its state. */
  | { type: 'panic' }
  /** The watchdog timer of the host ran out: its operating system hangs. Nothing has been done about it. */
  | { type: 'watchdog' }
  /** The standby supply is interrupted: the controller restarts. */
  | { type: 'auxCycle' }

/**
 * Work ahead of each boot that this controller causes, or that the host begins by itself if it can be held then. The host
 * is held, off or in reset, until the promise settles. A failure does not keep a machine off, and is for the work itself
 * to report. A cut of the power meanwhile cancels the boot, not the work: the next boot calls it again, perhaps before
 * the work is done.
 */
export type BeforeBoot = () => Promise<void>

/** The power and reset lines of one host. */
export interface Power {
  /** From memory: cheap, never fails. Undefined while it is unknown, where another program tells it. */
  readonly state: PowerState | undefined

  /**
   * Whether an operation that was accepted has not come to its end, or something else is to happen by itself; of machines
   * that stand still where this process does, which are simulated.
   */
  readonly isUnderWay?: boolean

  /**
   * Whether the supply of the whole machine, from which this controller lives as well, failed since the last process: a
   * host that is off was not switched off. A controller whose kernel crashed looks the same. Undefined if unknown, and
   * where another program acts on it.
   */
  readonly supplyFailed?: boolean | undefined

  /** The policy by which another program switches the host on after such a failure. */
  readonly restore?: SharedState<PowerRestoreSetting> | undefined

  /** Whether the host has a watchdog timer, whose end is an event. */
  readonly hasWatchdog: boolean

  /**
   * Resolves when the hardware accepted the operation, not when the machine has got there: that is what events tell.
   *
   * @throws {HalError} `EINVAL` when {@link accepts} says no; `EBUSY` while a reset is under way (only what cuts the power
   *   is accepted then) or the hardware is occupied; `EIO` and `EACCES` when the lines cannot be driven; `ETIMEDOUT` when
   *   the hardware does not answer; `ENODEV` while the state is unknown, and after `close`.
   */
  perform(operation: PowerOperation): Promise<void>

  /** Calls `listener` for each event, in order; the function returned ends that. */
  on(listener: (event: PowerEvent) => void): () => void

  /** Lets go of the hardware and of all listeners. The machine stays as it is. */
  close(): Promise<void>
}

/**
 * The states in which each operation makes sense. A transition under way can only be broken off by what cuts the
 * power. A host that goes down may have hung in its shutdown: an NMI then still gets a dump out of it.
 */
export const acceptedIn = {
  on: ['Off'],
  forceOff: ['On', 'PoweringOn', 'PoweringOff'],
  gracefulShutdown: ['On'],
  forceRestart: ['On'],
  gracefulRestart: ['On'],
  coldBoot: ['On'],
  nmi: ['On', 'PoweringOff'],
  pressButton: ['On', 'Off'],
  holdButton: ['On', 'PoweringOn', 'PoweringOff'],
  auxCycle: ['Off']
} as const satisfies Record<string, readonly PowerState[]>

/**
 * True when `operation` is valid in `state`; otherwise `perform` answers `EINVAL`. While the state is unknown it answers
 * `ENODEV`.
 */
export function accepts(state: PowerState | undefined, operation: PowerOperation): boolean {
  const states: readonly PowerState[] = acceptedIn[operation]
  return state === undefined || states.includes(state)
}
