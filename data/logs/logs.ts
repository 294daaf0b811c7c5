import { action, collection, flag, integer, oem, reference, resource, status, text } from '#data/resource'
import { lookUp, notFound, type State } from '#runtime/contract'

/** Each manager has one log, of what happens to the controller, and each system one, of what happens to the host. */
const logs = { Managers: 'EventLog', Systems: 'SystemLog' } as const

/** The vendor's name for the log of a manager, under which its tools look for it as well. */
export const vendorLog = 'MgmtEventLog'

export type LogOwner = keyof typeof logs

/** `DiagnosticDataType` (DSP0268, LogService), as far as it is collected. */
export const diagnosticDataTypes = ['Manager'] as const

/** The log of a manager or a system, as records know it. */
export function logPath(owner: LogOwner, id: string): string {
  return `${owner}/${id}/${logs[owner]}`
}

/** The id of the log that such an owner has. */
export function logId(owner: LogOwner): string {
  return logs[owner]
}

/** Whether an id in a path names the log that such an owner has. */
export function namesLog(owner: LogOwner, id: string): boolean {
  return id === logs[owner] || (owner === 'Managers' && id === vendorLog)
}

const digits = 10

/** The key of an entry's record: numbers sort as they count. */
export function logKey(log: string, number: number): string {
  return `${log}/${String(number).padStart(digits, '0')}`
}

/** The number of an entry by its record's key. */
export function logNumber(key: string): number {
  return Number(key.slice(-digits))
}

/** The canonical URI of an entry, without a trailing slash, by its record's key. */
export function logEntryUri(key: string): string {
  const [owner = '', id = '', log = ''] = key.split('/')
  return `/redfish/v1/${owner}/${encodeURIComponent(id)}/LogServices/${log}/Entries/${logNumber(key)}`
}

/** The keys of a log's records among those of all, oldest first. */
export function logKeys(keys: readonly string[], log: string): string[] {
  return keys.filter((key) => key.startsWith(`${log}/`))
}

/** The record of the entry that an `Id` in a path names. */
export function logEntryKey(log: string, id: string): string | undefined {
  return /^[1-9]\d{0,9}$/.test(id) ? logKey(log, Number(id)) : undefined
}

const collected = collection('LogService')

/** The logs of a manager or a system; the vendor's block is a manager's. */
export const logServices = {
  ...collected,
  properties: {
    ...collected.properties,
    Oem: oem('VendorLogServiceCollection.v1_0_0', {
      Links: { type: 'object', properties: { EventLog: reference } }
    })
  }
} as const

export const logService = {
  title: '#LogService.v1_7_0.LogService',
  description: 'A log and how it is kept',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    DateTime: { type: 'string', format: 'date-time', readonly: true },
    DateTimeLocalOffset: { type: 'string', readonly: true },
    Entries: reference,
    LogEntryType: { type: 'string', enum: ['Event'], nullable: true, readonly: true },
    MaxNumberOfRecords: integer,
    OverWritePolicy: { type: 'string', enum: ['WrapsWhenFull'], readonly: true },
    ServiceEnabled: flag,
    Status: status,
    Actions: {
      type: 'object',
      properties: {
        '#LogService.ClearLog': action(),
        '#LogService.CollectDiagnosticData': action('DiagnosticDataType')
      }
    }
  }
} as const

export const logEntry = {
  title: '#LogEntry.v1_16_0.LogEntry',
  type: 'object',
  required: [...resource.required, 'EntryType'],
  properties: {
    ...resource.properties,
    AdditionalDataSizeBytes: integer,
    AdditionalDataURI: { type: 'string', format: 'uri-reference', readonly: true },
    Created: { type: 'string', format: 'date-time', readonly: true },
    DiagnosticDataType: { type: 'string', enum: diagnosticDataTypes, nullable: true, readonly: true },
    EntryType: { type: 'string', enum: ['Event'], readonly: true },
    Message: text,
    MessageArgs: { type: 'array', items: text, readonly: true },
    MessageId: text,
    Modified: { type: 'string', format: 'date-time', readonly: true },
    Resolution: { type: 'string', readonly: true },
    Resolved: flag,
    Severity: { type: 'string', enum: ['OK', 'Warning', 'Critical'], nullable: true, readonly: true }
  }
} as const

const entries = collection('LogEntry')

/** A log's entries, each as a whole: clients read a log at once (DSP0268, LogEntryCollection). */
export const logEntries = {
  ...entries,
  properties: { ...entries.properties, Members: { type: 'array', items: logEntry, readonly: true } }
} as const

/** A log at its URI, with the time as its manager shows it. Diagnostic data is collected of managers only. */
export function showLogService(uri: string, owner: LogOwner, name: string, most: number, time: string, offset: string) {
  const allowed = { 'DiagnosticDataType@Redfish.AllowableValues': diagnosticDataTypes }
  return {
    Name: name,
    DateTime: time,
    DateTimeLocalOffset: offset,
    Entries: { '@odata.id': `${uri}/Entries/` },
    LogEntryType: 'Event',
    MaxNumberOfRecords: most,
    OverWritePolicy: 'WrapsWhenFull',
    ServiceEnabled: true,
    Actions: {
      '#LogService.ClearLog': {},
      ...(owner === 'Managers' && { '#LogService.CollectDiagnosticData': allowed })
    }
  } as const
}

/** An entry at its URI. */
export function showLogEntry(uri: string, log: string, key: string, state: LogState) {
  const { created, severity, text, messageId, args, resolved } = state.get('logEntry', key) ?? notFound()
  const attached = state.get('diagnosticData', log)
  return {
    ...(attached?.entry === key && {
      AdditionalDataSizeBytes: attached.size,
      AdditionalDataURI: `${uri}/Attachment`,
      DiagnosticDataType: diagnosticDataTypes[0]
    }),
    Name: 'Log entry',
    Description: 'What happened, and when',
    Created: created,
    EntryType: 'Event',
    Message: text,
    MessageArgs: [...args],
    MessageId: messageId,
    ...(resolved !== undefined && {
      ...(resolved !== null && { Modified: resolved }),
      Resolution: lookUp(messageId, args)?.resolution,
      Resolved: resolved !== null
    }),
    Severity: severity
  } as const
}

/**
 * The entries of a log, oldest first.
 *
 * @param uri of their collection, without a trailing slash
 */
export function showLogEntries(uri: string, log: string, state: LogState) {
  return logKeys(state.keys('logEntry'), log).map((key) => {
    const Id = String(logNumber(key))
    const identity = { '@odata.id': `${uri}/${Id}/`, '@odata.type': logEntry.title, Id }
    return { ...identity, ...showLogEntry(`${uri}/${Id}`, log, key, state) }
  })
}

type LogState = Pick<State, 'keys' | 'get'>
