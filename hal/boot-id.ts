import { readFileSync } from 'node:fs'

/** The kernel's identifier of its own start (`random(4)`); undefined if it cannot be read. */
export function readBootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
  }
}
