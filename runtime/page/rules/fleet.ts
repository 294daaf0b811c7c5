import type { ControllerSummary, FaultRule } from '#data/fleet'

/** The controllers that are wanted; an empty text wants all. */
export interface FleetFilter {
  readonly state: string
  readonly health: string
  readonly power: string
  /** The name of a fault that is on; {@link anyFault} for any. */
  readonly fault: string
}

export const noFilter: FleetFilter = { state: '', health: '', power: '', fault: '' }

export const anyFault = 'any'

/** The health and power of a controller that was never open. */
export const unknown = 'Unknown'

/** The power of a controller in one word: of one with several systems that of all of them, or `Mixed`. */
export function powerOf({ power }: Pick<ControllerSummary, 'power'>): string {
  const states = Object.keys(power ?? {})
  return states.length > 1 ? 'Mixed' : (states[0] ?? unknown)
}

export function isWanted(controller: ControllerSummary, { state, health, power, fault }: FleetFilter): boolean {
  const is = (wanted: string, value: string) => wanted === '' || wanted === value
  return (
    is(state, controller.state) &&
    is(health, controller.health ?? unknown) &&
    (is(power, powerOf(controller)) || Object.hasOwn(controller.power ?? {}, power)) &&
    (fault === '' || (fault === anyFault ? controller.faults.length > 0 : controller.faults.includes(fault)))
  )
}

/** How many controllers have each value. */
export function counted<T>(rows: readonly T[], valuesOf: (row: T) => readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const row of rows) for (const value of valuesOf(row)) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** A fault that the page puts on: of a device by its kind, or of requests. */
export interface OfferedFault {
  /** As `faultNames` of `#data/fleet` names it. */
  readonly name: string
  /** The unit of its number, and the number that is offered first. */
  readonly number?: { readonly unit: 'ms' | 's' | 'B/s' | '%'; readonly value: number; readonly most: number }
}

const seconds = { unit: 's', value: 2, most: 3600 } as const

export const offeredFaults: readonly OfferedFault[] = [
  ...['stuckOn', 'ignoreButton', 'hangs', 'panics', 'unbootable'].map((name) => ({ name: `power.${name}` })),
  { name: 'power.slow', number: { unit: 'ms', value: 30_000, most: 3_600_000 } },
  { name: 'sensors.stale' },
  ...['refuses', 'badSignature', 'damaged', 'startFails'].map((name) => ({ name: `firmware.${name}` })),
  { name: 'indicator.stuck' },
  { name: 'requests.status' },
  { name: 'requests.delay', number: seconds },
  { name: 'requests.hangUp', number: { unit: '%', value: 50, most: 100 } },
  { name: 'requests.rate', number: { unit: 'B/s', value: 1000, most: 1_000_000_000 } },
  ...['expireSession', 'NoTrailingSlash', 'NoETag', 'WrongETag', 'NoContentForOk'].map((name) => ({
    name: `requests.${name}`
  }))
]

export const isOfRequests = (name: string) => name.startsWith('requests.')

/** The input of the form for a fault. */
export interface FaultForm {
  readonly name: string
  readonly number: number
  /** The path of the requests; empty for all. */
  readonly path: string
  /** How many of them, in per cent. */
  readonly share: number
}

/** The fault of a form as a group action adds it. */
export function faultOf({ name, number, path, share }: FaultForm) {
  const [kind = '', fault = ''] = name.split('.')
  if (kind !== 'requests') return { devices: { [kind]: { faults: { [fault]: fault === 'slow' ? number : true } } } }
  const requests = { ...(path !== '' && { path }), ...(share < 100 && { share: share / 100 }) }
  return { rules: [{ ...requests, ...effectOf(fault, number) }] }
}

function effectOf(fault: string, number: number): FaultRule {
  if (fault === 'status') return { status: 503, retryAfter: 5 }
  if (fault === 'expireSession') return { expireSession: true }
  if (fault === 'hangUp') return { hangUp: number / 100 }
  if (fault === 'delay' || fault === 'rate') return { [fault]: number }
  return { quirks: [fault as 'NoETag'] }
}
