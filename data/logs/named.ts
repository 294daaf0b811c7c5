import { localOffsetOf, managerUri } from '#data/manager'
import { systemUri } from '#data/system'
import {
  changed,
  event,
  fail,
  type Methods,
  merged,
  notFound,
  type Outcome,
  type State,
  type Writes
} from '#runtime/contract'
import type { LogContext, LogDeclaration, OpenLog } from './declaration.ts'
import { managerDumps, systemDumps } from './dumps.ts'
import { journal } from './journal.ts'
import { type LogOwner, logEntry, logId, logKey, logPath, namesLog, oemDiagnosticDataTypes } from './logs.ts'
import { machineLog } from './machine-log.ts'
import { postCodes } from './post-codes.ts'
import { managerLog, sel, systemLog } from './stored.ts'

/** Every log. Another one: declare it, and list it here. */
const logs: readonly LogDeclaration[] = [
  managerLog,
  journal,
  managerDumps,
  systemLog,
  machineLog,
  systemDumps,
  sel,
  postCodes
]

/** The manager or system that a path names. @throws MessageError 404 */
function ownerOf({ params, machine }: LogContext) {
  if ('ManagerId' in params) {
    machine.manager(params.ManagerId)
    return { kind: 'Managers', id: params.ManagerId, uri: managerUri(params.ManagerId) } as const
  }
  machine.system(params.ComputerSystemId)
  return { kind: 'Systems', id: params.ComputerSystemId, uri: systemUri(params.ComputerSystemId) } as const
}

function logsOf({ machine }: LogContext, { kind, id }: ReturnType<typeof ownerOf>): LogDeclaration[] {
  return logs.filter(({ of, isOn }) => of === kind && (isOn?.(machine.board, id) ?? true))
}

/** The log that a path names, the manager or system that it is of, and its path in records. @throws MessageError 404 */
export function namedLog(context: LogContext<'LogServiceId'>) {
  const owner = ownerOf(context)
  const { LogServiceId } = context.params
  const wanted = namesLog(owner.kind, LogServiceId) ? logPath(owner.kind, owner.id).split('/').at(-1) : LogServiceId
  const declared = logsOf(context, owner).find(({ id }) => id === wanted) ?? notFound()
  return { owner, declared, log: logPath(owner.kind, owner.id, declared.id) }
}

/** The entries of the log that a path names, for a client that may read them. @throws MessageError 403, 404, 503 */
function readableLog(context: LogContext<'LogServiceId'>): OpenLog {
  const { declared, owner } = namedLog(context)
  const { reading } = declared
  if (reading !== undefined && !context.caller.privileges.has(reading)) fail(403, 'Base.InsufficientPrivilege')
  return declared.open(context, owner.id)
}

/** The ids of the logs of a manager or a system. */
export function logIds(context: LogContext): string[] {
  return logsOf(context, ownerOf(context)).map(({ id }) => id)
}

/** The time is shown as the manager shows it. */
export function getLogService(context: LogContext<'LogServiceId'>) {
  const { owner, declared } = namedLog(context)
  const { configuration, machine, state } = context
  const managers = Object.entries(machine.board.managers)
  const [manager = ''] = managers.find(([, { systems }]) => systems.includes(owner.id)) ?? []
  const offset = localOffsetOf(state, owner.kind === 'Managers' ? owner.id : manager)
  return {
    Name: declared.name,
    DateTime: context.time(offset),
    DateTimeLocalOffset: offset,
    LogEntryType: declared.type,
    ...(declared.most && { MaxNumberOfRecords: declared.most(configuration) }),
    OverWritePolicy: 'WrapsWhenFull',
    ServiceEnabled: true,
    ...(declared.isAvailable?.(machine, owner.id) === false && { Status: { State: 'UnavailableOffline' } as const }),
    Actions: {
      ...(declared.clear && { '#LogService.ClearLog': {} }),
      ...(declared.collects && { '#LogService.CollectDiagnosticData': collectable(declared.collects) })
    }
  } as const
}

