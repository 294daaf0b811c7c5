import { readFileSync, writeFileSync } from 'node:fs'
import { createStore } from '#hal/edk2/create.ts'
import type { LayoutName } from '#hal/edk2/devices.ts'
import { edk2Layouts } from '#hal/edk2/layout.ts'
import { openStore } from '#hal/edk2/store.ts'
import type { Nvram } from '#hal/nvram.ts'
import { type SimFlash, simFlash } from '#hal/sim/flash.ts'

/** A chip with an empty store in it. */
export function newStore(build: LayoutName): SimFlash {
  const layout = edk2Layouts[build]
  const chip = simFlash({ size: layout.spareOffset + layout.spareSize })
  const flash = chip.open()
  createStore(flash, layout)
  flash.close()
  return chip
}

/** A chip with the contents of a file. */
export function load(file: string): SimFlash {
  const bytes = readFileSync(file)
  const chip = simFlash({ size: bytes.length })
  chip.contents.set(bytes)
  return chip
}

/** Does something to the store in a chip while the host is off, and writes what is then in the chip to `file`. */
export async function change(chip: SimFlash, file: string, action: (nvram: Nvram) => Promise<void>): Promise<void> {
  const nvram = openStore(chip.open())
  await nvram.acquire()
  await action(nvram)
  await nvram.close()
  writeFileSync(file, chip.contents)
}
