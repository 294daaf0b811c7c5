import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeFleet, type FaultRule, faultControlSchema } from '#data/fleet'
import { type Clock, systemClock } from '#hal/clock.ts'
import { opening } from '#runtime/base/opening.ts'
import { checkFleet } from '#runtime/fleet/command.ts'
import { openFleet } from '#runtime/fleet/fleet.ts'
import { planReach } from '#runtime/fleet/plan.ts'
import { serverOf } from '#runtime/fleet/serve.ts'
import type { Service } from '#runtime/open/service.ts'
import { fileFaults } from '#runtime/schema'
import { generatePassword } from '#runtime/service/accounts/administrator.ts'
import { EventBodies } from '#runtime/service/events/body.ts'
import type { RedfishEvent, controller as Start } from './minnow.d.ts'
import { listenAlso, parts } from './parts.ts'

/** The devices of a machine that does everything at once. */
const quick = { onTime: 0, offTime: 0, gracefulTime: 0, resetTime: 0 }

/** A fleet of one, in this process. See `minnow.d.ts`. */
export const controller: typeof Start = (options = {}) =>
  opening(async (keep) => {
    const { board, port = 0, faults, devices, password = generatePassword() } = options
    const data = options.data ?? mkdtempSync(join(tmpdir(), 'minnow-'))
    if (options.data === undefined) keep({ close: async () => rmSync(data, { recursive: true, force: true }) })
    let ahead = 0
    const clock: Clock = {
      now: () => systemClock.now() + ahead,
      elapsed: () => systemClock.elapsed() + ahead
    }
    const description = describeFleet(
      checkFleet({
        data,
        configuration: { log: 'error', ...options.configuration },
        groups: [
          {
            ...{
              count: 1,
              address: '127.0.0.1',
              port,
              devices: { ...devices, power: { ...quick, ...devices?.power } }
            },
            ...(board !== undefined && { board }),
            ...(faults !== undefined && { faults })
          }
        ]
      })
    )
    const reaches = planReach(description.groups)
    const fleet = keep(await openFleet({ ...parts, description, reaches, adminPassword: password, clock }))
    const one = fleet.roster.get(1)!
    // It is not put aside: its events would not be seen.
    one.busy += 1
    const seen = new Events()
    fleet.roster.onOpened((service) => seen.follow(service))
    await one.open()
    const { server, listen } = serverOf(fleet, description, reaches, listenAlso)
    keep({ close: () => server.close(0) })
    await listen()
    return {
      url: one.url,
      user: 'admin' as const,
      password,
      authorization: `Basic ${btoa(`admin:${password}`)}`,
      certificate: fleet.identity.chain,
      events: seen.all,
      event: (like: string | RegExp) => seen.first(like),
      power: async (state?: 'On' | 'Off', system?: string) => power(await one.open(), state, system),
      faults: (rules: readonly object[]) => {
        const [fault] = fileFaults(faultControlSchema, { Rules: rules }, '.')
        if (fault !== undefined) throw new RangeError(fault)
        one.faults.rules = rules as readonly FaultRule[]
        fleet.roster.moved()
      },
      clock: {
        now: clock.now,
        advance: (seconds: number) => {
          ahead += seconds * 1000
        }
      }
    }
  }).then((open) => ({ ...open, [Symbol.asyncDispose]: () => open.close() }))

async function power({ hardware, store }: Service, wanted: string | undefined, system?: string): Promise<string> {
  const id = system ?? Object.keys(hardware.board.systems)[0] ?? ''
  if (wanted !== undefined && hardware.power(id) !== wanted) {
    const reached = new Promise<void>((resolve) => {
      store.revisions.onMoved(() => hardware.power(id) === wanted && resolve())
    })
    await hardware.perform({ kind: 'power', system: id, operation: wanted === 'On' ? 'on' : 'forceOff' })
    await reached
  }
  return hardware.power(id) ?? 'unknown'
}

/** The events of a controller, also after it has started anew. */
class Events {
  readonly all: RedfishEvent[] = []
  readonly #waiting = new Set<(event: RedfishEvent) => void>()

  follow({ store }: Service): void {
    const bodies = new EventBodies((key) => store.get('event', key))
    store.on('event', (key) => {
      if (store.get('event', key) === undefined) return
      const { Events } = JSON.parse(bodies.event([key], '')) as { Events: RedfishEvent[] }
      this.all.push(...Events)
      for (const event of Events) for (const tell of this.#waiting) tell(event)
    })
  }

  first(like: string | RegExp): Promise<RedfishEvent> {
    const fits = ({ MessageId: id }: RedfishEvent) => (typeof like === 'string' ? id.includes(like) : like.test(id))
    const before = this.all.find(fits)
    if (before !== undefined) return Promise.resolve(before)
    return new Promise((resolve) => {
      const tell = (event: RedfishEvent) => {
        if (!fits(event)) return
        this.#waiting.delete(tell)
        resolve(event)
      }
      this.#waiting.add(tell)
    })
  }
}
