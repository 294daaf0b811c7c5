/**
 * The record type of each table of the store. Each noun adds its tables beside their record types, and so may a handler
 * file: with `declare module '#runtime/contract' { interface Tables { … } }`, and with a call of `table`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: nouns add their tables to it.
export interface Tables {}

/** Ends that records may come to: the service stops, its REST state is cleared, its factory defaults are restored. */
export type Reset = 'restart' | 'restStateReset' | 'factoryReset'

/** Of the program: tables are declared when their modules are read, before any service is open. */
const declared = new Map<string, readonly Reset[]>()

/** Says of a table which resets of the controller its records survive. */
export function table(name: keyof Tables, { survives }: { readonly survives: readonly Reset[] }): void {
  declared.set(name, survives)
}

/** Whether the records of a table survive a reset. Those that nobody knows any more go with the factory defaults only. */
export function survives(name: string, reset: Reset): boolean {
  return declared.get(name)?.includes(reset) ?? reset !== 'factoryReset'
}
