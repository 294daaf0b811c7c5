import { utf8 } from '#runtime/base/bytes.ts'
import { busy, notFound, type Tables, table } from '#runtime/contract'
import type { LogDeclaration } from './declaration.ts'
import { logEntryKey, logKeys, logNumber } from './logs.ts'

declare module '#runtime/contract' {
  interface Tables {
    /** By `<system>/<number>`, the number with ten digits: entries of the log that another program has. */
    machineLogEntry: MachineLogEntry
  }
  interface Machine {
    /**
     * Whether the log that another program has is known as it is, as it was when the program was there last, or not at all.
     *
     * @param system a system whose board file names such a log
     */
    eventLog(system: string): 'current' | 'last' | 'unknown'
  }
}

// No reset of the controller changes what another program has.
table('machineLogEntry', { survives: ['restart', 'restStateReset', 'factoryReset'], waiting: 'all' })

/** Members that the program does not tell are absent. */
interface MachineLogEntry {
  /** ISO 8601. */
  created?: string
  modified?: string
  severity?: 'OK' | 'Warning' | 'Critical'
  text?: string
  resolution?: string
  resolved: boolean
  /** By names that the program has chosen. */
  data: Readonly<Record<string, string>>
}

/** The log of the whole machine, in which other programs note what happens. */
export const machineLog: LogDeclaration = {
  of: 'Systems',
  id: 'EventLog',
  name: 'Event log of the machine',
  type: 'Event',
  isOn: ({ systems }, owner) => systems[owner]?.eventLog !== undefined,
  changes: ['PATCH', 'DELETE'],
  isAvailable: (machine, owner) => machine.eventLog(owner) === 'current',
  open({ state, machine }, owner) {
    if (machine.eventLog(owner) === 'unknown') throw busy(1)
    const find = (id: string) => {
      const key = logEntryKey(owner, id) ?? notFound()
      return { key, entry: state.get('machineLogEntry', key) ?? notFound() }
    }
    return {
      ids: () => logKeys(state.keys('machineLogEntry'), owner).map((key) => String(logNumber(key))),
      entry: (id) => show(find(id).entry),
      attached(id) {
        const bytes = utf8(lines(find(id).entry.data))
        return bytes.length === 0 ? undefined : { size: bytes.length, bytes }
      },
      resolve: (id, resolved) => ({ machineLogEntry: { [find(id).key]: { resolved } } }),
      remove: (id) => ({ machineLogEntry: { [find(id).key]: null } })
    }
  },
  clear: (state, owner) => ({
    machineLogEntry: Object.fromEntries(logKeys(state.keys('machineLogEntry'), owner).map((key) => [key, null]))
  })
}

function show({ created, modified, severity, text, resolution, resolved }: Tables['machineLogEntry']) {
  return {
    ...(created !== undefined && { Created: created }),
    EntryType: 'Event',
    ...(text !== undefined && { Message: text }),
    ...(modified !== undefined && { Modified: modified }),
    ...(resolution !== undefined && { Resolution: resolution }),
    Resolved: resolved,
    ...(severity !== undefined && { Severity: severity })
  } as const
}

function lines(data: Readonly<Record<string, string>>): string {
  return Object.entries(data)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}
