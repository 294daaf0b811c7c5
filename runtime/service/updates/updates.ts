import { existsSync, rmSync } from 'node:fs'
import type { Configuration } from '#data/configuration'
import { ownerOf } from '#data/ownership'
import { type Author, placeIn, privilegeFor, type Update, waitsForReset } from '#data/updates'
import { readBootId } from '#hal/boot-id.ts'
import type { Firmware } from '#hal/firmware.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { type Caller, type Command, forbidden, type Machine, MessageError, message } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Devices } from '../machine/machine.ts'
import type { Tasks } from '../tasks/tasks.ts'
import { Fetching } from './fetching.ts'
import { Installing } from './installing.ts'
import { percentWritten, UpdateError, UpdateRecords } from './records.ts'
import { Slots } from './slots.ts'
import type { Uploads } from './uploads.ts'

/** The longest time that is waited at once, in milliseconds: the clock may be set meanwhile. */
const longestWait = 60_000

const notAuthorized = 'the user who requested it no longer has the privilege'

/** The parts that updates work with. */
interface Dependencies {
  readonly store: Store
  readonly machine: Machine
  readonly devices: Pick<Devices, 'firmware' | 'power'>
  readonly tasks: Tasks
  readonly uploads: Uploads
  readonly configuration: Pick<Configuration, 'updates' | 'media'>
  readonly now: () => number
  /** Ends what an author asked for when that may not be asked for any more; the function returned ends the watch. */
  readonly hold: (author: Author, also: (caller: Caller) => void, end: (why: unknown) => void) => () => void
  /** Does work on the flash of a host that is off, when nothing else does. */
  readonly exclusively: (system: string, work: () => Promise<void>) => Promise<void>
  /** Makes the variables of a host anew. For work that is done so. */
  readonly resetVariables: (system: string) => Promise<void>
}

/** The authorization that an update rests on. */
interface Authorization {
  readonly author: Author
  /** Why it has ended. */
  why?: unknown
  release(): void
}

/**
 * Carries out updates, stage by stage. Each stage begins with a commit and can be repeated, so that a restarted service
 * continues with the stage that the previous process left.
 *
 * The controller's image is written beside the running one as soon as it has arrived: from then on a power cut does not
 * lose it, however long it waits for its time. A BIOS is written while its host is off, or held before a boot.
 */
export class Updates {
  readonly #parts: Dependencies
  readonly #records: UpdateRecords
  readonly #fetching: Fetching
  readonly #installing: Installing
  readonly #slots: Slots
  readonly #running = new Map<string, Promise<void>>()
  readonly #held = new Map<string, Authorization>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #resets = new Listeners<void>()
  /** Updates that the last process left to a reset, while nothing tells yet what the component has started. */
  #left: Set<string> | undefined
  #closed = false

