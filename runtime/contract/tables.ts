/**
 * The record type of each table of the store. Each noun adds its tables beside their record types, and so may a handler
 * file: with `declare module '#runtime/contract' { interface Tables { … } }`, and with a call of `table`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: nouns add their tables to it.
export interface Tables {}

/** Ends that records may come to: the service stops, its REST state is cleared, its factory defaults are restored. */
export type Reset = 'restart' | 'restStateReset' | 'factoryReset'

/** The part that a reset to factory defaults can preserve (DSP0268, Manager.ResetToDefaults). */
export type Preserved = 'network' | 'users'

interface Declaration {
  readonly survives: readonly Reset[]
  /** Its records are the settings of the network, or the local users. */
  readonly of?: Preserved
  /** Changes that also count while only memory has them, because the disk refuses them; none where nothing is said. */
  readonly waiting?: 'all' | 'all but removals'
  /** Whether a change leads to room on the disk, so that a full disk takes it, as it takes removals. */
  readonly frees?: true
}

/** Of the program: tables are declared when their modules are read, before any service is open. */
const declared = new Map<string, Declaration>()

/** Says of a table which resets of the controller its records survive, and which changes may wait for the disk. */
export function table(name: keyof Tables, declaration: Declaration): void {
  declared.set(name, declaration)
}

/**
 * Whether the records of a table survive a reset. Records of unknown tables are removed by the factory defaults only.
 *
 * @param preserved what the factory defaults leave as it is
 */
export function survives(name: string, reset: Reset, preserved: readonly Preserved[] = []): boolean {
  const { survives, of } = declared.get(name) ?? {}
  if (reset === 'factoryReset' && of !== undefined && preserved.includes(of)) return true
  return survives?.includes(reset) ?? reset !== 'factoryReset'
}

/** Whether a change of a record of a table may wait for a disk that refuses to store it. */
export function mayWait(name: string, removal: boolean): boolean {
  const waiting = declared.get(name)?.waiting
  return waiting === 'all' || (waiting === 'all but removals' && !removal)
}

/** Whether a full disk takes changes of the records of a table, in the room that is kept for removals. */
export function frees(name: string): boolean {
  return declared.get(name)?.frees === true
}
