import { Listeners } from '#runtime/base/listeners.ts'
import type { PostCodes } from '../post-codes.ts'
import type { Power } from '../power.ts'
import type { SimPower } from './power.ts'

/** Plain JSON but for `host`. */
export interface SimPostCodesOptions {
  /** The host whose firmware reports. */
  readonly host: Power
}

/** In a board file. */
export const simPostCodesOptions = { type: 'object', properties: {} } as const

/** From the reset vector over processors, memory and devices to the choice of a boot option. */
const boot = [0x01, 0x10, 0x15, 0x19, 0x2b, 0x2f, 0x31, 0x4f, 0x60, 0x68, 0x78, 0x90, 0x92, 0x96, 0xa0]

/** The operating system is started; nothing is there to boot. */
const [ready, nothing] = [0xad, 0xd8]

/** The firmware of a simulated host reports the same codes at each boot. */
export function simPostCodes({ host }: SimPostCodesOptions): PostCodes {
  const listeners = new Listeners<Uint8Array>()
  const stop = host.on((event) => {
    if (event.type !== 'boot') return
    const last = (host as Partial<SimPower>).faults?.unbootable ? nothing : ready
    // All who listen to the power hear of the boot before.
    queueMicrotask(() => listeners.emit(Uint8Array.from([...boot, last])))
  })
  return {
    on: (listener) => listeners.add(listener),
    async close() {
      stop()
      listeners.clear()
    }
  }
}
