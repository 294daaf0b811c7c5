import { lookUp, notFound, type State } from '#runtime/contract'
import type { LogDeclaration, LogSources } from './declaration.ts'
import { clearLog } from './entries.ts'
import { diagnosticDataTypes, type LogOwner, logEntryKey, logId, logKeys, logNumber, logPath } from './logs.ts'
import type { LogEntry } from './records.ts'
import { endsSel, selRecord, showSel } from './sel-record.ts'

/** Logs whose entries are records, one for each event. */
const stored = (of: LogOwner, id: string) =>
  ({
    of,
    id,
    most: ({ limits }) => limits.logEntries,
    ids: ({ state }, owner) =>
      logKeys(state.keys('logEntry'), logPath(of, owner, id)).map((key) => String(logNumber(key))),
    clear: (state, owner) => clearLog(state, logPath(of, owner, id))
  }) satisfies Partial<LogDeclaration>

function find({ state }: LogSources, of: LogOwner, owner: string, log: string, id: string) {
  const key = logEntryKey(logPath(of, owner, log), id) ?? notFound()
  return { key, entry: state.get('logEntry', key) ?? notFound() }
}

const eventLog = (of: LogOwner, name: string): LogDeclaration => ({
  ...stored(of, logId(of)),
  name,
  type: 'Event',
  entry(sources, owner, id) {
    const { key, entry } = find(sources, of, owner, logId(of), id)
    const { messageId, args, resolved } = entry
    const collected = sources.state.get('diagnosticData', logPath(of, owner))?.entry === key
    return {
      ...common(entry),
      ...(collected && { DiagnosticDataType: diagnosticDataTypes[0] }),
      EntryType: 'Event',
      MessageArgs: [...args],
      MessageId: messageId,
      ...(resolved !== undefined && {
        ...(resolved !== null && { Modified: resolved }),
        Resolution: lookUp(messageId, args)?.resolution,
        Resolved: resolved !== null
      })
    }
  },
  attached(sources, owner, id) {
    const data = sources.state.get('diagnosticData', logPath(of, owner))
    return data?.entry === find(sources, of, owner, logId(of), id).key ? { size: data.size } : undefined
  }
})

const common = ({ created, severity, text }: LogEntry) => ({ Created: created, Message: text, Severity: severity })

export const systemLog = eventLog('Systems', 'System log of the host')

export const managerLog = { ...eventLog('Managers', 'Mgmt Event Log'), collects: true } as const

/** The events of sensors of a host and of its chassis, as IPMI has them. */
export const sel: LogDeclaration = {
  ...stored('Systems', 'SEL'),
  name: 'System event log (IPMI)',
  type: 'SEL',
  entry(sources, owner, id) {
    const { key, entry } = find(sources, 'Systems', owner, 'SEL', id)
    const packed = entry.sel ?? notFound()
    const ended = endOf(sources.state, key, packed)
    return {
      ...common(entry),
      ...showSel(packed),
      ...(ended && { Modified: ended.created }),
      ...(entry.severity !== 'OK' && { Resolved: ended !== undefined })
    }
  },
  attached(sources, owner, id) {
    const { entry } = find(sources, 'Systems', owner, 'SEL', id)
    const bytes = selRecord(Number(id), entry.created, entry.sel ?? notFound())
    return { size: bytes.length, bytes }
  }
}

/** The later entry of the same log that ends what an entry has begun. */
function endOf(state: Pick<State, 'keys' | 'get'>, key: string, begun: string): LogEntry | undefined {
  const later = state.keys('logEntry').filter((each) => each.startsWith(key.slice(0, -10)) && each > key)
  return later
    .map((each) => state.get('logEntry', each))
    .find((each): each is LogEntry => each?.sel !== undefined && endsSel(each.sel, begun))
}
