import { closeSync, openSync } from 'node:fs'
import { Listeners } from '#runtime/base/listeners.ts'
import { Variant } from '../dbus/values.ts'
import { fileError, HalError, type HalErrorCode } from '../errors.ts'
import type { Firmware, FirmwareState, FirmwareWriting, ResetKind } from '../firmware.ts'
import { type Keeper, Memory } from '../memory.ts'
import { type BusOptions, busOptions, type Objects, wordOf } from './objects.ts'
import { put } from './shared-state.ts'
import { isWhole, type SoftwareVersion, softwareInterfaces, Versions } from './software.ts'

/** The back end `openbmc` of firmware: the versions of OpenBMC's software managers. */
export interface OpenbmcFirmwareOptions extends BusOptions {
  /** Whose firmware the versions are: this controller's, or the host's. Default `BMC`. */
  readonly purpose?: 'BMC' | 'Host' | undefined
  /** Seconds without progress until an installation has failed. Default 600. */
  readonly patience?: number | undefined
  /** Existing folder for the slots that versions were given, as `<name>.json`. */
  readonly directory?: string
  readonly keeper?: Keeper | undefined
}

/** {@link OpenbmcFirmwareOptions} in a board file. */
export const openbmcFirmwareOptions = {
  type: 'object',
  properties: {
    purpose: {
      type: 'string',
      enum: ['BMC', 'Host'],
      description: 'What the versions are for: the controller, or its host; default BMC'
    },
    patience: {
      type: 'number',
      minimum: 1,
      description: 'Seconds without progress until an installation has failed; default 600'
    },
    ...busOptions
  }
} as const

const controller = '/xyz/openbmc_project/state/bmc0'
const controllerInterface = 'xyz.openbmc_project.State.BMC'
const { activation, progress, priority, update } = softwareInterfaces

export const firmwareInterfaces = [...Object.values(softwareInterfaces), controllerInterface]

/** The slots: a controller keeps the version that ran before; the firmware of a host is written in place. */
const slotCounts = { BMC: 2, Host: 1 } as const

/** The paths of the versions in the slots, and what is being installed: the file, and the path of its version. */
interface Kept {
  readonly slots: readonly (string | null)[]
  readonly installing?: { readonly sha256: string; readonly path: string } | undefined
}

/** An installation under way: it is over when `settle` was called. */
interface Installation {
  readonly path: string
  /** Takes note that it goes on. */
  readonly heard: (percent: number | undefined) => void
  readonly settle: (error?: HalError) => void
  told: string
}

/**
 * Versions of one purpose. The daemon verifies the file of an update, writes it, and makes its version the first choice
 * of the next start. The place of a version in the slots is kept, so that it is the same after a restart.
 */
export function openbmcFirmware(objects: Objects, options: OpenbmcFirmwareOptions): Firmware {
  return new OpenbmcFirmware(objects, options)
}

class OpenbmcFirmware implements Firmware {
  readonly #objects: Objects
  readonly #options: OpenbmcFirmwareOptions
  readonly #purpose: 'BMC' | 'Host'
  readonly #patience: number
  readonly #versions: Versions
  readonly #memory: Memory<Kept>
  readonly #listeners = new Listeners<FirmwareState>()
  #kept: Kept
  #state: FirmwareState = unknown
  #installation: Installation | undefined
  #isInstalling = false
  #isClosed = false
  readonly reset?: (kind: ResetKind) => Promise<void>

