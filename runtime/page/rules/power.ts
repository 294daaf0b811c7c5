import type { EnvironmentMetrics, OldPower, PowerSupply, SupplyMetrics } from '../types.ts'
import type { Word } from '../words/index.ts'

/** The resets of DSP0268 (Resource.ResetType) that the page has buttons for, in their order; those first that are kind. */
export const resets = [
  'On',
  'GracefulShutdown',
  'GracefulRestart',
  'ForceRestart',
  'ForceOff',
  'PushPowerButton',
  'Nmi'
] as const

export type Reset = (typeof resets)[number]

/** Resets that cannot be undone, or end programs that run. A host that is off has nothing to lose. */
const grave: ReadonlySet<Reset> = new Set([
  'GracefulShutdown',
  'GracefulRestart',
  'ForceRestart',
  'ForceOff',
  'Nmi',
  'PushPowerButton'
])

/** Whether the user is asked before a reset. */
export const asksBefore = (reset: Reset, state: string | null | undefined) => grave.has(reset) && state !== 'Off'

/** Why a reset makes no sense while the host is in a power state; undefined if it does. */
export function whyNot(reset: Reset, state: string | null | undefined): Word | undefined {
  if (state === 'PoweringOn' || state === 'PoweringOff') return reset === 'ForceOff' ? undefined : 'inTransition'
  if (state === 'On') return reset === 'On' ? 'isOn' : undefined
  if (state === 'Off') return reset === 'On' || reset === 'PushPowerButton' ? undefined : 'isOff'
  return 'stateUnknown'
}

/** A power supply with its readings. */
export type Supply = Pick<PowerSupply, '@odata.id' | 'Name' | 'Status' | 'PowerCapacityWatts' | 'Model'> & {
  readonly Metrics?: Pick<SupplyMetrics, 'OutputPowerWatts' | 'InputVoltage'>
}

/** The power consumption of an older machine, whose only metrics are in `Power`. */
export function metricsIn({ '@odata.id': uri, PowerControl }: OldPower): EnvironmentMetrics | undefined {
  const watts = PowerControl?.[0]?.PowerConsumedWatts
  return watts == null ? undefined : ({ '@odata.id': uri, PowerWatts: { Reading: watts } } as EnvironmentMetrics)
}

/** The power supplies of such a machine. */
export function suppliesIn({ PowerControl, PowerSupplies = [] }: OldPower) {
  const supplies = PowerSupplies.map(
    ({ LastPowerOutputWatts, LineInputVoltage, ...each }): Supply => ({
      ...each,
      '@odata.id': each['@odata.id'] ?? each.MemberId,
      Name: each.Name ?? each.MemberId,
      Metrics: {
        OutputPowerWatts: { Reading: LastPowerOutputWatts ?? null },
        InputVoltage: { Reading: LineInputVoltage ?? null }
      }
    })
  )
  return { CapacityWatts: PowerControl?.[0]?.PowerCapacityWatts ?? null, PowerSupplies: { Members: supplies } }
}
