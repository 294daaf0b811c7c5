import { HalError } from '../errors.ts'
import type { Flash } from '../flash.ts'
import { changeBlocks, programmedLength } from './blocks.ts'
import { buildWorkHeader } from './ftw.ts'
import { buildHeaders } from './headers.ts'
import { checkLayout, type Layout } from './layout.ts'

/**
 * Makes an empty store where the flash is erased. Cut off by a power cut, it has to be erased and made again.
 *
 * @throws {HalError} `EINVAL` for a layout that does not fit this flash, or a flash that is not erased
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
    if ((flash.programmed?.(start, size) ?? programmedLength(flash.read(start, size))) === 0) continue
    throw new HalError('EINVAL', `variable store: the flash is not erased between ${start} and ${start + size}`)
  }
  flash.program(workOffset, buildWorkHeader(layout))
  flash.program(offset, buildHeaders(layout))
  flash.sync()
}

/**
 * Makes a store anew, with nothing in it. Cut off by a power cut, it has to be made anew again; wherever that was,
 * either the header of its volume or the working block still has its position.
 *
 * @throws {HalError} `EINVAL` for a layout that cannot be in this flash; `EIO` and the like
 */
export async function recreateStore(flash: Flash, layout: Layout): Promise<void> {
  checkLayout(layout, flash)
  const { offset, storeSize, workOffset, workSize, spareOffset, spareSize } = layout
  const anew = async (start: number, size: number, head: Uint8Array) => {
    const image = new Uint8Array(size).fill(0xff)
    image.set(head)
    await changeBlocks(flash, start, image, flash.eraseSize)
    flash.sync()
  }
  await anew(offset, storeSize, buildHeaders(layout))
  await anew(workOffset, workSize, buildWorkHeader(layout))
  await anew(spareOffset, spareSize, new Uint8Array())
}
