import { effect, signal, untracked } from '@preact/signals'
import type { ControllerSummary } from '#data/fleet'
import { Failure } from '../rules/failure.ts'
import { type Known, loading } from '../rules/known.ts'
import { expired, send, session } from '../service/client.ts'
import { type Connection, connection, isVisible, keepReading } from '../service/connection.ts'
import { joinTabs } from '../service/tabs.ts'

/** All controllers of the fleet, in the order of their numbers. */
export const controllers = signal<Known<readonly ControllerSummary[]>>(loading)

interface Listed {
  readonly controllers: readonly ControllerSummary[]
  readonly more: boolean
}

/** A message from one tab to the others. */
type Told =
  | { readonly changed: readonly ControllerSummary[] }
  /** How the stream is; `stands`: it has just been opened. */
  | { readonly state: Connection; readonly stands: boolean }
  /** A tab that joins asks how the stream is. */
  | { readonly asks: true }

/**
 * Reads the list while the page is visible and a user is logged in, and follows its changes. All tabs of a browser
 * share a stream.
 */
export function followControllers(): void {
  effect(() => {
    if (session.value === undefined || expired.value || !isVisible.value) return
    const left = new AbortController()
    untracked(() => follow(left.signal))
    return () => left.abort()
  })
}

function follow(left: AbortSignal): void {
  let isRead = false
  let isLeader = false
  const hear = (told: Told) => {
    if ('changed' in told) take(told.changed)
    else if ('state' in told) {
      connection.value = told.state
      // Only the list has the changes from while no stream was open.
      if (told.stands || !isRead) void readList(left)
      isRead = true
    } else if (isLeader) tabs.tell({ state: connection.value, stands: false })
  }
  const tell = (told: Told) => {
    tabs.tell(told)
    hear(told)
  }
  const tabs = joinTabs<Told>('fleet', left, hear, () => {
    isLeader = true
    void keepReading(left, {
      begin: () => ({ uri: '/fleet/events' }),
      found: ({ data }) => tell({ changed: (JSON.parse(data) as Listed).controllers }),
      changed: (state) => tell({ state, stands: state === 'live' })
    })
  })
  tabs.tell({ asks: true })
}

/** Changes that arrive while the list is read, which may be older. */
let meanwhile: ControllerSummary[] | undefined

async function readList(left: AbortSignal): Promise<void> {
  const all: ControllerSummary[] = []
  const since: ControllerSummary[] = []
  meanwhile = since
  try {
    for (let more = true; more; ) {
      const { body } = await send<Listed>('GET', `/fleet/?after=${all.at(-1)?.number ?? 0}`)
      if (left.aborted) return
      all.push(...body.controllers)
      more = body.more
    }
    controllers.value = { state: 'there', value: merged(all, since) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const before = controllers.value
    // The last list stays in sight, with the reason.
    controllers.value = before.state === 'there' ? { ...before, failure: error } : { state: 'failed', failure: error }
  } finally {
    if (meanwhile === since) meanwhile = undefined
  }
}

function take(changed: readonly ControllerSummary[]): void {
  meanwhile?.push(...changed)
  const { value } = controllers
  if (value.state === 'there') controllers.value = { ...value, value: merged(value.value, changed) }
}

function merged(
  all: readonly ControllerSummary[],
  changed: readonly ControllerSummary[]
): readonly ControllerSummary[] {
  if (changed.length === 0) return all
  const latest = new Map(changed.map((each) => [each.number, each]))
  return all.map((each) => latest.get(each.number) ?? each)
}

/** Reads the list again, after a failure. */
export function readAgain(): void {
  void readList(new AbortController().signal)
}
