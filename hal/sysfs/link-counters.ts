import type { LinkCounters } from '../ports.ts'
import { readNumber } from './read.ts'

/** The kernel's file of each counter (Linux, Documentation/ABI/testing/sysfs-class-net-statistics). */
const files: { readonly [C in keyof LinkCounters]: string } = {
  receivedBytes: 'rx_bytes',
  receivedFrames: 'rx_packets',
  receivedErrors: 'rx_errors',
  receivedDiscards: 'rx_dropped',
  sentBytes: 'tx_bytes',
  sentFrames: 'tx_packets',
  sentErrors: 'tx_errors',
  sentDiscards: 'tx_dropped'
}

/** The counters of a network device. @param folder its folder `statistics` @returns undefined if one cannot be read */
export function linkCounters(folder: string): LinkCounters | undefined {
  const values = Object.entries(files).map(([name, file]) => [name, readNumber(`${folder}/${file}`)])
  return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values)
}
