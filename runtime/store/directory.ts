import type { Configuration } from '#data/configuration'
import type { Checkpoint } from './checkpoint.ts'
import { type Change, Database } from './database.ts'
import type { Disk } from './disk.ts'
import { text } from './level.ts'
import { log } from './log.ts'
import type { Found } from './recovery.ts'
import type { Entry } from './state.ts'
import { vouchForTables } from './tables.ts'

/** A LevelDB in a directory of its own, with a list that vouches for its tables and a copy beside it. */
export class Directory implements Disk {
  readonly #directory: string
  readonly #options: Configuration['store']
  readonly #checkpoint: Checkpoint
  readonly #database: Database
  #present: () => Iterable<Entry> = () => []
  #copiedAt = Number.NEGATIVE_INFINITY
  /** Whether something was stored since the last copy that is worth one: more than events and uses of sessions. */
  #isCopyDue: boolean
  /** Whether there is no copy yet that is more than the mark of a beginning. */
  #isFirst: boolean
  onRefusal: (reason: Error | undefined) => void = () => undefined

  constructor(directory: string, checkpoint: Checkpoint, options: Configuration['store'], found: Found) {
    this.#directory = directory
    this.#options = options
    this.#checkpoint = checkpoint
    this.#database = new Database(directory, options, found, () => this.#present())
    this.#database.onRefusal = (reason) => this.onRefusal(reason)
    this.#isFirst = found.isCopied !== true
    this.#isCopyDue = found.loss !== undefined || this.#isFirst
  }

  get refusal(): Error | undefined {
    return this.#database.refusal
  }

  async begin(present: () => Iterable<Entry>): Promise<void> {
    this.#present = present
    await this.#database.mend()
    this.#vouch()
  }

  async write(changes: readonly Change[]): Promise<void> {
    await this.#database.write(changes)
    this.#isCopyDue ||= changes.some((each) => !each.mayWait)
    if (this.#isFirst) this.#copyFirst()
  }

  /** Before anything is acknowledged. Where that fails, the store has to do without the mark that nothing was. */
  #copyFirst(): void {
    const state = this.#database.state
    if (state === undefined) return
    try {
      this.#checkpoint.write(state, this.#present())
    } catch (error) {
      log('warning', 'the store was not copied', { cause: text(error) })
      this.#checkpoint.remove()
    }
    this.#isFirst = false
  }

  async tend(): Promise<void> {
    await this.#database.mend()
    this.#vouch()
    if (this.#isCopyDue && performance.now() - this.#copiedAt >= this.#options.checkpointEvery * 1000) this.copy()
  }

  copy(): void {
    const state = this.#database.state
    if (state === undefined) return
    this.#copiedAt = performance.now()
    try {
      this.#checkpoint.write(state, this.#present())
      this.#isCopyDue = false
    } catch (error) {
      log('warning', 'the store was not copied', { cause: text(error) })
    }
  }

  async close(): Promise<void> {
    await this.#database.mend()
    if (this.#isCopyDue) this.copy()
    await this.#database.close()
    this.#vouch()
  }

  /** The list of tables only helps after damage: a failure is no reason to stop. */
  #vouch(): void {
    if (this.#database.state === undefined) return
    try {
      vouchForTables(this.#directory)
    } catch (error) {
      log('warning', 'the tables of the store were not listed', { cause: text(error) })
    }
  }
}
