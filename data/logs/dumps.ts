import { busy, notFound, table } from '#runtime/contract'
import type { LogDeclaration } from './declaration.ts'
import { type LogOwner, logEntryKey, logKeys, logNumber, logPath } from './logs.ts'

declare module '#runtime/contract' {
  interface Tables {
    /** By `<log>/<number>`, the number with ten digits: dumps that another program has collected. */
    dump: Dump
    /** A dump that is being collected: by the id of its task. */
    dumpCollection: { log: string }
  }
  interface Machine {
    /**
     * Whether the dumps are known as they are, as they were when the program that has them was there last, or not at all.
     *
     * @param owner `Managers/<id>` or `Systems/<id>`, whose board file names such a program
     */
    dumps(owner: string): 'current' | 'last' | 'unknown'
  }
}

// No reset of the controller changes what another program has.
table('dump', { survives: ['restart', 'restStateReset', 'factoryReset'], waiting: 'all' })
table('dumpCollection', { survives: ['restart', 'restStateReset'] })

interface Dump {
  /** ISO 8601; absent if the program does not tell. */
  created?: string
  /** In bytes. */
  size: number
  isFailed: boolean
}

/** The type of the data in the dumps of a log (DSP0268, LogEntry). */
type Kind = { readonly DiagnosticDataType: 'Manager' | 'OEM'; readonly OEMDiagnosticDataType?: 'System' }

export const dumpsId = 'Dump'

const dumps = (of: LogOwner, name: string, shown: Kind) =>
  ({
    of,
    id: dumpsId,
    name,
    type: 'Event',
    isOn: ({ managers, systems }, owner) => (of === 'Managers' ? managers : systems)[owner]?.dumps !== undefined,
    changes: ['DELETE'],
    collects: { type: shown.DiagnosticDataType, isDump: true },
    isAvailable: (machine, owner) => machine.dumps(`${of}/${owner}`) === 'current',
    open({ state, machine }, owner) {
      if (machine.dumps(`${of}/${owner}`) === 'unknown') throw busy(1)
      const log = logPath(of, owner, dumpsId)
      const find = (id: string) => {
        const key = logEntryKey(log, id) ?? notFound()
        return { key, dump: state.get('dump', key) ?? notFound() }
      }
      return {
        ids: () => logKeys(state.keys('dump'), log).map((key) => String(logNumber(key))),
        entry(id) {
          const { created, isFailed } = find(id).dump
          return {
            ...(created !== undefined && { Created: created }),
            ...shown,
            EntryType: 'Event',
            Message: isFailed ? 'A dump could not be collected.' : 'A dump was collected.',
            Severity: isFailed ? 'Warning' : 'OK'
          }
        },
        attached(id) {
          const { size, isFailed } = find(id).dump
          return isFailed ? undefined : { size, isDump: true }
        },
        remove: (id) => ({ dump: { [find(id).key]: null } })
      }
    },
    clear: (state, owner) => ({
      dump: Object.fromEntries(logKeys(state.keys('dump'), logPath(of, owner, dumpsId)).map((key) => [key, null]))
    })
  }) satisfies LogDeclaration

/** Data of the controller, for its makers. */
export const managerDumps = dumps('Managers', 'Dumps of the controller', { DiagnosticDataType: 'Manager' })

/** Data of the host, likewise. */
export const systemDumps = dumps('Systems', 'Dumps of the host', {
  DiagnosticDataType: 'OEM',
  OEMDiagnosticDataType: 'System'
})
