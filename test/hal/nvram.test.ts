// own process: it names the folder of the addons in the environment
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { createStore } from '#hal/edk2/create.ts'
import { ovmfLayouts } from '#hal/edk2/layout.ts'
import { openStore } from '#hal/edk2/store.ts'
import { openFlash } from '#hal/native'
import { simFlash } from '#hal/sim/flash.ts'
import { simNvram } from '#hal/sim/nvram.ts'
import { contents, nvramContract, variable } from '#test/hal/contracts/nvram.ts'
import { needing } from '#test/host/every-host.ts'

const { buildNative } = await import(pathToFileURL('runtime/build/addon.mjs').href)
const folder = resolve('dist/native')
const { missing } = buildNative({ out: folder }) as { missing: string[] }
const compiler = missing.length > 0 ? `native parts: they need ${missing.join(', ')}` : undefined

for (const [name, layout] of Object.entries(ovmfLayouts)) {
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
    createStore(flash, ovmfLayouts['4M'])
    flash.close()
    return (clock) => openStore(openFlash(path), { clock })
  })
})

nvramContract(t, 'simulator', (t) => {
  const directory = t.testdir()
  return (clock) => simNvram({ directory, clock })
})

t.test('the simulator meets its faults, and goes on when they are gone', async (t) => {
  const nvram = simNvram({ faults: { damaged: 'a bad block' } })
  t.strictSame(nvram.health, { state: 'damaged', faults: ['a bad block'] })
  await t.rejects(nvram.acquire(), { code: 'EROFS' })
  nvram.faults.damaged = undefined
  nvram.faults.failNext = 'EIO'
  await t.rejects(nvram.acquire(), { code: 'EIO' })
  await nvram.acquire()
  nvram.faults.failNext = 'EIO'
  await t.rejects(nvram.set([variable('X', '1')]), { code: 'EIO' })
  t.strictSame(contents(nvram), [])
  await nvram.set([variable('X', '2')])
  t.equal(contents(nvram).length, 1)
})

t.test('the simulator starts empty, and says so, when its file is damaged', async (t) => {
  for (const [kept, why] of [
    ['{', 'not JSON'],
    ['{"variables":{}}', 'no list'],
    ['{"variables":[{"name":"A","guid":"no","attributes":7,"data":"00"}]}', 'no GUID'],
    [`{"variables":[{"name":"A","guid":"${variable('A', '').guid}","attributes":7,"data":"0"}]}`, 'half a byte'],
    [
      `{"variables":[{"name":"A","guid":"${variable('A', '').guid}","attributes":7,"data":"00","timestamp":"x"}]}`,
      'no time'
    ]
  ]) {
    const directory = t.testdir({ 'nvram.json': kept! })
    const warnings: string[] = []
    const nvram = simNvram({ directory, warn: (message) => warnings.push(message) })
    t.strictSame(contents(nvram), [], why!)
    t.match(warnings, [/nvram\.json/])
  }
})
