import { number } from '#data/resource'
import { changed, fail, type Machine, notFound, type Outcome, object, type State } from '#runtime/contract'
import { limitExceptions, type PowerLimitRecord } from './records.ts'
import { powerLimitId, powerLimitUri } from './uris.ts'

/** Until something else is set: the power may be above the limit for ten seconds, and then that is reported. */
const defaults = { enabled: false, exception: 'LogEventOnly', correction: 10_000 } as const

/** The limit of a chassis. Without `watts`, the highest one that the board takes. */
export function powerLimitOf(state: Pick<State, 'get'>, chassis: string) {
  return { ...defaults, ...state.get('powerLimit', chassis) }
}

type PowerLimit = ReturnType<typeof powerLimitOf>

/** @throws MessageError 404 for an unknown control, and where the board cannot limit the power */
export function findPowerRange(machine: Machine, { ChassisId, ControlId }: Record<'ChassisId' | 'ControlId', string>) {
  machine.chassis(ChassisId)
  return (ControlId === powerLimitId ? machine.powerRange(ChassisId) : undefined) ?? notFound()
}

interface Wish {
  /** `null` disables the limit, a number enables it. */
  readonly watts?: number | null | undefined
  readonly enabled?: boolean | undefined
  readonly exception?: PowerLimitRecord['exception'] | undefined
  readonly correction?: number | undefined
}

/**
 * Changes the limit of the power of a chassis: one state, in whatever resource a client finds it.
 *
 * @param path of the limit in the body
 * @throws MessageError 400 where the board cannot limit the power, and for a limit that it cannot hold
 */
export function changePowerLimit(
  { machine, state }: { readonly machine: Machine; readonly state: Pick<State, 'get'> },
  chassis: string,
  wish: Wish,
  path: string
): Outcome {
  const range = machine.powerRange(chassis)
  if (range === undefined) fail(400, 'Base.PropertyNotWritable', path)
  const { watts, enabled = watts === undefined ? undefined : watts !== null, exception, correction } = wish
  if (watts != null && (watts < range.minimum || watts > range.maximum))
    fail(400, 'Base.PropertyValueOutOfRange', String(watts), path)
  const given = Object.entries({ watts: watts ?? undefined, enabled, exception, correction })
  const wanted = Object.fromEntries(given.filter(([, value]) => value !== undefined))
  if (Object.keys(wanted).length === 0) return changed({})
  const before = effective(range, powerLimitOf(state, chassis))
  const after = effective(range, { ...powerLimitOf(state, chassis), ...wanted })
  const commands = after === before ? [] : [{ kind: 'limitPower', chassis, watts: after } as const]
  return changed({ powerLimit: { [chassis]: wanted } }, ...commands)
}

/** The watts that are in effect; `null` without any, or while that is unknown. */
export function effective({ maximum }: { readonly maximum: number }, { enabled, watts = maximum }: PowerLimit) {
  return enabled ? watts : null
}

/** No limit, and what else is set at first. */
export function resetPowerLimit(chassis: string): Outcome {
  return changed({ powerLimit: { [chassis]: null } }, { kind: 'limitPower', chassis, watts: null })
}

const controlModes = ['Automatic', 'Disabled'] as const

/** The properties of both a control and its excerpt (DSP0268, Control). */
export const powerLimitControl = {
  AllowableMax: number,
  AllowableMin: number,
  ControlMode: { type: 'string', enum: controlModes, nullable: true, readonly: false },
  SetPoint: { type: 'number', nullable: true, readonly: false }
} as const

/** An excerpt of the control. */
export const powerLimitExcerpt = object({
  ...powerLimitControl,
  DataSourceUri: { type: 'string', format: 'uri-reference', nullable: true, readonly: true },
  Reading: number
})

export function showControl(
  { minimum, maximum }: { readonly minimum: number; readonly maximum: number },
  { enabled, watts = maximum }: PowerLimit
) {
  return {
    AllowableMax: maximum,
    AllowableMin: minimum,
    ControlMode: enabled === null ? null : enabled ? 'Automatic' : 'Disabled',
    SetPoint: watts
  } as const
}

/** The excerpt, where the board can limit the power. @param reading the power at present */
export function showPowerLimit(machine: Machine, state: Pick<State, 'get'>, chassis: string, reading: number | null) {
  const range = machine.powerRange(chassis)
  if (range === undefined) return {}
  const DataSourceUri = `${powerLimitUri(chassis)}/`
  return { PowerLimitWatts: { ...showControl(range, powerLimitOf(state, chassis)), DataSourceUri, Reading: reading } }
}

/** The change that the body of a PATCH of a control asks for. @throws MessageError 400 for what is null */
export function controlWish({
  SetPoint: watts,
  ControlMode
}: {
  readonly SetPoint?: number | null
  readonly ControlMode?: (typeof controlModes)[number] | null
}): Wish {
  if (watts === null) fail(400, 'Base.PropertyValueTypeError', 'null', 'SetPoint')
  if (ControlMode === null) fail(400, 'Base.PropertyValueTypeError', 'null', 'ControlMode')
  return { watts, enabled: ControlMode && ControlMode === 'Automatic' }
}

/** `PowerLimit` in the older form (DSP0268, Power). */
export const legacyPowerLimit = object({
  CorrectionInMs: { type: 'integer', minimum: 0, maximum: 3_600_000, nullable: true, readonly: false },
  LimitException: { type: 'string', enum: limitExceptions, nullable: true, readonly: false },
  LimitInWatts: { type: 'number', nullable: true, readonly: false }
})

export function showLegacyPowerLimit(machine: Machine, state: Pick<State, 'get'>, chassis: string) {
  const range = machine.powerRange(chassis)
  if (range === undefined) return { LimitException: 'NoAction', LimitInWatts: null } as const
  const limit = powerLimitOf(state, chassis)
  return {
    CorrectionInMs: limit.correction,
    LimitException: limit.exception,
    LimitInWatts: effective(range, limit)
  }
}
