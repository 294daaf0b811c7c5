import { action, child, collection, flag, integer, oem, reference, resource, status, text } from '#data/resource'
import { list, object } from '#runtime/schema'
import { entryCodes, sensorTypes } from './sel-record.ts'

/** The log of what happens to each controller, and to each host. */
const mainLogs = { Managers: 'EventLog', Systems: 'SystemLog' } as const

/** The vendor's name for the log of a manager, under which its tools look for it as well. */
export const vendorLog = 'MgmtEventLog'

export type LogOwner = keyof typeof mainLogs

/** `DiagnosticDataType` (DSP0268, LogService), as far as it is collected: of a controller, and of a host. */
export const diagnosticDataTypes = ['Manager', 'OEM'] as const

/** `OEMDiagnosticDataType`: what a host's is. */
export const oemDiagnosticDataTypes = ['System'] as const

/** A log of a manager or a system, as records know it: by default that of its events. */
export function logPath(owner: LogOwner, id: string, log: string = mainLogs[owner]): string {
  return `${owner}/${id}/${log}`
}

/** The id of the log of events that such an owner has. */
export function logId(owner: LogOwner): string {
  return mainLogs[owner]
}

/** Whether an id in a path names the log of events that such an owner has. */
export function namesLog(owner: LogOwner, id: string): boolean {
  return id === mainLogs[owner] || (owner === 'Managers' && id === vendorLog)
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
  return `${logUri(owner as LogOwner, id, log)}/Entries/${logNumber(key)}`
}

/** The canonical URI of a log, without a trailing slash: by default that of its events. */
export function logUri(owner: LogOwner, id: string, log: string = mainLogs[owner]): string {
  return `/redfish/v1/${owner}/${encodeURIComponent(id)}/LogServices/${log}`
}

/** Whether a URI is that of an entry of a log, or leads there. */
export function isInLog(uri: string): boolean {
  return /\/LogServices\/[^/]+\/Entries\//.test(uri)
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
      Links: object({ EventLog: reference })
    })
  }
} as const

/** `CollectDiagnosticData`: each log allows types of its own. */
const collect = action('LogService.CollectDiagnosticData')
const allowed = { type: 'array', items: { type: 'string' }, readonly: true } as const

export const logService = resource('LogService.v1_7_0', 'A log and how it is kept', {
  DateTime: { type: 'string', format: 'date-time', readonly: true },
  DateTimeLocalOffset: { type: 'string', readonly: true },
  Entries: child('Entries'),
  LogEntryType: { type: 'string', enum: ['Event', 'SEL', 'OEM'], nullable: true, readonly: true },
  MaxNumberOfRecords: integer,
  OverWritePolicy: { type: 'string', enum: ['WrapsWhenFull'], readonly: true },
  ServiceEnabled: flag,
  Status: status,
  Actions: object({
    '#LogService.ClearLog': action('LogService.ClearLog'),
    '#LogService.CollectDiagnosticData': {
      ...collect,
      properties: {
        ...collect.properties,
        'DiagnosticDataType@Redfish.AllowableValues': allowed,
        'OEMDiagnosticDataType@Redfish.AllowableValues': allowed
      }
    }
  })
})

export const logEntry = resource('LogEntry.v1_16_0', 'An entry of a log', ['EntryType'], {
  AdditionalDataSizeBytes: integer,
  AdditionalDataURI: { type: 'string', format: 'uri-reference', readonly: true },
  Created: { type: 'string', format: 'date-time', readonly: true },
  DiagnosticDataType: { type: 'string', enum: diagnosticDataTypes, nullable: true, readonly: true },
  EntryCode: { type: 'string', enum: entryCodes, nullable: true, readonly: true },
  EntryType: { type: 'string', enum: ['Event', 'SEL', 'Oem'], readonly: true },
  GeneratorId: text,
  Links: object({ OriginOfCondition: reference }),
  Message: text,
  MessageArgs: list(text),
  MessageId: text,
  Modified: { type: 'string', format: 'date-time', readonly: true },
  OEMDiagnosticDataType: { type: 'string', enum: oemDiagnosticDataTypes, readonly: true },
  OemRecordFormat: text,
  Resolution: { type: 'string', readonly: true },
  Resolved: { type: 'boolean', readonly: false },
  SensorNumber: integer,
  SensorType: { type: 'string', enum: sensorTypes, nullable: true, readonly: true },
  Severity: { type: 'string', enum: ['OK', 'Warning', 'Critical'], nullable: true, readonly: true }
})

const entries = collection('LogEntry')

/** A log's entries, each as a whole: clients read a log at once (DSP0268, LogEntryCollection). */
export const logEntries = {
  ...entries,
  properties: { ...entries.properties, Members: list(logEntry) }
} as const
