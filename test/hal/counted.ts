import type { Flash } from '#hal/flash.ts'

/** Counts of the operations on a flash. */
export interface Count {
  programs: number
  /** In all programs, those of bytes that stay as they are among them. */
  bytes: number
  /** Offsets, in their order. */
  erased: number[]
}

/** The same flash, with `count` of what is done to it from now on. */
export function counted(flash: Flash): { flash: Flash; count: Count } {
  const count: Count = { programs: 0, bytes: 0, erased: [] }
  const { kind, size, eraseSize, writeSize } = flash
  const same: Flash = {
    ...{ kind, size, eraseSize, writeSize },
    read: (offset, length) => flash.read(offset, length),
    program(offset, bytes) {
      count.programs += 1
      count.bytes += bytes.length
      flash.program(offset, bytes)
    },
    erase() {
      throw new Error('blocks the service')
    },
    eraseAsync(offset, length) {
      for (let at = offset; at < offset + length; at += eraseSize) count.erased.push(at)
      return flash.eraseAsync(offset, length)
    },
    sync: () => flash.sync(),
    close: () => flash.close()
  }
  return { flash: same, count }
}
