import { notFound } from '#runtime/contract'
import type { LogDeclaration, ShownEntry } from './declaration.ts'

declare module '#runtime/contract' {
  interface Services {
    /** The service's log. An answer that reads it is not cached. */
    serviceLog(): ServiceLog
  }
}

interface ServiceLog {
  /** The last lines, oldest first, each as JSON. */
  readonly lines: readonly string[]
  /** How many have given way to them. */
  readonly dropped: number
}

/** The log of the service: the lines that it writes to standard error as well, up to a number of characters. */
export const journal: LogDeclaration = {
  of: 'Managers',
  id: 'Journal',
  name: 'Journal of the service',
  type: 'OEM',
  reading: 'MgmtConfigPriv',
  open({ serviceLog }) {
    const { lines, dropped } = serviceLog()
    const find = (id: string) =>
      (/^[1-9]\d{0,14}$/.test(id) ? lines[Number(id) - dropped - 1] : undefined) ?? notFound()
    return {
      ids: () => lines.map((_, index) => String(dropped + index + 1)),
      entry: (id) => showLine(find(id))
    }
  }
}

const severities: { readonly [level: string]: 'Critical' | 'Warning' } = { error: 'Critical', warning: 'Warning' }

/** A line: its message, followed by its fields. A line in another format is shown unchanged. */
function showLine(line: string): ShownEntry {
  const { time, level = '', message, ...fields } = parse(line) as Readonly<Record<string, string | undefined>>
  const named = Object.entries(fields).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
  )
  return {
    ...(time !== undefined && { Created: time }),
    EntryType: 'Oem',
    Message: message === undefined ? line : [message, ...named].join('; '),
    OemRecordFormat: 'Vendor service log',
    Severity: severities[level] ?? 'OK'
  }
}

function parse(line: string): object {
  try {
    const parsed: unknown = JSON.parse(line)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}
