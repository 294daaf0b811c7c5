import { type HostPending, hostPending } from '#data/boot'
import { systemUri } from '#data/system'
import { type Event, event, type State, type Writes } from '#runtime/contract'

/** What a hold did: whether the host boots after it, and whether its variables were written. */
interface Hold {
  readonly boots: boolean
  readonly stored: boolean
}

/** What a hold makes of what waited for it, besides settings and variables; and of what is known of the last start. */
export function afterHold(state: State, system: string, { boots, stored }: Hold): { writes: Writes; events: Event[] } {
  const record = state.get('hostPending', system)
  const { mode, recovery, clearing } = hostPending(record)
  const left = { ...hostPending(boots ? undefined : record), clearing: stored ? 'None' : clearing } as const
  // Where nothing changes nothing is written: each write has a host that is off held anew.
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
