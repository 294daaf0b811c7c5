import { firstPostCodes, nextBoot, postCodesUri, storePostCodes, withPostCodes } from '#data/logs'
import type { Clock } from '#hal/clock.ts'
import type { PostCodes } from '#hal/post-codes.ts'
import type { Power } from '#hal/power.ts'
import { type Event, event, merged, type Tables, type Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Devices } from '../machine/machine.ts'

/** The longest wait for a write, in milliseconds. Timers of more than 24 days would fire at once. */
const longest = 86_400_000

/**
 * Stores the POST codes of each boot. Firmware reports many within a second: they are written together. An operating system
 * that writes to the port all the time does not wear out a flash: each write of a boot waits twice as long as the one before,
 * up to a day. Each write is an event of the log.
 *
 * @param pause milliseconds from the first code of a boot to the write
 */
export function keepPostCodes(
  store: Store,
  events: Events,
  { power, postCodes }: Pick<Devices, 'power' | 'postCodes'>,
  clock: Clock,
  pause: number
) {
  const kept = [...postCodes].map(
    ([system, port]) => new Keeping(store, events, system, clock, pause, power.get(system), port)
  )
  return { close: () => Promise.all(kept.map((each) => each.close())).then(() => undefined) }
}

/** The records of events. */
interface Events {
  writes(events: readonly Event[]): Writes
}

class Keeping {
  readonly #store: Store
  readonly #events: Events
  readonly #system: string
  readonly #clock: Clock
  readonly #pause: number
  readonly #stops: readonly (() => void)[]
  /** The present boot: its number once it is stored, when it began by the clock that never leaps, and what is known of it. */
  #boot: { number?: number; readonly began: number; record: Tables['postCodes'] } | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #wait: number
  #saving: Promise<void> = Promise.resolve()

  constructor(
    store: Store,
    events: Events,
    system: string,
    clock: Clock,
    pause: number,
    power: Pick<Power, 'on'> | undefined,
    postCodes: PostCodes
  ) {
    this.#store = store
    this.#events = events
    this.#system = system
    this.#clock = clock
    this.#pause = pause
    this.#wait = pause
    const began = ({ type }: { readonly type: string }) => {
      if (type === 'boot') this.#begin()
    }
    this.#stops = [postCodes.on((codes) => this.#add(codes)), ...(power === undefined ? [] : [power.on(began)])]
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop()
    await this.#save()
  }

  #begin(): void {
    void this.#save()
    this.#boot = undefined
    this.#wait = this.#pause
  }

  #add(codes: Uint8Array): void {
    const { elapsed, now } = this.#clock
    this.#boot ??= { began: elapsed(), record: firstPostCodes(new Date(now()).toISOString()) }
    this.#boot.record = withPostCodes(this.#boot.record, codes, Math.round(elapsed() - this.#boot.began))
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => void this.#save(), this.#wait)
    this.#wait = Math.min(2 * this.#wait, longest)
  }

  /** Resolves when all that was to be stored is. */
  #save(): Promise<void> {
    if (this.#timer === undefined || this.#boot === undefined) return this.#saving
    clearTimeout(this.#timer)
    this.#timer = undefined
    const boot = this.#boot
    const { record } = boot
    const stored = this.#store.commit(() => {
      boot.number ??= nextBoot(this.#store, this.#system)
      const changed = event('ResourceEvent.ResourceChanged', postCodesUri(this.#system))
      return merged(storePostCodes(this.#store, this.#system, boot.number, record), this.#events.writes([changed]))
    })
    this.#saving = stored.then(
      () => undefined,
      ({ message }: Error) =>
        this.#store.log.warning('POST codes were not stored', { system: this.#system, cause: message })
    )
    return this.#saving
  }
}
