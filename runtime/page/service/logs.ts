import { useEffect } from 'preact/hooks'
import { type Known, valueIn } from '../rules/known.ts'
import type { Expanded, LogEntry } from '../types.ts'
import { textOf } from './messages.ts'
import { reread, useResource } from './resources.ts'
import { events } from './stream.ts'

/** The entries of a log, oldest first. They are read again with each event: most events are entries of a log. */
export function useEntries(at: string | Known<string>): Known<Expanded<LogEntry>> {
  const uri = typeof at === 'string' ? at : valueIn(at)
  const newest = events.value[0]?.EventId
  useEffect(() => {
    if (uri !== undefined && newest !== undefined) void reread(uri)
  }, [newest])
  return useResource<Expanded<LogEntry>>(at)
}

/** The text of an entry: its own, or that of its registry. */
export function entryText({ Message, MessageId, MessageArgs }: LogEntry): string {
  return textOf({
    MessageId: MessageId ?? '',
    MessageArgs: MessageArgs?.map(String) ?? [],
    ...(Message != null && { Message })
  }).text
}
