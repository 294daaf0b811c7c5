import { parseTime } from '#runtime/base/duration.ts'
import { type Context, fail, type Machine, type State } from '#runtime/contract'

/** How far the times that a manager shows are from universal time. Clocks are at most 14 hours ahead or behind. */
export const localOffset = {
  type: 'string',
  pattern: '^[+-]((0[0-9]|1[0-3]):[0-5][0-9]|14:00)$',
  nullable: true,
  readonly: false
} as const

/** The years that a clock with a battery counts, as many know this century only. */
const firstTime = Date.UTC(2000, 0)
const endOfTime = Date.UTC(2100, 0)

/** {@link localOffset} of a manager. */
export function localOffsetOf(state: Pick<State, 'get'>, manager: string): string {
  return state.get('clock', manager)?.localOffset ?? '+00:00'
}

/** The minutes of a {@link localOffset}. */
export function minutesAhead(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number)
  return (hours * 60 + minutes) * (offset.startsWith('-') ? -1 : 1)
}

/** A time in ISO 8601, as clocks with this {@link localOffset} have it. */
export function localTime(time: Date, offset: string): string {
  const ahead = minutesAhead(offset)
  if (ahead === 0) return time.toISOString()
  return new Date(time.getTime() + ahead * 60_000).toISOString().replace('Z', offset)
}

/** The addresses of time servers that a manager got from its networks. */
export function suppliedTimeServers(machine: Machine, manager: string): string[] {
  const ids = Object.keys(machine.manager(manager).ethernetInterfaces)
  return [...new Set(ids.flatMap((id) => machine.port(manager, id).ntpServers ?? []))]
}

/** Whether a manager asks servers for the time. */
export function asksForTime(state: Pick<State, 'get'>, machine: Machine, manager: string): boolean {
  const { timeServers, ntp } = state.get('clock', manager) ?? {}
  return ntp ?? (timeServers ?? []).length + suppliedTimeServers(machine, manager).length > 0
}

/**
 * The name of a zone that is always as far from universal time as a {@link localOffset}: that of the time zone database,
 * whose signs are the other way round, else that of POSIX.
 */
export function timeZoneName(offset: string): string {
  const [hours = '', minutes = ''] = offset.slice(1).split(':')
  const isAhead = offset.startsWith('+')
  if (minutesAhead(offset) === 0) return 'UTC'
  const sign = isAhead ? '-' : '+'
  if (minutes === '00' && (isAhead || Number(hours) <= 12)) return `Etc/GMT${sign}${Number(hours)}`
  return `<${offset.replace(':', '')}>${sign}${hours}:${minutes}`
}

/** {@link localOffset} of a zone without daylight saving time; undefined for others, and for what is no name of one. */
function offsetOfZone(name: string): string | undefined {
  if (/^(Etc\/)?(UTC|GMT)$/.test(name)) return '+00:00'
  const posix = /^(?:Etc\/GMT|[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)([+-]?)(\d{1,2})(?::(\d{2}))?$/
  const [isZone, sign, hours = '', minutes = '00'] = posix.exec(name) ?? []
  if (isZone === undefined) return undefined
  const offset = `${sign === '-' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`
  return new RegExp(localOffset.pattern).test(offset) ? offset : undefined
}

/** The members of a PATCH that are about the clock. */
interface Wish {
  readonly DateTime?: string | null | undefined
  readonly DateTimeLocalOffset?: string | null | undefined
  readonly TimeZoneName?: string | undefined
}

/**
 * The writes and the command for the clock that a client wants.
 *
 * @throws MessageError 400 for a time that no clock has, where time servers set it, and where the service has no way to set it
 */
export function clockAfter({ params, body, machine, state, configuration }: Context<'ManagerId', Wish>) {
  const manager = params.ManagerId
  const { DateTime: wanted, DateTimeLocalOffset, TimeZoneName: zone } = body
  for (const [name, value] of Object.entries({ DateTime: wanted, DateTimeLocalOffset }))
    if (value === null) fail(400, 'Base.PropertyValueTypeError', 'null', name)
  const named =
    zone === undefined
      ? undefined
      : (offsetOfZone(zone) ?? fail(400, 'Base.PropertyValueIncorrect', 'TimeZoneName', zone))
  const localOffset = DateTimeLocalOffset ?? named
  if (named !== undefined && named !== localOffset)
    fail(400, 'Base.PropertyValueConflict', 'DateTimeLocalOffset', 'TimeZoneName')
  const writes = { ...(localOffset != null && { clock: { [manager]: { localOffset } } }) }
  if (wanted == null) return { writes, commands: [] }
  const { clockFile, simulatedClock } = configuration
  if (clockFile === '' && !simulatedClock && !machine.setsClock(manager))
    fail(400, 'Base.PropertyNotWritable', 'DateTime')
  const time = parseTime(wanted) ?? fail(400, 'Base.PropertyValueFormatError', wanted, 'DateTime')
  if (time < firstTime || time >= endOfTime) fail(400, 'Base.PropertyValueIncorrect', 'DateTime', wanted)
  if (asksForTime(state, machine, manager)) fail(400, 'Base.PropertyValueConflict', 'DateTime', 'NTP/ProtocolEnabled')
  return { writes, commands: [{ kind: 'setClock', manager, time } as const] }
}
