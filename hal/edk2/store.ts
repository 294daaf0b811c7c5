import { SerialQueue } from '#runtime/base/serial-queue.ts'
import { HalError } from '../errors.ts'
import type { Flash } from '../flash.ts'
import {
  checkChange,
  type Nvram,
  type NvramHealth,
  type NvramSpace,
  type Variable,
  type VariableChange,
  variableKey
} from '../nvram.ts'
import type { VariableName } from '../uefi/variables.ts'
import { recreateStore } from './create.ts'
import { headersSize } from './headers.ts'
import { findLayout, type Layout } from './layout.ts'
import { type Plan, planChanges, type Room, type Step, usedSpace } from './plan.ts'
import { align, buildRecord, deletedMask, state } from './records.ts'
import { nothing, readStore, type Snapshot, type Stored } from './snapshot.ts'
import { copyRecord, programRecord, programState, repair, rewrite } from './write.ts'

/** Of the clocks of file systems, in milliseconds. */
const slowestTick = 2000

export interface StoreOptions {
  /** Where the store lies. Default: the layouts of known firmware are looked for. */
  layout?: Layout | undefined
  /** Where `reset` makes one, where none is found. */
  made?: Layout | undefined
  /** Bytes that `set` leaves free: firmware may not boot from a full store. Default 4096. */
  reserve?: number | undefined
  /** Time of the last write to the flash, by any writer, in milliseconds; undefined if unknown. */
  changedAt?: (() => number | undefined) | undefined
  /** The time for timestamps; undefined while no clock is set. Default the system's. */
  clock?: (() => Date | undefined) | undefined
}

/**
 * The EDK II authenticated variable store in a flash, which is closed with it. Opening only reads; what is wrong with
 * the store is in `health`.
 */
export function openStore(flash: Flash, options: StoreOptions = {}): Nvram {
  return new VariableStore(flash, options)
}

class VariableStore implements Nvram {
  readonly #flash: Flash
  readonly #wanted: Layout | undefined
  readonly #made: Layout | undefined
  readonly #reserve: number
  readonly #clock: () => Date | undefined
  readonly look?: () => boolean
  #lookedAt: number | undefined
  #content: Snapshot
  #end = 0
  #condition: 'released' | 'held' | 'closed' = 'released'
  /** A write has failed: what is in the flash has to be found out. */
  #doubtful = false
  readonly #operations = new SerialQueue()

  constructor(flash: Flash, { layout, made, reserve = 4096, clock = () => new Date(), changedAt }: StoreOptions) {
    this.#flash = flash
    this.#wanted = layout
    this.#made = made
    this.#reserve = reserve
    this.#clock = clock
    if (changedAt !== undefined) this.look = () => this.#look(changedAt())
    this.#content = nothing('absent')
    this.#tryToLoad()
  }

  get health(): NvramHealth {
    return this.#content.health
  }

  get space(): NvramSpace {
    const { layout, variables } = this.#content
    if (!layout) return { total: 0, free: 0, largest: 0 }
    const { total, largest } = this.#room(layout)
    return { total, free: Math.max(0, total - usedSpace(variables.values())), largest }
  }

  list(): readonly VariableName[] {
    return [...this.#content.variables.values()].map(({ name, guid }) => ({ name, guid }))
  }

  get(name: string, guid: string): Variable | undefined {
    const found = this.#content.variables.get(variableKey(name, guid))
    if (!found) return undefined
    const { record: _, ...variable } = found
    return { ...variable, data: found.data.slice() }
  }

  #look(changedAt: number | undefined): boolean {
    if (this.#condition !== 'released' || changedAt === undefined || changedAt === this.#lookedAt) return false
    const content = readStore(this.#flash, this.#wanted)
    if (content.health.state !== 'ok' || content.health.faults.length > 0) return false
    this.#content = content
    this.#end = content.records.end
    // A file system's clock ticks slowly: another change may have the same time.
    if (Date.now() - changedAt > slowestTick) this.#lookedAt = changedAt
    return true
  }

  acquire(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#condition === 'held' && !this.#doubtful) return
      this.#condition = 'held'
      const isKnown = this.#flash.exclusive && !this.#doubtful && this.health.state === 'ok'
      if (isKnown && this.health.faults.length === 0) return
      await this.#writing(() => this.#recover())
    })
  }

