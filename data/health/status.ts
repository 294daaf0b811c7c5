import type { Board } from '#data/board'
import { cableChassis, cableUri, chassisUri } from '#data/chassis'
import { logEntryUri } from '#data/logs'
import { powerLimitUri } from '#data/power'
import type { status } from '#data/resource'
import { powerSubsystemUri, sensorId, sensorUri, thermalSubsystemUri } from '#data/sensors'
import { systemUri } from '#data/system'
import { type Infer, lookUp, type Machine, type State } from '#runtime/contract'
import { type Condition, conditionKey, hasCondition } from './records.ts'

declare module '#runtime/contract' {
  interface Services {
    /**
     * The status of a part of the machine, by its canonical URI without a trailing slash. A resource has that of its own
     * URI anyway: a handler names the part only where its resource shows the status of another one.
     */
    health(part: string, own?: OwnStatus): Status
  }
}

export type Status = Required<Omit<Infer<typeof status>, 'Conditions'>> & Pick<Infer<typeof status>, 'Conditions'>

type Health = 'OK' | 'Warning' | 'Critical'

/** The part of a status that a handler knows: the state, and a health that does not follow from conditions. */
export type OwnStatus = Partial<Pick<Status, 'State' | 'Health'>>

const order: readonly unknown[] = ['OK', 'Warning', 'Critical'] satisfies Health[]

const worse = <H>(one: H, other: H): H => (order.indexOf(other) > order.indexOf(one) ? other : one)

/**
 * The status of a part: its health, the worst health of it and what is in it, and the conditions that are the reason.
 * Nothing is known of the health of a part that is absent or cannot be reached, unless there is a condition. A part that
 * another program says is unavailable is that.
 */
export function statusOf({ board }: Pick<Machine, 'board'>, state: State, part: string, own: OwnStatus = {}): Status {
  const { State: told = 'Enabled' } = own
  const State = told === 'Enabled' && hasCondition(state, part, 'unavailable') ? 'UnavailableOffline' : told
  const { Health = State === 'Absent' || State === 'UnavailableOffline' ? null : 'OK' } = own
  const all = state.keys('condition').map((key) => state.get('condition', key) as Condition)
  const conditions = all.filter(({ origin }) => concerns(board, origin, part))
  const owned = conditions.filter(({ origin }) => origin === part)
  const worst = (of: readonly Condition[]) =>
    of.reduce<Status['Health']>((so, { severity }) => worse(so, severity), Health)
  return {
    State,
    Health: worst(owned),
    HealthRollup: worst(conditions),
    ...(conditions.length > 0 && { Conditions: conditions.map(showCondition) })
  }
}

/**
 * Whether there is a critical condition of a system, of what is in it, or of what it depends on, that would be there at its
 * next boot: a crash is over then.
 */
export function hasCriticalFault({ board }: Pick<Machine, 'board'>, state: State, system: string): boolean {
  const part = systemUri(system)
  return state.keys('condition').some((key) => {
    const { origin, severity } = state.get('condition', key) as Condition
    return severity === 'Critical' && key !== conditionKey(part, 'crash') && concerns(board, origin, part)
  })
}

/** Whether a condition of one part concerns another: the same one, one that it is in, or one that depends on it. */
function concerns(board: Board, origin: string, part: string): boolean {
  return isIn(origin, part) || dependents(board, origin).some((each) => each === part)
}

const isIn = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`)

/**
 * The parts that depend on one, beside those whose URI begins its own: a system on what is in its chassis, a chassis on
 * what is in its systems and in the chassis that it contains, and on its cables, the cooling on the temperatures, the power
 * supply on the limit of the power.
 */
function dependents({ systems, chassis, cables = {} }: Board, origin: string): string[] {
  const outward = (id: string): string[] => {
    const outer = chassis[id]?.containedBy
    return [chassisUri(id), ...(outer === undefined ? [] : outward(outer))]
  }
  const system = Object.entries(systems).find(([id]) => isIn(origin, systemUri(id)))?.[1]
  if (system !== undefined) return system.chassis.flatMap(outward)
  const [, cable] = Object.entries(cables).find(([id]) => origin === cableUri(id)) ?? []
  const id = cable ? cableChassis(cable) : Object.keys(chassis).find((each) => isIn(origin, chassisUri(each)))
  const own = chassis[id ?? '']
  if (id === undefined || own === undefined) return []
  const isTemperature = own.temperatures.some((each) => sensorUri(id, sensorId(each)) === origin)
  return [
    ...outward(id),
    ...own.systems.map(systemUri),
    ...(isTemperature ? [thermalSubsystemUri(id)] : []),
    ...(origin === powerLimitUri(id) ? [powerSubsystemUri(id)] : [])
  ]
}

function showCondition({ origin, created, severity, text, messageId, args, entry }: Condition) {
  return {
    MessageId: messageId,
    Message: text,
    MessageArgs: [...args],
    Severity: severity,
    OriginOfCondition: { '@odata.id': `${origin}/` },
    Timestamp: created,
    Resolution: lookUp(messageId, args)?.resolution ?? null,
    ...(entry !== undefined && { LogEntry: { '@odata.id': `${logEntryUri(entry)}/` } })
  }
}
