import { HalError } from '#hal/errors.ts'
import type { Nvram, NvramHealth } from '#hal/nvram.ts'
import { type Faults, Gate } from '#hal/sim/faults.ts'

/** Faults that every operation on a store meets. */
export interface NvramFaults extends Faults {
  /** While set, the store is not sound: the sentence in its `health`. */
  damaged?: string | undefined
}

/** A store whose operations meet `faults` before they begin. @param timeout milliseconds until one that hangs fails */
export function faultyNvram(nvram: Nvram, faults: NvramFaults, timeout: number): Nvram {
  const gate = new Gate('nvram', faults, timeout)
  const accept = async (operation: string) => {
    await gate.accept(operation)
    if (faults.damaged !== undefined && operation !== 'release') throw new HalError('EROFS', `nvram: ${faults.damaged}`)
  }
  return {
    get health(): NvramHealth {
      return faults.damaged === undefined ? nvram.health : { state: 'damaged', faults: [faults.damaged] }
    },
    get space() {
      return nvram.space
    },
    list: () => nvram.list(),
    get: (name, guid) => nvram.get(name, guid),
    async acquire() {
      await accept('acquire')
      await nvram.acquire()
    },
    async set(changes) {
      await accept('set')
      await nvram.set(changes)
    },
    async reset() {
      await gate.accept('reset')
      await nvram.reset()
    },
    async release() {
      await accept('release')
      await nvram.release()
    },
    async close() {
      await gate.accept('close')
      gate.close()
      await nvram.close()
    }
  }
}