  constructor(objects: Objects, options: OpenbmcFirmwareOptions) {
    this.#objects = objects
    this.#options = options
    this.#purpose = options.purpose ?? 'BMC'
    this.#patience = (options.patience ?? 600) * 1000
    this.#versions = new Versions(objects, this.#purpose)
    if (this.#purpose === 'BMC') this.reset = (kind) => this.#reset(kind)
    this.#memory = new Memory(options.name, options)
    this.#kept = this.#memory.load(isKept) ?? { slots: [] }
    objects.on((changed) => {
      if ([...changed].some((path) => this.#versions.concerns(path))) this.#look()
    })
    this.#look()
  }

  get state(): FirmwareState {
    return this.#state
  }

  get needsReset(): boolean {
    return this.#purpose === 'BMC' && this.#state.next !== this.#state.running
  }

  async write(): Promise<FirmwareWriting> {
    throw this.#error('EINVAL', 'it takes files of its maker only')
  }

  async install(file: string, sha256: string, progress: (percent: number) => void): Promise<number> {
    this.#check()
    this.#isInstalling = true
    try {
      const begun = this.#kept.installing
      const isBegun = begun?.sha256 === sha256 && this.#versions.read(begun.path) !== undefined
      const path = isBegun ? begun.path : await this.#start(file)
      this.#keep({ installing: { sha256, path } })
      if (this.#isClosed) throw this.#error('ENODEV', 'it is closed')
      await this.#installed(path, progress)
      return this.#purpose === 'Host' ? 0 : this.#kept.slots.indexOf(path)
    } finally {
      this.#isInstalling = false
      if (!this.#isClosed) this.#keep({ installing: undefined })
    }
  }

  async activate(slot: number): Promise<void> {
    this.#check()
    const path = this.#kept.slots[slot]
    if (this.#state.slots[slot]?.version === undefined || typeof path !== 'string')
      throw this.#error('EINVAL', `slot ${slot} has no whole image`)
    if (this.#state.next === slot) return
    await put(this.#objects, path, priority, 'Priority', new Variant('y', 0))
    this.#look()
  }

  async commit(): Promise<void> {
    this.#check()
  }

  on(listener: (state: FirmwareState) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#installation?.settle(this.#error('ENODEV', 'it is closed'))
    this.#listeners.clear()
    this.#objects.close()
  }

  async #reset(kind: ResetKind): Promise<void> {
    const transition = kind === 'force' ? 'HardReboot' : 'Reboot'
    const value = new Variant('s', `${controllerInterface}.Transition.${transition}`)
    await this.#objects.set(controller, controllerInterface, 'RequestedBMCTransition', value)
  }

  /** @returns the path of the version that the file becomes */
  async #start(file: string): Promise<string> {
    const path = this.#versions.updater()
    if (path === undefined) throw this.#error('ENODEV', 'the bus has none that takes an update')
    // The controller is reset by the one who asked for the update, at its time; the host is off.
    const [wanted, other] = this.#purpose === 'BMC' ? ['OnReset', 'Immediate'] : ['Immediate', 'OnReset']
    const allowed = this.#objects.properties(path, update)?.get('AllowedApplyTimes')
    const words = Array.isArray(allowed) ? allowed.map(wordOf) : []
    const time = words.includes(wanted) || !words.includes(other) ? wanted : other
    const applyTime = `xyz.openbmc_project.Software.ApplyTime.RequestedApplyTimes.${time}`
    const descriptor = this.#opened(file)
    try {
      const call = { signature: 'hs', values: [0, applyTime], descriptors: [descriptor], answer: 'o' }
      const limited = { ...call, timeout: this.#patience }
      const { values } = await this.#objects.callPassing(path, update, 'StartUpdate', limited)
      return values[0] as string
    } finally {
      closeSync(descriptor)
    }
  }

  #opened(file: string): number {
    try {
      return openSync(file, 'r')
    } catch (error) {
      throw fileError(this.#options.name, 'open', error)
    }
  }

  /** Waits until a version is installed. It fails when nothing is heard of it any more. */
  async #installed(path: string, progress: (percent: number) => void): Promise<void> {
    let late: ReturnType<typeof setTimeout> | undefined
    const done = new Promise<void>((resolve, reject) => {
      const settle = (error?: HalError) => {
        clearTimeout(late)
        if (error === undefined) resolve()
        else reject(error)
      }
      const heard = (percent: number | undefined) => {
        clearTimeout(late)
        late = setTimeout(() => settle(this.#error('ETIMEDOUT', `${path}: no progress`)), this.#patience)
        if (percent !== undefined) progress(percent)
      }
      this.#installation = { path, heard, settle, told: '' }
      heard(undefined)
      this.#look()
    })
    try {
      await done
    } finally {
      clearTimeout(late)
      this.#installation = undefined
    }
  }

  /** Follows the state and progress on the bus of the version that is being installed. */
  #follow(installation: Installation): void {
    const { path, settle } = installation
    const properties = this.#objects.properties(path, activation)
    if (properties === undefined) {
      // While the daemon is away, nothing says that the version is gone.
      if (installation.told !== '' && this.#versions.isKnown) settle(this.#error('EIO', `${path} is gone`))
      return
    }
    const state = wordOf(properties.get('Activation')) ?? ''
    const percent = this.#objects.properties(path, progress)?.get('Progress')
    const told = `${state} ${percent}`
    if (told === installation.told) return
    installation.told = told
    installation.heard(typeof percent === 'number' && percent >= 0 && percent <= 100 ? percent : undefined)
    if (isWhole(state) && (this.#purpose === 'Host' || this.#kept.slots.includes(path))) settle()
    else if (state === 'Invalid') settle(this.#error('EINVAL', `${path}: the file is not valid`))
    else if (state === 'Failed') settle(this.#error('EIO', `${path}: it could not be installed`))
    else if (state === 'Ready' && wordOf(properties.get('RequestedActivation')) !== 'Active')
      this.#request(installation)
  }

  /** A version that is ready is not always activated by itself. */
  #request({ path, settle }: Installation): void {
    const active = new Variant('s', `${activation}.RequestedActivations.Active`)
    this.#objects.set(path, activation, 'RequestedActivation', active).catch((error: HalError) => settle(error))
  }

  #look(): void {
    const versions = this.#versions.all()
    const state = this.#placed(versions)
    if (JSON.stringify(state) !== JSON.stringify(this.#state)) {
      this.#state = state
      this.#listeners.emit(state)
    }
    if (this.#installation !== undefined) this.#follow(this.#installation)
  }

  /** Versions keep their slots. Nothing is known while none is said to run; of a host, that is not always said. */
  #placed(versions: readonly SoftwareVersion[]): FirmwareState {
    const [first] = [...versions].sort((one, other) => one.priority - other.priority)
    const running = versions.find(({ isRunning }) => isRunning) ?? (this.#purpose === 'Host' ? first : undefined)
    if (running === undefined || first === undefined) return unknown
    const count = slotCounts[this.#purpose]
    const installed = versions.filter(({ path }) => path === this.#installation?.path)
    const kept = [...new Set([running, ...installed, first, ...versions])].slice(0, count)
    const paths = kept.map(({ path }) => path)
    const slots = Array.from({ length: count }, (_, slot) => {
      const before = this.#kept.slots[slot]
      return paths.includes(before ?? '') ? (before as string) : null
    })
    for (const path of paths) if (!slots.includes(path)) slots[slots.indexOf(null)] = path
    if (JSON.stringify(slots) !== JSON.stringify(this.#kept.slots)) this.#keep({ slots })
    const at = ({ path }: SoftwareVersion) => Math.max(slots.indexOf(path), 0)
    return {
      slots: slots.map((path) => ({ version: kept.find((each) => each.path === path)?.version })),
      running: at(running),
      next: at(Number.isFinite(first.priority) && paths.includes(first.path) ? first : running),
      committed: true,
      takesFiles: true
    }
  }

  #keep(change: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...change }
    this.#memory.save(this.#kept)
  }

  #check(): void {
    if (this.#isClosed) throw this.#error('ENODEV', 'it is closed')
    if (this.#isInstalling) throw this.#error('EBUSY', 'a file is being installed')
  }

  #error(code: HalErrorCode, reason: string): HalError {
    return new HalError(code, `${this.#options.name}: ${reason}`)
  }
}

const unknown: FirmwareState = { slots: [], running: 0, next: 0, committed: true, takesFiles: true }

function isKept(state: unknown): state is Kept {
  const { slots, installing } = (state ?? {}) as Partial<Kept>
  const isPath = (path: unknown) => path === null || typeof path === 'string'
  const isInstallation =
    installing === undefined || (typeof installing?.sha256 === 'string' && typeof installing.path === 'string')
  return Array.isArray(slots) && slots.length <= 2 && slots.every(isPath) && isInstallation
}
