import { localOffsetOf, managerUri } from '#data/manager'
import { systemUri } from '#data/system'
import { type Context, changed, event, notFound, type Outcome } from '#runtime/contract'
import { clearLog } from './entries.ts'
import { logEntryKey, logId, logPath, namesLog, showLogEntries, showLogEntry, showLogService } from './logs.ts'

/** The context of a resource of a log, below a manager or below a system. */
export type LogContext<P extends string = never> =
  | Context<'ManagerId' | P, unknown>
  | Context<'ComputerSystemId' | P, unknown>

/** The manager or system that a path names. @throws MessageError 404 */
function ownerOf({ params, machine }: LogContext) {
  if ('ManagerId' in params) {
    machine.manager(params.ManagerId)
    const named = { kind: 'Managers', id: params.ManagerId, name: 'Mgmt Event Log' } as const
    return { ...named, uri: managerUri(named.id) }
  }
  machine.system(params.ComputerSystemId)
  const named = { kind: 'Systems', id: params.ComputerSystemId, name: 'System log of the host' } as const
  return { ...named, uri: systemUri(named.id) }
}

/** The log that a path names: its owner, and its path in records. @throws MessageError 404 */
export function namedLog(context: LogContext<'LogServiceId'>) {
  const owner = ownerOf(context)
  if (!namesLog(owner.kind, context.params.LogServiceId)) notFound()
  return { owner, log: logPath(owner.kind, owner.id) }
}

/** The ids of the logs of a manager or a system. */
export function logIds(context: LogContext): string[] {
  return [logId(ownerOf(context).kind)]
}

export function getLogService(context: LogContext<'LogServiceId'>) {
  const { owner } = namedLog(context)
  const { uri, configuration, machine, state } = context
  const managers = Object.entries(machine.board.managers)
  const [manager = ''] = managers.find(([, { systems }]) => systems.includes(owner.id)) ?? []
  const offset = localOffsetOf(state, owner.kind === 'Managers' ? owner.id : manager)
  return showLogService(uri, owner.kind, owner.name, configuration.limits.logEntries, context.time(offset), offset)
}

/** Oldest first. */
export function getLogEntries(context: LogContext<'LogServiceId'>) {
  const { log } = namedLog(context)
  return { Name: 'Log entries', Members: showLogEntries(context.uri, log, context.state) }
}

export function getLogEntry(context: LogContext<'LogServiceId' | 'LogEntryId'>) {
  const { log } = namedLog(context)
  const key = logEntryKey(log, context.params.LogEntryId) ?? notFound()
  return showLogEntry(context.uri, log, key, context.state)
}

/** 200: the log is empty but for the event that says so. */
export function postClearLog(context: LogContext<'LogServiceId'>): Outcome {
  const { owner, log } = namedLog(context)
  const events = [event('MgmtEvents.LogCleared', owner.uri, context.caller.user)]
  return { ...changed(clearLog(context.state, log)), events }
}
