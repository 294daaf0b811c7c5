import { utf8 } from '#runtime/base/bytes.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Console } from '../console.ts'
import { HalError } from '../errors.ts'
import type { Power } from '../power.ts'
import type { SimPower } from './power.ts'

/** Plain JSON but for `host`. */
export interface SimConsoleOptions {
  /** The host that the console is of: it is silent while that is off. */
  readonly host: Power
  readonly name: string
}

/** In a board file. */
export const simConsoleOptions = { type: 'object', properties: {} } as const

const enter = 0x0d
const unbootable = 'BdsDxe: No bootable option or device was found.\r\n'
const prompt = '\r\nlogin: '

/**
 * The console of a simulated host: its firmware says that it starts, and then a terminal echoes what is typed. After a
 * break it names the command of SysRq.
 */
export function simConsole({ host, name }: SimConsoleOptions): Console {
  const listeners = new Listeners<Uint8Array>()
  const say = (text: string) => listeners.emit(utf8(text))
  let closed = false
  let isAfterBreak = false
  const stop = host.on((event) => {
    if (event.type !== 'boot') return
    const { cause } = event
    // All who listen to the power hear of the boot before.
    queueMicrotask(() => {
      say(`\x1b[2J\x1b[HThe firmware starts (${cause}).\r\n`)
      if ((host as Partial<SimPower>).faults?.unbootable) return say(unbootable)
      say(`BdsDxe: loading Boot0001 "Disk"\r\nBdsDxe: starting Boot0001 "Disk"\r\n${prompt}`)
    })
  })
  const checkOpen = () => {
    if (closed || host.state === 'Off') throw new HalError('ENODEV', `${name}: nothing listens`)
  }
  return {
    write(bytes) {
      checkOpen()
      if (isAfterBreak) say(`\r\nsysrq: ${String.fromCharCode(bytes[0]!)}\r\n`)
      isAfterBreak = false
      listeners.emit(bytes)
      if (bytes.includes(enter)) say(prompt)
    },
    async sendBreak() {
      checkOpen()
      isAfterBreak = true
    },
    on: (listener) => listeners.add(listener),
    async close() {
      closed = true
      stop()
      listeners.clear()
    }
  }
}
