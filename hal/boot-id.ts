import { readFileSync } from 'node:fs'

/** The kernel's identifier of its own start (`random(4)`); undefined where there is none to read. */
export function readBootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
  }
}