function collectable({ type }: Required<LogDeclaration>['collects']) {
  return {
    '@Redfish.ActionInfo': '/redfish/v1/ActionInfo/LogService.CollectDiagnosticData/',
    'DiagnosticDataType@Redfish.AllowableValues': [type],
    ...(type === 'OEM' && { 'OEMDiagnosticDataType@Redfish.AllowableValues': oemDiagnosticDataTypes })
  }
}

/** Oldest first. */
export function getLogEntries(context: LogContext<'LogServiceId'>) {
  const log = readableLog(context)
  const Members = log.ids().map((Id) => {
    const uri = `${context.uri}/${Id}`
    const identity = { '@odata.id': `${uri}/`, '@odata.type': logEntry.title, Id }
    return { ...show(log, Id, uri), ...identity }
  })
  return { Name: 'Log entries', Members }
}

export function getLogEntry(context: LogContext<'LogServiceId' | 'LogEntryId'>) {
  return show(readableLog(context), context.params.LogEntryId, context.uri)
}

function show(log: OpenLog, id: string, uri: string) {
  const attached = log.attached?.(id)
  return {
    ...(attached && {
      AdditionalDataSizeBytes: attached.size,
      AdditionalDataURI: `${uri}/${attached.isDump ? 'Dump' : 'Attachment'}`
    }),
    Name: 'Log entry',
    Description: 'What happened, and when',
    ...log.entry(id)
  }
}

/** The methods of the entries of each log of managers, or of systems. */
export function logEntryMethods(of: LogOwner): Methods {
  const own = logs.filter((each) => each.of === of)
  const all = new Set(own.flatMap(({ changes = [] }) => changes))
  return ({ LogServiceId = '' }) => {
    const wanted = namesLog(of, LogServiceId) ? logId(of) : LogServiceId
    const declared = own.find(({ id }) => id === wanted)
    return ['GET', ...(declared === undefined ? all : (declared.changes ?? []))]
  }
}

export function patchLogEntry(
  context: LogContext<'LogServiceId' | 'LogEntryId'> & { readonly body: { readonly Resolved?: boolean } }
): Outcome {
  const { resolve = notFound } = readableLog(context)
  const { Resolved } = context.body
  return changed(Resolved === undefined ? {} : resolve(context.params.LogEntryId, Resolved))
}

export function deleteLogEntry(context: LogContext<'LogServiceId' | 'LogEntryId'>): Outcome {
  const { remove = notFound } = readableLog(context)
  return changed(remove(context.params.LogEntryId))
}

/** The data that belongs to an entry. */
export function getAttachment(context: LogContext<'LogServiceId' | 'LogEntryId'>) {
  return { bytes: readableLog(context).attached?.(context.params.LogEntryId)?.bytes ?? notFound() }
}

/** The dump that an entry is. */
export function getDump(context: LogContext<'LogServiceId' | 'LogEntryId'>) {
  const { LogEntryId } = context.params
  if (readableLog(context).attached?.(LogEntryId)?.isDump !== true) notFound()
  return { dump: logKey(namedLog(context).log, Number(LogEntryId)) }
}

/** The writes that empty all logs of a manager or system that clients may empty. */
export function clearLogs(state: State, owner: LogOwner, id: string): Writes {
  return logs
    .filter(({ of }) => of === owner)
    .reduce<Writes>((so, { clear }) => merged(so, clear?.(state, id) ?? {}), {})
}

/** 200: the log is empty but for the event that says so. @throws MessageError 503 for one that is not known */
export function postClearLog(context: LogContext<'LogServiceId'>): Outcome {
  const { owner, declared } = namedLog(context)
  const clear = declared.clear ?? notFound()
  readableLog(context)
  const events = [event('MgmtEvents.LogCleared', `${owner.uri}/LogServices/${declared.id}`, context.caller.user)]
  return { ...changed(clear(context.state, owner.id)), events }
}
