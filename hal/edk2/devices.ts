import { existsSync } from 'node:fs'
import { HalError } from '../errors.ts'
import type { Flash } from '../flash.ts'
import { type Nvram, unusableNvram } from '../nvram.ts'
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
 * @throws {HalError} `EINVAL` without a path. What is wrong with the flash or the store is in its health
 */
export function flashStore(openFlash: (path: string) => Flash, { path, directory, layout }: FlashStoreOptions): Nvram {
  if (typeof path !== 'string') throw new HalError('EINVAL', 'nvram: the back end edk2 needs the path of a flash')
  const options: StoreOptions = { layout: layout as Layout | undefined }
  return storeIn(() => openFlash(path.startsWith('/') ? path : `${directory}/${path}`), options)
}

/**
 * The store of the simulated machine: in a simulated flash whose file, `<name>.fd`, OVMF's 4M build boots with. It needs
 * no native parts. It is made where there is no file; a file that is there is never made anew.
 */
export function simStore({ directory, name }: { directory: string; name: string }): Nvram {
  const layout = ovmfLayouts['4M']
  const file = `${directory}/${name}.fd`
  const isNew = !existsSync(file)
  return storeIn(() => {
    const flash = simFlash({ size: layoutEnd(layout), file }).open()
    if (isNew) createStore(flash, layout)
    return flash
  })
}

/** The bytes of an empty store, for the host's flash: as OVMF's builds of that name take it. */
export function emptyStore(name: keyof typeof ovmfLayouts): Uint8Array {
  const layout = ovmfLayouts[name]
  const chip = simFlash({ size: layoutEnd(layout) })
  createStore(chip.open(), layout)
  return chip.contents
}

/** The store in the bytes of a flash, to be read: what is changed in it is changed in memory. */
export function storeInBytes(bytes: Uint8Array): Nvram {
  return storeIn(() => {
    const chip = simFlash({ size: bytes.length })
    chip.contents.set(bytes)
    return chip.open()
  })
}

/** A flash that cannot be opened is a store with nothing in it, which says so. */
function storeIn(open: () => Flash, options: StoreOptions = {}): Nvram {
  try {
    return openStore(open(), options)
  } catch (error) {
    if (!(error instanceof HalError)) throw error
    return unusableNvram({ state: error.code === 'ENODEV' ? 'absent' : 'damaged', faults: [error.message] })
  }
}
