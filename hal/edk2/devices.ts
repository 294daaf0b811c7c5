import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { pathIn } from '#runtime/base/files.ts'
import { HalError } from '../errors.ts'
import { fileFlash } from '../file/flash.ts'
import type { Flash } from '../flash.ts'
import type { Keeper } from '../memory.ts'
import { type Nvram, unusableNvram } from '../nvram.ts'
import { simFlash } from '../sim/flash.ts'
import { blocksIn, blocksOf, keptFlash } from '../sim/kept-flash.ts'
import { createStore } from './create.ts'
import { edk2Layouts, type Layout, layoutEnd } from './layout.ts'
import { openStore, type StoreOptions } from './store.ts'

/** Of a store in a real flash. Plain JSON. */
export interface FlashStoreOptions {
  /** An MTD character device, or a file that is used like a NOR flash; relative to `directory`. */
  path?: unknown
  directory: string
  /** Where in the flash the store lies. Default: the layouts of known firmware are looked for. */
  layout?: unknown
  /** A name of `edk2Layouts`: creates a missing file, with an empty store. */
  create?: unknown
}

const bytes = { type: 'integer', minimum: 0 } as const

/** The name of a known layout. */
export type LayoutName = keyof typeof edk2Layouts

/** {@link FlashStoreOptions} in a board file. */
export const flashStoreOptions = {
  type: 'object',
  required: ['path'],
  properties: {
    path: { type: 'string', description: 'An MTD character device, or a file; relative to the data of the machine' },
    layout: {
      type: 'object',
      required: [
        'offset',
        'storeSize',
        'workOffset',
        'workSize',
        'spareOffset',
        'spareSize',
        'blockSize',
        'largestVariable'
      ],
      properties: {
        offset: bytes,
        storeSize: bytes,
        workOffset: bytes,
        workSize: bytes,
        spareOffset: bytes,
        spareSize: bytes,
        blockSize: bytes,
        largestVariable: bytes
      },
      description:
        'Where in the flash the store lies, in bytes; without it, the layouts of known firmware are looked for'
    },
    create: {
      type: 'string',
      enum: Object.keys(edk2Layouts) as readonly LayoutName[],
      description: 'Creates a missing file, with an empty store'
    }
  }
} as const

export interface SimStoreOptions {
  readonly directory: string
  readonly name: string
  readonly keeper?: Keeper | undefined
}

/** The store of the simulated machine takes none from a board file. */
export const simStoreOptions = { type: 'object', properties: {} } as const

/**
 * The store in a flash that the host boots from.
 *
 * @param openFlash of the host that the service runs on
 * @throws {HalError} `EINVAL` without a path, and for an unknown layout to create. Faults of the flash or the
 *   store are in its health
 */
export function flashStore(openFlash: (path: string) => Flash, options: FlashStoreOptions): Nvram {
  const { path, directory, layout, create } = options
  if (typeof path !== 'string') throw new HalError('EINVAL', 'nvram: the back end edk2 needs the path of a flash')
  if (create !== undefined && !isLayoutName(create)) {
    throw new HalError('EINVAL', `nvram: there is no layout ${String(create)}`)
  }
  const file = pathIn(directory, path)
  const open = () => {
    if (create !== undefined && !existsSync(file)) makeStore(file, create)
    return openFlash(file)
  }
  const changedAt = () => {
    const found = statSync(file, { throwIfNoEntry: false })
    return found?.isFile() ? found.mtimeMs : undefined
  }
  const made = create === undefined ? undefined : edk2Layouts[create]
  return storeIn(open, { layout: layout as Layout | undefined, made, changedAt })
}

export function isLayoutName(name: unknown): name is LayoutName {
  return typeof name === 'string' && Object.hasOwn(edk2Layouts, name)
}

/** @throws {HalError} `EIO` when the file cannot be written */
function makeStore(file: string, name: LayoutName): void {
  try {
    // A store that is only half written would be taken for a damaged one.
    writeFileSync(`${file}.tmp`, emptyStore(name))
    renameSync(`${file}.tmp`, file)
  } catch (error) {
    throw new HalError('EIO', `nvram: ${file} cannot be created: ${(error as Error).message}`)
  }
}

/**
 * The store of the simulated machine: in a simulated flash whose file, `<name>.fd`, OVMF's 4M build boots with. It needs
 * no native parts. It is made where there is no file; a file that is there is never made anew. With a keeper, that has
 * the blocks of the flash in place of the file.
 */
export function simStore({ directory, name, keeper }: SimStoreOptions): Nvram {
  const layout = edk2Layouts['4M']
  const size = layoutEnd(layout)
  const file = `${directory}/${name}.fd`
  const isNew = keeper === undefined ? !existsSync(file) : keeper.get(name) === undefined
  return storeIn(() => {
    const flash = keptFlash(size, keeper === undefined ? blocksOf(file, size) : blocksIn(keeper, name))
    if (isNew) createStore(flash, layout)
    return flash
  })
}

/** The bytes of an empty store, for the host's flash: as firmware with that layout takes it. */
export function emptyStore(name: LayoutName): Uint8Array {
  const layout = edk2Layouts[name]
  const chip = simFlash({ size: layoutEnd(layout) })
  createStore(chip.open(), layout)
  return chip.contents
}

/** Reads the store in a file, also while another process has it open. @throws Error of Node.js if it cannot be opened */
export function storeInFile(path: string): Nvram {
  return openStore(fileFlash(path))
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
