/** What `#hal/native` is in the binary: the same bindings, linked in. */
import binding from 'minnow:flash'
import type { Flash, FlashOptions } from '../../../hal/flash.ts'
import { openFlash as openWith } from '../../../hal/native/flash.ts'

export function openFlash(path: string, options?: FlashOptions): Flash {
  return openWith(binding, path, options)
}
