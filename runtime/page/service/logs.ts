import { useEffect } from 'preact/hooks'
import { type Known, optional, partOf, together, valueIn } from '../rules/known.ts'
import type { Expanded, LogEntry, LogService, Manager, System } from '../types.ts'
import { useManager, useSystem } from './machine.ts'
import { textOf } from './messages.ts'
import { reread, useMembers, useResources } from './resources.ts'
import { events } from './stream.ts'

/** The logs of the system that is shown, and of its manager. */
export function useLogs(): Known<readonly LogService[]> {
  const system = useMembers<LogService>(partOf(useSystem(), ({ LogServices }) => LogServices))
  const manager = useMembers<LogService>(partOf(useManager(), ({ LogServices }) => LogServices))
  const both = together(optional(system), optional(manager))
  return partOf(both, ([ofSystem = [], ofManager = []]) => {
    const all = [...ofSystem, ...ofManager].filter(({ Entries }) => Entries !== undefined)
    return all.length === 0 ? undefined : all
  })
}

/** The entries of some logs, each oldest first. They are read again with each event: most events are entries of a log. */
export function useEntries(of: readonly LogService[]): readonly Known<readonly LogEntry[]>[] {
  const uris = of.flatMap(({ Entries }) => Entries?.['@odata.id'] ?? [])
  const newest = events.value[0]?.EventId
  useEffect(() => {
    if (newest !== undefined) for (const uri of uris) void reread(uri)
  }, [newest])
  return useResources<Expanded<LogEntry>>(uris).map((each) => partOf(each, ({ Members }) => Members))
}

/** The entries of the first log of the system, or of the manager if the system has no log. */
export function useFirstEntries(): Known<readonly LogEntry[]> {
  const [system, manager] = [useSystem(), useManager()]
  const owner: Known<System | Manager> = system.state === 'absent' ? manager : system
  const services = useMembers<LogService>(partOf(owner, ({ LogServices }) => LogServices))
  const [entries] = useEntries((valueIn(services) ?? []).slice(0, 1))
  return entries ?? partOf(services, (): readonly LogEntry[] | undefined => undefined)
}

/** The text of an entry: its own, or that of its registry. */
export function entryText({ Message, MessageId, MessageArgs }: LogEntry): string {
  return textOf({
    MessageId: MessageId ?? '',
    MessageArgs: MessageArgs?.map(String) ?? [],
    ...(Message != null && { Message })
  }).text
}
