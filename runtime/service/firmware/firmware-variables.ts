import { afterReset, type BiosPending, biosUri, firstCurrent, resetPending } from '#data/bios'
import { hostPending } from '#data/boot'
import { inWriteOrder, secureBootAfterBoot, variableTimestamp } from '#data/secure-boot'
import { waitingData } from '#data/variables'
import { HalError } from '#hal/errors.ts'
import type { Nvram, VariableChange } from '#hal/nvram.ts'
import { bootOrder } from '#hal/uefi/variables.ts'
import { SerialQueue } from '#runtime/base/serial-queue.ts'
import { event, type Machine, merged, type Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import type { Devices } from '../machine/machine.ts'
import { biosVariables } from './bios-variables.ts'
import { orderVariables, overrideVariables } from './boot-variables.ts'
import { booted } from './booted.ts'
import { afterHold } from './host-pending.ts'
import { acquired, cleared, write } from './nvram-access.ts'
import { watchVariables } from './watch-variables.ts'

const nothingPending: BiosPending = { attributes: {}, reset: false, passwords: {} }

/** The most attempts to work out a hold while clients keep changing the state that it read. */
const attempts = 10

/**
 * The work while a host is held. While the host runs it owns its variables, and changes by clients wait in the
 * service's store. While it is off they are written. Before each boot the pending BIOS settings are transferred as
 * well, in place of a firmware that does not do that itself. A system may have neither.
 *
 * First the variables are written, then one commit records the result, then the host is released. The writing can be
 * repeated, so that after a power cut at any moment either all changes still wait or all are done. A failed change is
 * logged and keeps waiting, and the host boots all the same.
 */
export class FirmwareVariables {
  readonly #store: Store
  readonly #machine: Machine
  readonly #devices: Devices
  readonly #events: Events
  readonly #now: () => number
  /** Of each system: one hold after another. */
  readonly #holds: ReadonlyMap<string, SerialQueue>
  readonly #unwatch: () => void
  #closed = false

  constructor(store: Store, machine: Machine, devices: Devices, events: Events, now: () => number) {
    this.#store = store
    this.#machine = machine
    this.#devices = devices
    this.#events = events
    this.#now = now
    this.#holds = new Map([...devices.power.keys()].map((system) => [system, new SerialQueue()]))
    for (const [system, power] of devices.power) {
      power.on((event) => {
        if (event.type === 'state' && event.state === 'Off') this.#whileOff(system, () => true)
      })
    }
    this.#unwatch = watchVariables(store, devices)
    store.on('variable', (key) => {
      const [system = ''] = key.split('/')
      this.#whileOff(system, () => this.#wanted(system).length > 0)
    })
    store.on('biosPending', (system) => this.#whileOff(system, () => machine.ownsBios(system)))
    store.on('hostPending', (system) => this.#whileOff(system, () => true))
  }

  /** Gives a BIOS its defaults at a first start, and looks through the variables of hosts that are off. */
  async open(): Promise<void> {
    for (const system of this.#devices.power.keys()) {
      if (this.#machine.ownsBios(system)) await this.#current(system)
      await this.#whileOff(system, () => true)
    }
  }

  /** Writes what waits for a boot, for a host that is held. */
  async beforeBoot(system: string): Promise<void> {
    await this.#inTurn(system, () => this.#hold(system, 'boot'))
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#closed = true
    this.#unwatch()
    await this.idle()
  }

  /** Does work on the flash of a host that is off, or held, in turn with what is done there. @throws what it throws */
  async exclusively(system: string, work: () => Promise<void>): Promise<void> {
    await this.#holds.get(system)?.run(work)
  }

  /**
   * Recreates the variable store of a host, empty, even if it is damaged. Discards the changes that wait for it; the
   * settings get their defaults at the next boot, as after `ResetBios`. Call it only from work that runs `exclusively`.
   *
   * @throws {HalError} as `Nvram.reset` does; `ENODEV` for a system without variables
   */
  async resetVariables(system: string): Promise<void> {
    const nvram = this.#devices.nvram.get(system)
    if (nvram === undefined) throw new HalError('ENODEV', `system ${system} has no variables`)
    try {
      await acquired(nvram, system, this.#store)
      await nvram.reset()
    } finally {
      this.#store.revisions.moved(`nvram/${system}`)
      await nvram.release()
    }
    await this.#store.commit(() => ({
      variable: Object.fromEntries(this.#wanted(system).map((key) => [key, null])),
      ...(this.#machine.ownsBios(system) && {
        biosPending: { [system]: resetPending(this.#store.get('biosPending', system)) }
      })
    }))
    this.#store.log.info('the variable store of the firmware was created again', { system })
  }

  /** Settles when what is under way is done. */
  async idle(): Promise<void> {
    await Promise.all([...this.#holds.values()].map((queue) => queue.idle()))
  }

  async #whileOff(system: string, needed: () => boolean): Promise<void> {
    if (this.#closed || !this.#isOff(system)) return
    await this.#inTurn(system, async () => {
      if (this.#isOff(system) && needed()) await this.#hold(system, 'off')
    })
  }

  #isOff(system: string): boolean {
    return this.#devices.power.get(system)?.state === 'Off'
  }

  /** After the holds before it. A failure is the log's. */
  async #inTurn(system: string, work: () => Promise<void>): Promise<void> {
    try {
      await this.#holds.get(system)?.run(work)
    } catch (error) {
      const { message: cause, stack } = error as Error
      const code = error instanceof HalError ? { code: error.code } : { stack }
      this.#store.log.error('changes for the firmware remain pending', { system, ...code, cause })
    }
  }

  async #hold(system: string, until: 'off' | 'boot'): Promise<void> {
    if (this.#machine.ownsBios(system)) await this.#current(system)
    const nvram = this.#devices.nvram.get(system)
    try {
      const sound = nvram !== undefined && (await acquired(nvram, system, this.#store))
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        if (await this.#settle(system, sound ? nvram : undefined, until === 'boot')) return
      }
      throw new HalError('EBUSY', 'clients change settings faster than they can be written')
    } finally {
      if (nvram !== undefined) {
        this.#store.revisions.moved(`nvram/${system}`)
        await nvram.release()
      }
    }
  }

  /**
   * @param nvram absent if there is no sound store: variables then go on waiting, and all else is done without
   * @returns false when a client changed something meanwhile, and it is all to be done again
   */
  async #settle(system: string, nvram: Nvram | undefined, boots: boolean): Promise<boolean> {
    const isCurrent = this.#guard(system)
    const wanted = this.#wanted(system)
    const waiting = hostPending(this.#store.get('hostPending', system))
    const clearing = nvram === undefined ? [] : cleared(nvram.list(), waiting.clearing)
    const isCleared = clearing.some(({ name, guid }) => name === bootOrder.name && guid === bootOrder.guid)
    const present = isCleared ? undefined : nvram?.get(bootOrder.name, bootOrder.guid)?.data
    const changes = inWriteOrder([...clearing, ...wanted.map((key) => this.#change(system, key, present))])
    const put = async (changes: readonly VariableChange[]) =>
      nvram !== undefined && (await write(nvram, changes, system, this.#store))
    const stored = await put(changes)
    // After the changes: the boot order is among them.
    if (nvram) await put(orderVariables(this.#machine, system))
    const override = overrideVariables({ state: this.#store, system, boots }, this.#machine)
    const overridden = nvram === undefined || (await put(override))

    const bios = this.#machine.ownsBios(system) ? await this.#bios(system, boots) : undefined
    if (nvram && bios) await put(biosVariables(bios, nvram.space, this.#store))

    const known = this.#store.get('secureBoot', system)?.current
    const secureBoot = secureBootAfterBoot(this.#machine, system)
    const held = afterHold(this.#store, system, { boots, stored })
    const writes: Writes = {
      ...(boots && overridden && booted(this.#store, this.#machine, system)),
      ...(boots && nvram && secureBoot.current !== known && { secureBoot: { [system]: secureBoot } }),
      ...(stored && { variable: Object.fromEntries(wanted.map((key) => [key, null])) }),
      ...(bios?.transferred && { biosCurrent: { [system]: bios.current }, biosPending: { [system]: null } }),
      ...held.writes
    }
    const refused = (bios?.current.messages.length ?? 1) - 1
    const events = [...(bios?.transferred && bios.wasPending ? [transferEvent(system, refused)] : []), ...held.events]
    if (!(await this.#store.commit(() => merged(writes, this.#events.writes(events)), isCurrent))) return false
    if (bios?.transferred) this.#store.log.info('the BIOS settings were transferred', { system, refused })
    return true
  }

  /** The BIOS settings after a hold: a boot transfers those that are pending. */
  async #bios(system: string, boots: boolean) {
    const before = await this.#current(system)
    const pending = this.#store.get('biosPending', system)
    const transferred = boots && (pending !== undefined || before.messages.length === 0)
    return {
      registry: this.#machine.system(system).attributeRegistry ?? '',
      current: transferred ? this.#afterReset(system, pending ?? nothingPending) : before,
      pending: transferred ? undefined : pending,
      id: this.#store.revisions.of(`biosPending/${system}`),
      transferred,
      wasPending: pending !== undefined
    }
  }

  #afterReset(system: string, pending: BiosPending) {
    const before = this.#store.get('biosCurrent', system)
    if (before === undefined) throw new RangeError(`no BIOS settings of ${system}`)
    const time = new Date(this.#now()).toISOString()
    return afterReset(this.#machine.attributeRegistry(system), before, pending, time)
  }

  /** The settings that the BIOS runs with; its defaults at a first start. */
  async #current(system: string) {
    const present = this.#store.get('biosCurrent', system)
    if (present !== undefined) return present
    const first = firstCurrent(this.#machine, system, new Date(this.#now()).toISOString())
    await this.#store.commit({ biosCurrent: { [system]: first } })
    return first
  }

  /** The keys of the variables that wait. */
  #wanted(system: string): string[] {
    return this.#store.keys('variable').filter((key) => key.startsWith(`${system}/`))
  }

  /** @param present the data of the host's boot order */
  #change(system: string, key: string, present: Uint8Array | undefined): VariableChange {
    const [, guid = '', name = ''] = /^[^/]*\/([^/]*)\/(.*)$/s.exec(key) ?? []
    const wanted = this.#store.get('variable', key) ?? { attributes: 0, data: null }
    const data = waitingData(this.#machine, system, { name, guid }, wanted, present)
    if (data === null) return { name, guid, data }
    return { name, guid, attributes: wanted.attributes, data, timestamp: variableTimestamp(name) }
  }

  /** Asks later whether all that a hold rests on is as it is now. */
  #guard(system: string): () => boolean {
    const { revisions } = this.#store
    const records = ['biosCurrent', 'biosPending', 'hostPending', 'system'].map((table) => `${table}/${system}`)
    const paths = [...records, 'variable/', ...this.#wanted(system).map((key) => `variable/${key}`)]
    const before = paths.map((path) => revisions.of(path))
    return () => paths.every((path, index) => revisions.of(path) === before[index])
  }
}

function transferEvent(system: string, refused: number) {
  return event('MgmtEvents.BiosSettingsTransferred', biosUri(system), String(refused))
}
