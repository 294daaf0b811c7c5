import type { Caller, Command, Document, File, Outcome, Writes } from './handler.ts'
import { type Message, message } from './messages.ts'

/** 200 with `Success`: the change is stored, and the commands are carried out. */
export function changed(writes: Writes, ...commands: readonly Command[]): Outcome {
  return { status: 200, messages: [message('Base.Success')], writes, commands }
}

/** 200 with `SystemResetRequired`: what was asked for is stored, and waits for the host to be reset. */
export function deferred(writes: Writes): Outcome {
  return { status: 200, messages: [message('Mgmt.SystemResetRequired')], writes }
}

/** 200 with `Success`, or with the message given: the commands are carried out; nothing is stored. */
export function done(commands: readonly Command[] = [], text: Message = message('Base.Success')): Outcome {
  return { status: 200, messages: [text], commands }
}

/** 201 with `Created` and a Location; with `show`, the new resource as that caller sees it. */
export function created(
  location: string,
  writes: Writes,
  more: { readonly show?: Caller; readonly headers?: Readonly<Record<string, string>> } = {}
): Outcome {
  return { status: 201, messages: [message('Base.Created')], location, writes, ...more }
}

/** 202 with a Location: the work goes on as a task, which is shown as that caller sees it (DSP0266 7.12). */
export function accepted(location: string, writes: Writes, show: Caller): Outcome {
  return { status: 202, messages: [message('TaskEvent.TaskStarted', lastSegment(location))], location, writes, show }
}

function lastSegment(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1)
}

/** A link to a resource in its one canonical form, which ends with a slash. */
export function link(uri: string): { '@odata.id': string } {
  return { '@odata.id': `${uri}/` }
}

/** The members of a collection by their ids, in order. The runtime pages, filters and expands them. */
export function members(uri: string, ids: readonly string[]): { Members: { '@odata.id': string }[] } {
  return { Members: ids.map((id) => link(`${uri}/${encodeURIComponent(id)}`)) }
}

/**
 * A file made at build time, sent as it is stored.
 *
 * @param describedBy the URI of its schema
 */
export function file(type: string, document: Document, describedBy?: string): File {
  return { ...document, type, describedBy }
}
