import type { Change } from './database.ts'
import type { Entry } from './state.ts'

/** Where the entries of a store are durable: a directory of its own, or a part of a database that many stores share. */
export interface Disk {
  /** Why it takes no writes, while it does not. */
  readonly refusal: Error | undefined
  /** Called each time that it refuses, with the reason, and when it takes writes again. */
  onRefusal: (reason: Error | undefined) => void

  /** Tells it how memory has all entries; it asks only while no write is under way. To be called first, and once. */
  begin(present: () => Iterable<Entry>): Promise<void>

  /**
   * Settles when all changes are durable, as one batch; while the disk refuses, also when all of them may wait.
   *
   * @throws MessageError 507 when the disk is full, 503 when it refuses for another reason; memory has to stay as it is
   */
  write(changes: readonly Change[]): Promise<void>

  /** Leaves the room that it keeps for removals to other files, until it is tended. */
  lendReserve(): void

  /** To be called now and then, while no write is under way: makes good what was refused, and copies when it is time. */
  tend(): Promise<void>

  /** Replaces the last good copy now, where there are copies. */
  copy(): void

  /** Lets go of it. */
  close(): Promise<void>
}
