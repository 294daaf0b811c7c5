// own process: it names the folder of the addons in the environment
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { createStore } from '#hal/edk2/create.ts'
import { edk2Layouts, layoutEnd } from '#hal/edk2/layout.ts'
import { openStore } from '#hal/edk2/store.ts'
import { openFlash } from '#hal/native'
import { simFlash } from '#hal/sim/flash.ts'
import { blocksOf, keptFlash } from '#hal/sim/kept-flash.ts'
import { nvramContract } from '#test/hal/contracts/nvram.ts'
import { needing } from '#test/host/every-host.ts'

const { buildNative } = await import(pathToFileURL('runtime/build/addon.mjs').href)
const folder = resolve('dist/native')
const { missing } = buildNative({ out: folder }) as { missing: string[] }
const compiler = missing.length > 0 ? `native parts: they need ${missing.join(', ')}` : undefined

for (const [name, layout] of Object.entries(edk2Layouts)) {
  nvramContract(t, `EDK II store, ${name} layout`, () => {
    const chip = simFlash({ size: layout.spareOffset + layout.spareSize })
    const flash = chip.open()
    createStore(flash, layout)
    flash.close()
    return (clock) => openStore(chip.open(), { clock })
  })
}

needing('EDK II store in a file', compiler, async (t) => {
  process.env.MINNOW_NATIVE = folder
  nvramContract(t, 'file', (t) => {
    const path = `${t.testdir()}/store.fd`
    writeFileSync(path, new Uint8Array(0x84000).fill(0xff))
    const flash = openFlash(path)
    createStore(flash, edk2Layouts['4M'])
    flash.close()
    return (clock) => openStore(openFlash(path), { clock })
  })
})

nvramContract(t, 'EDK II store in a kept flash with a file', (t) => {
  const layout = edk2Layouts['2M']
  const file = `${t.testdir()}/store.fd`
  const open = () => keptFlash(layoutEnd(layout), blocksOf(file, layoutEnd(layout)))
  const flash = open()
  createStore(flash, layout)
  flash.close()
  return (clock) => openStore(open(), { clock })
})