  constructor(parts: Dependencies) {
    const { store, devices, machine, tasks, uploads, configuration } = parts
    this.#parts = parts
    this.#records = new UpdateRecords(store, machine, tasks)
    this.#fetching = new Fetching(this.#records, machine, uploads, configuration)
    this.#slots = new Slots(this.#records, devices.firmware)
    this.#installing = new Installing(this.#records, uploads, configuration.updates.rate)
    store.on('update', (id) => this.#look(id))
    store.on('task', (id) => {
      const task = store.get('task', id)
      if (task === undefined) void this.#forget(id)
      else if (task.endedAt !== '') for (const each of store.keys('update')) this.#look(each)
    })
    for (const [component, firmware] of devices.firmware) {
      // Only another program tells later than at the start what the component has.
      if (!firmware.state.takesFiles) continue
      firmware.on(() => {
        for (const id of this.#records.of(component)) this.#look(id)
      })
    }
    for (const [system, power] of devices.power) {
      power.on((change) => {
        if (change.type !== 'state' || change.state !== 'Off') return
        for (const id of this.#records.ofHost(system)) this.#look(id)
      })
    }
  }

  /** Goes on with what the last process left under way, and concludes what the start of the controller settled. */
  async open(): Promise<void> {
    const { store, uploads } = this.#parts
    uploads.open((id) => store.get('update', id) !== undefined)
    for (const id of store.keys('update')) {
      const { stage } = store.get('update', id) as Update
      if (stage === 'Resetting' && !this.#slots.isKnown(id)) {
        this.#left ??= new Set()
        this.#left.add(id)
      } else if (this.#slots.isReset(id) && !this.#slots.isOnTrial(id)) await this.#conclude(id)
      const cut = this.#records.about(id, 'Update.TransferFailed')
      if (stage === 'Fetching') await this.#fail(id, new UpdateError(new Error('the service was restarted'), cut))
    }
    for (const id of store.keys('update')) this.#look(id)
  }

  /**
   * Commits the versions on trial once the service is healthy.
   *
   * @param isHealthy is asked once, where a version is on trial
   * @returns false if it is not: the previous version is to run again
   */
  async prove(isHealthy: () => Promise<boolean>): Promise<boolean> {
    const { store, devices } = this.#parts
    const onTrial = [...devices.firmware].filter(([, firmware]) => !firmware.state.committed)
    if (onTrial.length === 0) return true
    const isGood = await isHealthy()
    if (this.#closed) return true
    if (!isGood) {
      this.#parts.store.log.error('the new version is not healthy', {
        components: onTrial.map(([component]) => component)
      })
      return false
    }
    for (const [component, firmware] of onTrial) {
      await firmware.commit().catch((error: Error) => this.#parts.store.log.error(error.message, { component }))
    }
    for (const id of store.keys('update')) if (this.#slots.isReset(id)) await this.#conclude(id)
    return true
  }

  /** Calls back when the controller is to be reset for an update. */
  onReset(listener: () => void): void {
    this.#resets.add(listener)
  }

  /** Fetches the file of an update, in the background. */
  async perform({ task, authorization }: Command<'fetchUpdate'>): Promise<void> {
    if (this.#held.get(task)?.why === undefined) this.#run(task, () => this.#fetching.run(task, authorization))
  }

  /** For a host that is held: writes the updates that wait for its reset, and completes those in progress. */
  async beforeBoot(system: string): Promise<void> {
    const ids = this.#records.ofHost(system)
    for (const id of ids) if (this.#isDue(id, true)) this.#install(id)
    await Promise.all(ids.map((id) => this.#running.get(id)))
  }

  /** Ends what is under way; the next process begins the stage again. */
  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    for (const { release } of this.#held.values()) release()
    this.#fetching.cancel('the service is stopping')
    this.#installing.close()
    await Promise.all(this.#running.values())
  }

  /** Does what is to be done now for an update, and wakes up when its window begins or ends. */
  #look(id: string): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    const update = this.#records.get(id)
    if (update === undefined) this.#release(id)
    if (this.#closed || update === undefined) return
    this.#hold(id, update)
    if (this.#running.has(id)) return
    if (this.#held.get(id)?.why !== undefined && this.#slots.mayEnd(update, id)) this.#run(id, () => this.#giveUp(id))
    else if (this.#left?.has(id) && this.#slots.isKnown(id)) this.#run(id, () => this.#conclude(id))
    else if (this.#isDue(id)) this.#install(id)
    else if (this.#mayActivate(id, update)) this.#run(id, () => this.#activate(id))
    else if (update.window !== undefined && update.stage !== 'Fetching') this.#await(id, update.window)
  }

  #hold(id: string, { author }: Update): void {
    const before = this.#held.get(id)
    if (before?.author === author) return
    before?.release()
    const held: Authorization = { author, release: () => undefined }
    this.#held.set(id, held)
    const also = ({ privileges }: Caller) => {
      const component = this.#records.component(id)
      if (component !== undefined && !privileges.has(privilegeFor(component.kind))) forbidden()
    }
    held.release = this.#parts.hold(author, also, (why) => {
      held.why = why
      this.#fetching.cancel(notAuthorized, id)
      this.#look(id)
    })
  }

  #release(id: string): void {
    this.#held.get(id)?.release()
    this.#held.delete(id)
  }

  /** Who asked for it may not do so any more. */
  async #giveUp(id: string): Promise<void> {
    await this.#slots.selectRunning(id)
    throw new Error(notAuthorized)
  }

  #await(id: string, window: NonNullable<Update['window']>): void {
    const now = this.#parts.now()
    const place = placeIn(window, now)
    if (place === 'after') {
      this.#run(id, () => this.#miss(id))
      return
    }
    const wake = Date.parse(window.start) + (place === 'in' ? window.seconds * 1000 : 0)
    const time = Math.min(Math.max(wake - now, 0), longestWait)
    this.#timers.set(
      id,
      setTimeout(() => this.#look(id), time)
    )
  }

  /** Whether to begin or resume writing an update now. @param held its host is held before a boot */
  #isDue(id: string, held = false): boolean {
    const update = this.#records.get(id) as Update
    const { stage } = update
    const component = this.#records.component(id)
    if (component === undefined || (stage !== 'Waiting' && stage !== 'Writing')) return false
    if (!this.#slots.isKnown(id)) return false
    if (this.#slots.isBeside(id)) return true
    if (component.kind === 'controller') return stage === 'Writing' || this.#isTime(update)
    if (!held && this.#parts.devices.power.get(component.of)?.state !== 'Off') return false
    return stage === 'Writing' || this.#isTime(update)
  }

  /** Whether the time has come that a client has named. */
  #isTime({ applyTime, window }: Update): boolean {
    return applyTime !== 'OnStartUpdateRequest' && (window === undefined || placeIn(window, this.#parts.now()) === 'in')
  }

  /** Whether to restart into a version that is written; a task of others may need the controller to keep running. */
  #mayActivate(id: string, update: Update): boolean {
    const { store, machine } = this.#parts
    if (update.stage !== 'Written' || !this.#isTime(update) || !this.#slots.isKnown(id)) return false
    return ownerOf(new Set(['controller']), store, machine.board, id) === undefined
  }

  #install(id: string): void {
    if (this.#running.has(id)) return
    this.#run(id, async () => {
      const { component, manifest } = this.#records.target(id)
      const firmware = this.#parts.devices.firmware.get(component.id)
      if (firmware === undefined) throw new Error('the component no longer exists')
      if (!existsSync(this.#parts.uploads.file(id)))
        throw new Error('its file is missing: a reset clears an updates.directory in memory')
      await this.#records.commit(id, () => ({
        task: { state: 'Running', percent: this.#records.begun(id) },
        messages: [message('Update.InstallingOnComponent', manifest.version, component.name)],
        writes: { update: { [id]: { stage: 'Writing' } } }
      }))
      if (component.kind === 'controller') await this.#toController(id, firmware)
      else await this.#parts.exclusively(component.of, () => this.#toHost(id, firmware))
    })
  }

  /** The next step of an update; a failure ends it. */
  #run(id: string, work: () => Promise<void>): void {
    const running = work().then(
      () => true,
      async (error: Error) => {
        await this.#fail(id, error)
        return false
      }
    )
    this.#running.set(
      id,
      running.then((goesOn) => {
        this.#running.delete(id)
        if (goesOn) this.#look(id)
      })
    )
  }

  async #toController(id: string, firmware: Firmware): Promise<void> {
    const slot = await this.#installing.run(id, firmware)
    if (slot === undefined) return
    const state = this.#isTime(this.#records.get(id) as Update) ? 'Running' : 'Pending'
    await this.#records.commit(id, () => ({
      task: { state, percent: percentWritten },
      writes: { update: { [id]: { stage: 'Written', slot, manifest: this.#slots.installed(id, slot) } } }
    }))
    rmSync(this.#parts.uploads.file(id), { force: true })
  }

  /** Has the controller start from what was written. Should it do so before that is stored, `slot` says what it started. */
  async #activate(id: string): Promise<void> {
    const { component, manifest } = this.#records.target(id)
    const { applyTime, slot = Number.NaN } = this.#records.get(id) as Update
    const firmware = this.#parts.devices.firmware.get(component.id)
    await this.#records.guarded(id, 'Update.ActivateFailed', async () => firmware?.activate(slot))
    const waits = waitsForReset(applyTime)
    const task = { state: waits ? 'Pending' : 'Running', percent: 95 } as const
    const bootId = readBootId()
    const key = waits ? 'Update.AwaitToActivate' : 'Update.ApplyingOnComponent'
    await this.#records.commit(id, () => ({
      task,
      messages: [message(key, manifest.version, component.name)],
      writes: { update: { [id]: { stage: 'Resetting', ...(bootId !== undefined && { bootId }) } } }
    }))
    if (!waits) this.#resets.emit()
  }

  async #toHost(id: string, firmware: Firmware): Promise<void> {
    const slot = await this.#installing.run(id, firmware)
    if (slot === undefined) return
    const { component } = this.#records.target(id)
    if (this.#records.get(id)?.resetVariables)
      await this.#records.guarded(id, 'Update.ApplyFailed', () => this.#parts.resetVariables(component.of))
    await this.#records.guarded(id, 'Update.ActivateFailed', () => firmware.activate(slot))
    const manifest = this.#slots.installed(id, slot)
    await this.#records.commit(id, () => ({ writes: { update: { [id]: { manifest } } } }))
    await this.#succeed(id)
  }

  /** The controller has started again, with the new image or with the one before; or this service alone has. */
  async #conclude(id: string): Promise<void> {
    this.#left?.delete(id)
    if (this.#slots.isRunning(id)) {
      await this.#succeed(id)
      return
    }
    if (this.#slots.isToCome(id)) return
    const fellBack = this.#records.about(id, 'Update.ActivateFailed')
    await this.#fail(id, new UpdateError(new Error('the component fell back to its previous version'), fellBack))
  }

  /** The maintenance window is over. */
  async #miss(id: string): Promise<void> {
    await this.#slots.selectRunning(id)
    throw new UpdateError(new Error('the maintenance window has ended'), this.#records.about(id, 'Update.ApplyFailed'))
  }

  async #succeed(id: string): Promise<void> {
    const { component, manifest } = this.#records.target(id)
    await this.#records.succeed(id)
    rmSync(this.#parts.uploads.file(id), { force: true })
    this.#parts.store.log.info('an update is complete', { component: component.id, version: manifest.version })
  }

  async #fail(id: string, error: Error): Promise<void> {
    if (this.#closed) return
    this.#parts.store.log.error('an update failed', {
      id,
      component: this.#records.get(id)?.component,
      cause: error.message
    })
    rmSync(this.#parts.uploads.file(id), { force: true })
    await this.#records
      .fail(id, this.#explained(id, error))
      .catch((lost: Error) => this.#parts.store.log.error(lost.message, { id }))
  }

  /** The message for a client whose authorization has ended. */
  #explained(id: string, error: Error): Error {
    const why = this.#held.get(id)?.why
    const stage = this.#records.get(id)?.stage
    if (!(why instanceof MessageError) || stage === undefined || stage === 'Writing') return error
    const key = stage === 'Fetching' ? 'Update.TransferFailed' : 'Update.ApplyFailed'
    return new UpdateError(error, this.#records.about(id, key), ...why.messages)
  }

  /** A client has given the update up. */
  async #forget(id: string): Promise<void> {
    if (this.#records.get(id) === undefined) return
    this.#fetching.cancel('it was given up', id)
    await this.#running.get(id)
    try {
      await this.#slots.selectRunning(id)
      await this.#parts.store.commit({ update: { [id]: null } })
      rmSync(this.#parts.uploads.file(id), { force: true })
    } catch (error) {
      this.#parts.store.log.error('an update was not abandoned', { id, cause: (error as Error).message })
    }
  }
}
