import {
  appendEntries,
  diagnosticDataTypes,
  type LogContext,
  logEntryKey,
  logKeys,
  namedLog,
  oemDiagnosticDataTypes
} from '#data/logs'
import { beginTask } from '#data/tasks'
import { components, runningVersion } from '#data/updates'
import { utf8 } from '#runtime/base/bytes.ts'
import {
  created,
  fail,
  list,
  message,
  messageText,
  notFound,
  type Outcome,
  object,
  registryVersion,
  type Tables
} from '#runtime/contract'
import type { Infer } from '#runtime/schema'

const action = 'LogService.CollectDiagnosticData'

/**
 * The tables whose records say how the controller is set up, and hold nothing secret. Those of accounts, sessions, keys,
 * subscriptions, licenses, variables and BIOS settings are left out, and those with URIs of clients: they may hold passwords.
 */
const told = [
  'boot',
  'chassis',
  'clock',
  'controller',
  'discovery',
  'hostNames',
  'hostPending',
  'hostWatchdog',
  'httpsPort',
  'managerIdentity',
  'minimumVersion',
  'portSettings',
  'portTrial',
  'recovery',
  'system',
  'temperatureThreshold'
] as const satisfies readonly (keyof Tables)[]

const text = { type: 'string', readonly: true } as const

const rows = <const N extends string>(...names: readonly N[]) => {
  const properties = Object.fromEntries(names.map((name) => [name, text])) as { readonly [K in N]: typeof text }
  return list({ type: 'object', properties })
}

/** The data for diagnosing a controller. */
export const diagnosticData = object({
  Created: text,
  Board: text,
  Configuration: { ...text, description: 'As JSON' },
  Versions: rows('Id', 'Version'),
  ServiceLog: { type: 'array', items: text, description: 'Its last lines, each as JSON', readonly: true },
  Log: rows('Log', 'Created', 'Severity', 'MessageId', 'Message'),
  State: rows('Table', 'Key', 'Record')
})

export const diagnosticDataRequest = object(['DiagnosticDataType'], {
  DiagnosticDataType: { type: 'string', enum: diagnosticDataTypes },
  OEMDiagnosticDataType: { type: 'string', enum: oemDiagnosticDataTypes }
})

type Named<P extends string = never> = LogContext<'LogServiceId' | P>
type Request = Named & { readonly body: Infer<typeof diagnosticDataRequest> }

/**
 * 202 with a task, where the program that has the log collects; otherwise 201.
 *
 * @throws MessageError 400 for data that is not collected into this log
 */
export function postCollectDiagnosticData(context: Request): Outcome {
  const { log, declared, owner } = namedLog(context)
  const { type, isDump } = declared.collects ?? notFound()
  const { DiagnosticDataType, OEMDiagnosticDataType } = context.body
  if (DiagnosticDataType !== type)
    fail(400, 'Base.ActionParameterValueNotInList', DiagnosticDataType, 'DiagnosticDataType', action)
  if (type === 'OEM' && OEMDiagnosticDataType === undefined)
    fail(400, 'Base.ActionParameterMissing', action, 'OEMDiagnosticDataType')
  if (type !== 'OEM' && OEMDiagnosticDataType !== undefined)
    fail(400, 'Base.ActionParameterNotSupported', 'OEMDiagnosticDataType', action)
  if (!isDump) return collectHere(context)
  const id = context.random(8)
  const name = `Dump of ${owner.kind === 'Managers' ? 'manager' : 'system'} ${owner.id}`
  return beginTask(context, id, { name }, { dumpCollection: { [id]: { log } } })
}

/** 201: the last entry of the log leads to what was collected, which takes the place of what was collected before. */
function collectHere(context: Named): Outcome {
  const { log } = namedLog(context)
  const { state, caller, configuration } = context
  const collected = message('MgmtEvents.DiagnosticDataCollected', caller.user)
  const text = collect(context)
  const added = {
    created: context.now().toISOString(),
    severity: 'OK',
    text: messageText(collected),
    messageId: `MgmtEvents.${registryVersion('MgmtEvents')}.DiagnosticDataCollected`,
    args: collected.args
  } as const
  const writes = appendEntries(state, log, [added], configuration.limits.logEntries)
  const entry = logKeys(Object.keys(writes.logEntry ?? {}), log)
    .sort()
    .at(-1)!
  const uri = context.uri.slice(0, context.uri.indexOf('/Actions/'))
  // It is sent with a newline at its end.
  const size = utf8(text).length + 1
  return created(`${uri}/Entries/${Number(entry.slice(log.length + 1))}`, {
    ...writes,
    diagnosticData: { [log]: { entry, text, size } }
  })
}

export function getDiagnosticData(context: Named<'LogEntryId'>) {
  const { log } = namedLog(context)
  const { entry, text } = context.state.get('diagnosticData', log) ?? notFound()
  if (logEntryKey(log, context.params.LogEntryId) !== entry) notFound()
  return JSON.parse(text)
}

function collect({ machine, state, configuration, serviceLog, now }: Named): string {
  const { board } = machine
  return JSON.stringify({
    Created: now().toISOString(),
    Board: board.name,
    Configuration: JSON.stringify(configuration),
    Versions: components(board).map(({ id, version }) => ({ Id: id, Version: runningVersion(machine, id, version) })),
    ServiceLog: serviceLog().lines,
    Log: state.keys('logEntry').flatMap((key) => {
      const { created, severity, messageId, text } = state.get('logEntry', key) ?? notFound()
      const [Log, Created, Severity] = [key.slice(0, key.lastIndexOf('/')), created, severity]
      return { Log, Created, Severity, MessageId: messageId, Message: text }
    }),
    State: told.flatMap((Table) =>
      state.keys(Table).map((Key) => ({ Table, Key, Record: JSON.stringify(state.get(Table, Key)) }))
    )
  })
}
