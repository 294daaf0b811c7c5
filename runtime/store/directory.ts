import type { Configuration } from '#data/configuration'
import { log } from '#runtime/base/log.ts'
import type { Checkpoint } from './checkpoint.ts'
import { type Change, Database } from './database.ts'
import type { Disk } from './disk.ts'
import { text } from './level.ts'
import type { Receipt } from './receipt.ts'
import type { StoredState, Vouchers } from './recovery.ts'
import type { Entry } from './state.ts'
import { vouchForTables } from './tables.ts'

/** A LevelDB in a directory of its own, with a list that vouches for its tables and a copy beside it. */
export class Directory implements Disk {
  readonly #directory: string
  readonly #options: Configuration['store']
  readonly #checkpoint: Checkpoint
  readonly #receipt: Receipt
  readonly #database: Database
  #present: () => Iterable<Entry> = () => []
  #copiedAt = Number.NEGATIVE_INFINITY
  /** Whether something was stored since the last copy that is worth one: more than events and uses of sessions. */
  #isCopyDue: boolean
  /** Whether something was stored since the last receipt, as for a copy; at first, whether anything was. */
  #isReceiptDue = true
  /** The batch that the last receipt is for, of this start. */
  #receipted: number | undefined
  /** Whether there is no copy yet that is more than the mark of a beginning. */
  #isFirst: boolean
  onRefusal: (reason: Error | undefined) => void = () => undefined

  constructor(
    directory: string,
    { checkpoint, receipt }: Vouchers,
    options: Configuration['store'],
    found: StoredState
  ) {
    this.#directory = directory
    this.#options = options
    this.#checkpoint = checkpoint
    this.#receipt = receipt
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
    const isSetting = changes.some((each) => !each.mayWait)
    this.#isCopyDue ||= isSetting
    this.#isReceiptDue ||= isSetting
    if (this.#isFirst) this.#copyFirst()
    // The log is a new one, and after a loss the receipt is for batches that are gone.
    if (this.#receipted === undefined) this.#giveReceipt()
  }

  /** Before anything is acknowledged. Where that fails, the store has to do without the mark that nothing was. */
  #copyFirst(): void {
    const state = this.#database.state
    if (state === undefined) return
    try {
      this.#checkpoint.write(state, this.#present())
    } catch (error) {
      log.warning('the store was not copied', { cause: text(error) })
      this.#checkpoint.remove()
    }
    this.#isFirst = false
  }

  lendReserve(): void {
    this.#database.lendReserve()
  }

  async tend(): Promise<void> {
    await this.#database.tend()
    this.#vouch()
    if (this.#isReceiptDue) this.#giveReceipt()
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
      log.warning('the store was not copied', { cause: text(error) })
    }
  }

  async close(): Promise<void> {
    await this.#database.mend()
    if (this.#isCopyDue) this.copy()
    await this.#database.close()
    this.#vouch()
    this.#giveReceipt()
  }

  /** Like the list of tables, it only helps after damage. */
  #giveReceipt(): void {
    const commit = this.#database.state?.commit
    if (commit === undefined || commit === this.#receipted) return
    try {
      this.#receipt.write(commit)
      this.#receipted = commit
      this.#isReceiptDue = false
    } catch (error) {
      log.warning('the number of the last commit was not stored', { cause: text(error) })
    }
  }

  /** The list of tables only helps after damage: a failure is no reason to stop. */
  #vouch(): void {
    if (this.#database.state === undefined) return
    try {
      vouchForTables(this.#directory)
    } catch (error) {
      log.warning('the tables of the store were not listed', { cause: text(error) })
    }
  }
}
