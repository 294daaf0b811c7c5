import { link, lookUp, notFound, type State } from '#runtime/contract'
import type { LogDeclaration } from './declaration.ts'
import { clearLog } from './entries.ts'
import { diagnosticDataTypes, type LogOwner, logEntryKey, logId, logKeys, logNumber, logPath } from './logs.ts'
import type { LogEntry } from './records.ts'
import { selRecord, selSubject, showSel } from './sel-record.ts'

/** Logs whose entries are records, one for each event. */
const stored = (of: LogOwner, id: string) =>
  ({
    of,
    id,
    most: ({ limits }) => limits.logEntries,
    clear: (state, owner) => clearLog(state, logPath(of, owner, id))
  }) satisfies Partial<LogDeclaration>

/** The records of a log. */
function records(state: State, log: string) {
  return {
    ids: () => logKeys(state.keys('logEntry'), log).map((key) => String(logNumber(key))),
    /** @throws MessageError 404 */
    find(id: string) {
      const key = logEntryKey(log, id) ?? notFound()
      return { key, entry: state.get('logEntry', key) ?? notFound() }
    }
  }
}

const eventLog = (of: LogOwner, name: string): LogDeclaration => ({
  ...stored(of, logId(of)),
  name,
  type: 'Event',
  open({ state }, owner) {
    const log = logPath(of, owner)
    const { ids, find } = records(state, log)
    const collected = state.get('diagnosticData', log)
    return {
      ids,
      entry(id) {
        const { key, entry } = find(id)
        const { messageId, args, origin, resolved } = entry
        return {
          ...common(entry),
          ...(collected?.entry === key && { DiagnosticDataType: diagnosticDataTypes[0] }),
          EntryType: 'Event',
          ...(origin !== undefined && { Links: { OriginOfCondition: link(origin) } }),
          MessageArgs: [...args],
          MessageId: messageId,
          ...(resolved !== undefined && {
            ...(resolved !== null && { Modified: resolved }),
            Resolution: lookUp(messageId, args)?.resolution,
            Resolved: resolved !== null
          })
        }
      },
      attached: (id) => (collected?.entry === find(id).key ? { size: collected.size } : undefined)
    }
  }
})

const common = ({ created, severity, text }: LogEntry) => ({ Created: created, Message: text, Severity: severity })

export const systemLog = eventLog('Systems', 'System log of the host')

export const managerLog = {
  ...eventLog('Managers', 'Mgmt Event Log'),
  collects: { type: 'Manager', isDump: false }
} as const

/** The events of sensors of a host and of its chassis, as IPMI has them. */
export const sel: LogDeclaration = {
  ...stored('Systems', 'SEL'),
  name: 'System event log (IPMI)',
  type: 'SEL',
  open({ state }, owner) {
    const log = logPath('Systems', owner, 'SEL')
    const { ids, find } = records(state, log)
    const ends = endsOf(state, log)
    return {
      ids,
      entry(id) {
        const { key, entry } = find(id)
        const ended = ends.get(key)
        return {
          ...common(entry),
          ...showSel(entry.sel ?? notFound()),
          ...(ended && { Modified: ended.created }),
          ...(entry.severity !== 'OK' && { Resolved: ended !== undefined })
        }
      },
      attached(id) {
        const { entry } = find(id)
        const bytes = selRecord(Number(id), entry.created, entry.sel ?? notFound())
        return { size: bytes.length, bytes }
      }
    }
  }
}

/** By the key of an entry of a log that has begun something: the next entry that ends it. From the newest to the oldest. */
function endsOf(state: State, log: string): ReadonlyMap<string, LogEntry> {
  const next = new Map<string, LogEntry>()
  const ends = new Map<string, LogEntry>()
  for (const key of logKeys(state.keys('logEntry'), log).reverse()) {
    const entry = state.get('logEntry', key)
    if (entry?.sel === undefined) continue
    const { subject, isEnd } = selSubject(entry.sel)
    const end = next.get(subject)
    if (isEnd) next.set(subject, entry)
    else if (end !== undefined) ends.set(key, end)
  }
  return ends
}
