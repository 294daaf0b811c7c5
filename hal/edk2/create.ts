import { HalError } from '../errors.ts'
import type { Flash } from '../flash.ts'
import { isErased } from './blocks.ts'
import { buildWorkHeader } from './ftw.ts'
import { buildHeaders } from './headers.ts'
import { checkLayout, type Layout } from './layout.ts'

/**
 * Makes an empty store where the flash is erased. Cut off by a power cut, it has to be erased and made again.
 *
 * @throws {HalError} `EINVAL` for a layout that cannot be in this flash, or where it is not erased
 */
export function createStore(flash: Flash, layout: Layout): void {
  checkLayout(layout, flash)
  const { offset, storeSize, workOffset, workSize, spareOffset, spareSize } = layout
  const parts: readonly (readonly [offset: number, size: number])[] = [
    [offset, storeSize],
    [workOffset, workSize],
    [spareOffset, spareSize]
  ]
  for (const [start, size] of parts) {
    if (flash.isErased?.(start, size) ?? isErased(flash.read(start, size))) continue
    throw new HalError('EINVAL', `variable store: the flash is not erased between ${start} and ${start + size}`)
  }
  flash.program(workOffset, buildWorkHeader(layout))
  flash.program(offset, buildHeaders(layout))
  flash.sync()
}
