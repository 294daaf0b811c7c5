import { type HostPending, hostPending } from '#data/boot'
import { systemUri } from '#data/system'
import { type Event, event, type State, type Writes } from '#runtime/contract'

/** Result of a hold: whether the host boots after it, and whether its variables were written. */
interface Hold {
  readonly boots: boolean
  readonly stored: boolean
}

/** The writes of a hold besides settings and variables: pending work that is done, and the record of the last start. */
export function afterHold(state: State, system: string, { boots, stored }: Hold): { writes: Writes; events: Event[] } {
  const record = state.get('hostPending', system)
  const { mode, recovery, clearing } = hostPending(record)
  const left = { ...hostPending(boots ? undefined : record), clearing: stored ? 'None' : clearing } as const
  // Without a change nothing is written, because each write makes a host that is off be held again.
  const changes = record !== undefined && (boots || left.clearing !== clearing)
  const started = state.get('boot', system)?.mode ?? 'Normal'
  return {
    writes: {
      ...(changes && { hostPending: { [system]: waits(left) ? left : null } }),
      ...(boots && mode !== started && { boot: { [system]: { mode } } })
    },
    events: boots && recovery ? [event('MgmtEvents.RecoveryFinished', systemUri(system), system)] : []
  }
}

function waits({ mode, recovery, clearing }: HostPending): boolean {
  return mode !== 'Normal' || recovery || clearing !== 'None'
}
