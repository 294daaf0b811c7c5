import { HalError } from '../errors.ts'
import { checkRange, type Flash } from '../flash.ts'

/** A range of a flash: whole erase blocks. In bytes. */
export interface FlashRange {
  readonly offset: number
  readonly length: number
}

/**
 * A range of a flash, as a flash of its own.
 *
 * @param close what its `close` does; default closes the flash
 * @throws {HalError} `EINVAL` for a range that is empty, not whole erase blocks, or not in the flash
 */
export function flashPart(flash: Flash, { offset, length }: FlashRange, close = () => flash.close()): Flash {
  checkRange(flash, offset, length, flash.eraseSize)
  const { kind, eraseSize, writeSize } = flash
  const whole = { size: length }
  let isOpen = true
  const within = (at: number, count: number, unit: number) => {
    if (!isOpen) throw new HalError('ENODEV', 'flash: closed')
    checkRange(whole, at, count, unit)
    return offset + at
  }
  return {
    ...whole,
    kind,
    eraseSize,
    writeSize,
    read: (at, count) => flash.read(within(at, count, 1), count),
    program: (at, bytes) => flash.program(within(at, bytes.length, writeSize), bytes),
    erase: (at, count) => flash.erase(within(at, count, eraseSize), count),
    eraseAsync: async (at, count) => flash.eraseAsync(within(at, count, eraseSize), count),
    sync() {
      within(0, 0, 1)
      flash.sync()
    },
    close() {
      within(0, 0, 1)
      isOpen = false
      close()
    }
  }
}

/**
 * Opens each flash once, for all devices of this process that lie in it, such as a host's variables and its firmware. They
 * take turns: while one of them erases, the others are `EBUSY`.
 *
 * @param open a flash by its path, locked against other processes
 */
export function sharedFlash(open: (path: string) => Flash): (path: string) => Flash {
  const opened = new Map<string, { readonly flash: Flash; users: number }>()
  return (path) => {
    const shared = opened.get(path) ?? { flash: open(path), users: 0 }
    opened.set(path, shared)
    shared.users += 1
    return flashPart(shared.flash, { offset: 0, length: shared.flash.size }, () => {
      shared.users -= 1
      if (shared.users > 0) return
      opened.delete(path)
      shared.flash.close()
    })
  }
}
