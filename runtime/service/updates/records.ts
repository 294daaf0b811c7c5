import { taskUri } from '#data/tasks'
import { type Component, components, isDamaged, isOlder, type Manifest, type Update } from '#data/updates'
import { HalError } from '#hal/errors.ts'
import { event, type Machine, type Message, message } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Report, Tasks } from '../tasks/tasks.ts'

/** The message of the registry that says where an update failed. */
export type Failure =
  | 'Update.TransferFailed'
  | 'Update.VerificationFailed'
  | 'Update.ApplyFailed'
  | 'Update.ActivateFailed'

/** How far an update is once its file was fetched, and once its image is written. */
export const percentFetched = 40
export const percentWritten = 90

/** Percent between two of them, in whole tens. @param share of the way from one to the other, 0 to 1 */
export function tens(share: number, from: number, to: number): number {
  return from + 10 * Math.floor(((to - from) / 10) * share)
}

/** A failure, and the messages about it for the task of the update. */
export class UpdateError extends Error {
  readonly messages: readonly Message[]

  constructor(cause: Error, ...messages: readonly Message[]) {
    super(cause.message, { cause })
    this.messages = messages
  }
}

/** The records of updates: their progress, messages and events. */
export class UpdateRecords {
  readonly store: Store
  readonly machine: Machine
  readonly #tasks: Tasks

  constructor(store: Store, machine: Machine, tasks: Tasks) {
    this.store = store
    this.machine = machine
    this.#tasks = tasks
  }

  get(id: string): Update | undefined {
    return this.store.get('update', id)
  }

  /** The component of an update, once it is known. */
  component(id: string): Component | undefined {
    const wanted = this.get(id)?.component
    return components(this.machine.board).find((each) => each.id === wanted)
  }

  /** How far an update is before it is written: what is fetched has come some way already. */
  begun(id: string): number {
    return this.get(id)?.source === undefined ? 0 : percentFetched
  }

  /** The manifest to write, and its component. @throws Error if the board no longer has the component */
  target(id: string): { readonly component: Component; readonly manifest: Manifest } {
    const component = this.component(id)
    const manifest = this.get(id)?.manifest
    if (component === undefined || manifest === undefined) throw new Error('the component no longer exists')
    return { component, manifest }
  }

  /** The updates of a component. */
  of(component: string): string[] {
    return this.store.keys('update').filter((id) => this.get(id)?.component === component)
  }

  /** The updates of a host's BIOS. */
  ofHost(system: string): string[] {
    return this.store.keys('update').filter((id) => {
      const component = this.component(id)
      return component?.kind === 'bios' && component.of === system
    })
  }

  /** Stores a report for the task of an update. Messages of the registry for updates are events as well. */
  commit(id: string, report: () => Report): Promise<void> {
    return this.#tasks.commit(id, () => {
      const { messages = [], events = [], ...rest } = report()
      const origin = this.#origin(id)
      const told = messages.filter(({ key }) => key.startsWith('Update.')).map((each) => ({ message: each, origin }))
      return { ...rest, messages, events: [...told, ...events] }
    })
  }

  /** Stores the progress of an update, and sends an event. */
  progress(id: string, percent: number): Promise<void> {
    return this.#tasks.progress(id, percent)
  }

  /**
   * The update is done. The oldest version that the component takes from now on is what the image says, or was before.
   */
  async succeed(id: string): Promise<void> {
    const { component, manifest } = this.target(id)
    const { version, minimum } = manifest
    const before = this.store.get('minimumVersion', component.id)?.version
    const raises = minimum !== undefined && (before === undefined || isOlder(before, minimum))
    const floor = raises ? { minimumVersion: { [component.id]: { version: minimum } } } : {}
    const done = message('Update.UpdateSuccessful', component.name, version)
    const updated = {
      ...event('MgmtEvents.FirmwareUpdated', component.uri, component.name, version),
      clears: 'firmware'
    }
    const events = [updated, event('TaskEvent.TaskCompletedOK', taskUri(id), id)]
    const writes = { update: { [id]: null }, ...floor }
    await this.commit(id, () => ({ task: { state: 'Completed' }, messages: [done], writes, events }))
  }

  async fail(id: string, error: Error): Promise<void> {
    const messages = error instanceof UpdateError ? error.messages : [this.about(id, 'Update.ApplyFailed')]
    const [image = '', name = ''] = this.about(id, 'Update.ApplyFailed').args
    const component = this.component(id)
    const failed = {
      ...event('MgmtEvents.FirmwareUpdateFailed', this.#origin(id), name, image),
      // A component that is written in place has no other image.
      ...(component !== undefined && isDamaged(this.machine, component.id) && { raises: 'firmware' })
    }
    const aborted = event('TaskEvent.TaskAborted', taskUri(id), id)
    const writes = { update: { [id]: null } }
    await this.commit(id, () => ({ task: { state: 'Exception' }, messages, writes, events: [failed, aborted] }))
  }

  /** A message about the image of an update and what it is for. */
  about(id: string, key: Failure): Message {
    const { manifest, source = '' } = this.get(id) ?? {}
    return message(key, manifest?.version ?? source, this.component(id)?.name ?? 'the controller')
  }

  /** @throws UpdateError with what a failure of the component means */
  async guarded<T>(id: string, key: Failure, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw error instanceof HalError ? new UpdateError(error, this.about(id, key)) : error
    }
  }

  /** The origin of an update's events. */
  #origin(id: string): string {
    return this.component(id)?.uri ?? taskUri(id)
  }
}
