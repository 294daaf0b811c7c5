import { HalError } from '../errors.ts'
import type { Flash } from '../flash.ts'
import type { Nvram } from '../nvram.ts'
import { simFlash } from '../sim/flash.ts'
import { createStore } from './create.ts'
import { type Layout, layoutEnd, ovmfLayouts } from './layout.ts'
import { openStore, type StoreOptions } from './store.ts'

/** Of a store in a real flash. Plain JSON. */
export interface FlashStoreOptions {
  /** An MTD character device, or a file that is used like a NOR flash; relative to `directory`. */
  path?: unknown
  directory: string
  /** Where in the flash the store lies. Default: OVMF's layouts are looked for. */
  layout?: unknown
}

/**
 * The store in a flash that the host boots from.
 *
 * @param openFlash of the host that the service runs on
 * @throws {HalError} as `openFlash`; `EINVAL` for options that are none. What is wrong with the store is in its health
 */
export function flashStore(openFlash: (path: string) => Flash, { path, directory, layout }: FlashStoreOptions): Nvram {
  if (typeof path !== 'string') throw new HalError('EINVAL', 'nvram: the back end edk2 needs the path of a flash')
  const options: StoreOptions = { layout: layout as Layout | undefined }
  return openStore(openFlash(path.startsWith('/') ? path : `${directory}/${path}`), options)
}

/**
 * The store of the simulated machine: in a simulated flash whose file, `<name>.fd`, OVMF's 4M build boots with. It needs
 * no native parts.
 *
 * @throws {HalError} `EIO` and `EINVAL` when the file cannot be used
 */
export function simStore({ directory, name }: { directory: string; name: string }): Nvram {
  const layout = ovmfLayouts['4M']
  const flash = simFlash({ size: layoutEnd(layout), file: `${directory}/${name}.fd` }).open()
  const store = openStore(flash)
  if (store.health.state !== 'absent') return store
  createStore(flash, layout)
  return openStore(flash)
}
