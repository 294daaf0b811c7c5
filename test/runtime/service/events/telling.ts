import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration as defaults } from '#data/configuration'
import type { Subscription } from '#data/events'
import { type Clock, systemClock } from '#hal/clock.ts'
import { EventBodies } from '#runtime/service/events/body.ts'
import type { Trust } from '#runtime/service/events/destination.ts'
import { Events } from '#runtime/service/events/events.ts'
import { Semaphore } from '#runtime/service/events/semaphore.ts'
import { Subscriptions } from '#runtime/service/events/subscriptions.ts'
import { Secrets } from '#runtime/store/secrets.ts'
import { Store } from '#runtime/store/store.ts'
import type { Scope } from '#test/host/server.ts'

type Settings = typeof defaults.events

export interface Wish {
  /** Is there already, and outlives this. */
  readonly directory?: string
  readonly settings?: Partial<Settings>
  readonly trust?: Partial<Trust>
  /** Shared with others. */
  readonly semaphore?: Semaphore
  /** See `Telling.ahead`. */
  readonly ahead?: number
  /** Of events that are kept. */
  readonly most?: number
}

/** Has timers of so many milliseconds or more end at once. @returns how long they were, as they are set */
export function shortenTimers(t: Test, least: number): number[] {
  const waited: number[] = []
  const timers = globalThis.setTimeout
  t.intercept(globalThis, 'setTimeout', {
    value: ((run: () => void, time = 0, ...more: []) => {
      const isLong = time >= least
      if (isLong) waited.push(time)
      return timers(run, isLong ? 1 : time, ...more)
    }) as typeof setTimeout
  })
  return waited
}

/** The part of the service that tells events: a store, events and their deliveries. */
export class Telling {
  readonly directory: string
  readonly store: Store
  readonly events: Events
  readonly secrets: Secrets
  readonly bodies: EventBodies
  readonly subscriptions: Subscriptions
  /** Milliseconds that have passed as far as it can tell, beyond those that have. */
  ahead = 0
  /** Milliseconds by which the clock was set forward. */
  set = 0

  private constructor(directory: string, store: Store, { settings, trust, semaphore, ahead = 0, most = 256 }: Wish) {
    this.ahead = ahead
    const clock: Clock = {
      now: () => systemClock.now() + this.ahead + this.set,
      elapsed: () => systemClock.elapsed() + this.ahead
    }
    this.directory = directory
    this.store = store
    this.events = new Events(store, sim as Board, { limits: { ...defaults.limits, events: most } }, clock.now)
    this.secrets = Secrets.open(join(directory, 'keys'), false)
    this.bodies = new EventBodies((key) => store.get('event', key))
    this.subscriptions = new Subscriptions({
      store,
      events: this.events,
      bodies: this.bodies,
      secrets: this.secrets,
      trust: { identity: () => undefined, authorities: () => [], ...trust },
      settings: { ...defaults.events, saveEvery: 0.01, ...settings },
      clock,
      semaphore: semaphore ?? new Semaphore(defaults.events.deliveries),
      hostName: () => 'bmc-7'
    })
  }

  static async open(t: Scope, wish: Wish = {}): Promise<Telling> {
    const directory = wish.directory ?? mkdtempSync(join(tmpdir(), 'minnow-'))
    const store = await Store.open(join(directory, 'store'), defaults.store)
    const telling = new Telling(directory, store, wish)
    if (wish.directory === undefined) t.teardown(() => rmSync(directory, { recursive: true, force: true }))
    t.teardown(() => telling.close())
    return telling
  }

  async subscribe(id: string, destination: string, more: Partial<Subscription> = {}): Promise<void> {
    const { retryAttempts, retryInterval, retireAfter } = defaults.events
    const subscription: Subscription = {
      destination,
      context: '',
      format: 'Event',
      prefixes: ['NetworkDevice', 'StorageDevice', 'ResourceEvent', 'MgmtEvents', 'MgmtResourceEvents'],
      headers: '',
      metricReportDefinitions: [],
      verifyCertificate: false,
      mutualAuthentication: false,
      retryAttempts,
      retryInterval,
      mostQueued: 100,
      retireAfter,
      ...more
    }
    await this.store.commit({ subscription: { [id]: subscription } })
  }

  /** Waits until a subscription is as expected. */
  async until(id: string, expected: (status: ReturnType<Subscriptions['status']>) => boolean): Promise<void> {
    while (!expected(this.subscriptions.status(id))) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  #closed = false

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.subscriptions.close()
    await this.store.close()
  }

  /** Lets go of the store as it is on disk, as a crash does. */
  async crash(): Promise<void> {
    this.#closed = true
    await this.store.close()
    await this.subscriptions.close()
  }
}