  set(changes: readonly VariableChange[]): Promise<void> {
    const copies = changes.map((change) => (change.data ? { ...change, data: change.data.slice() } : change))
    return this.#inTurn(async () => {
      for (const change of copies) checkChange(change)
      if (this.#condition !== 'held') throw new HalError('EROFS', 'variable store: the host owns it')
      if (this.#doubtful) await this.#writing(() => this.#recover())
      const layout = this.#soundLayout()
      const plan = planChanges(this.#content.variables, copies, this.#room(layout), this.#clock())
      if (plan.steps.length > 0) await this.#writing(() => this.#make(layout, plan))
    })
  }

  reset(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#condition !== 'held') throw new HalError('EROFS', 'variable store: the host owns it')
      const layout = this.#wanted ?? this.#content.layout ?? findLayout(this.#flash) ?? this.#made
      if (layout === undefined) throw new HalError('EROFS', 'variable store: its location in the flash is unknown')
      await this.#writing(async () => {
        await recreateStore(this.#flash, layout)
        this.#load()
      })
    })
  }

  release(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#condition === 'held') this.#flash.sync()
      this.#condition = 'released'
    })
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      this.#condition = 'closed'
      this.#flash.close()
    })
  }

  #inTurn(action: () => Promise<void>): Promise<void> {
    return this.#operations.run(() => {
      if (this.#condition === 'closed') throw new HalError('ENODEV', 'variable store: closed')
      return action()
    })
  }

  /** A write that fails half-way leaves the flash in an unknown state, so everything that can be read is read again. */
  async #writing(action: () => Promise<void>): Promise<void> {
    try {
      await action()
      this.#doubtful = false
    } catch (error) {
      this.#doubtful = true
      this.#tryToLoad()
      throw error
    }
  }

  #load(): void {
    this.#content = readStore(this.#flash, this.#wanted)
    this.#end = this.#content.records.end
  }

  #tryToLoad(): void {
    try {
      this.#load()
    } catch (error) {
      if (!(error instanceof HalError)) throw error
      this.#content = { ...this.#content, health: { state: 'damaged', faults: [error.message] } }
    }
  }

  async #recover(): Promise<void> {
    this.#load()
    for (let round = 0; this.health.faults.length > 0; round += 1) {
      const layout = this.#soundLayout()
      if (round === 4) throw new HalError('EIO', `variable store: it cannot be repaired: ${this.health.faults[0]}`)
      await repair(this.#flash, layout, this.#content)
      this.#flash.sync()
      this.#load()
    }
  }

  #room(layout: Layout): Room {
    return { total: layout.storeSize - align(headersSize) - this.#reserve, largest: layout.largestVariable }
  }

  #soundLayout(): Layout {
    const { health, layout } = this.#content
    if (health.state === 'ok' && layout) return layout
    throw new HalError('EROFS', `variable store: ${health.state}: ${health.faults.join('; ')}`)
  }

  /** Appends what fits behind the last record; otherwise the store is rewritten with all the changes at once. */
  async #make(layout: Layout, { steps, next }: Plan<Stored>): Promise<void> {
    const appended = usedSpace(steps.flatMap(({ variable }) => variable ?? []))
    if (this.#end + appended > layout.storeSize) {
      const { journal } = this.#content
      const records = [...next.values()].map((each) =>
        'record' in each ? copyRecord(this.#flash, layout, each) : buildRecord(each)
      )
      await rewrite(this.#flash, layout, journal, records)
      this.#flash.sync()
      this.#load()
      return
    }
    for (const step of steps) this.#append(layout, step)
    this.#flash.sync()
  }

  #append(layout: Layout, { key, variable }: Step): void {
    const { variables } = this.#content
    const old = variables.get(key)?.record
    if (variable) {
      const record = buildRecord(variable)
      const offset = this.#end
      if (old?.state === state.added) this.#programState(layout, old.offset, state.replaced)
      programRecord(this.#flash, layout.offset + offset, record)
      this.#end += align(record.length)
      variables.set(key, { ...variable, record: { offset, length: record.length, state: state.added } })
    } else variables.delete(key)
    const last = variable ? state.replaced : old!.state
    if (old) this.#programState(layout, old.offset, last & deletedMask)
  }

  #programState(layout: Layout, offset: number, value: number): void {
    programState(this.#flash, layout.offset + offset, value)
  }
}
