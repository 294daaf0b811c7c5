import t from 'tap'
import { createStore } from '#hal/edk2/create.ts'
import { edk2Layouts } from '#hal/edk2/layout.ts'
import { openStore } from '#hal/edk2/store.ts'
import { simFlash } from '#hal/sim/flash.ts'
import { variable } from '#test/hal/contracts/nvram.ts'

/** Its position is not given: it has to be found. */
const layout = { ...edk2Layouts['2M'], offset: 0x2000, workOffset: 0x11000, spareOffset: 0x12000 }
const used = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((each) => variable('Large', new Uint8Array(8000).fill(each)))

/** A chip with a store in it that was rewritten, so that its spare blocks are not empty. */
async function usedChip() {
  const chip = simFlash({ size: 0x24000 })
  const flash = chip.open()
  createStore(flash, layout)
  flash.close()
  const nvram = openStore(chip.open())
  await nvram.acquire()
  for (const each of used) await nvram.set([each])
  await nvram.close()
  return chip
}

t.test('cut at any write, a reset of the store can be repeated, and the bytes around it stay', async (t) => {
  for (const { torn, tornErase } of [
    { torn: 0 },
    { torn: 17 },
    { torn: 100, tornErase: 'zeros' },
    { torn: 3000 }
  ] as const) {
    let isWhole = false
    for (let cutAfter = 0; !isWhole; cutAfter += 1) {
      const chip = await usedChip()
      chip.contents.fill(7, 0, layout.offset)
      const nvram = openStore(chip.open())
      await nvram.acquire()
      Object.assign(chip.faults, { cutAfter, torn, tornErase })
      isWhole = await nvram.reset().then(
        () => true,
        () => false
      )
      chip.faults.cutAfter = undefined
      if (isWhole) await nvram.close()
      const again = openStore(chip.open())
      await again.acquire().catch(() => undefined)
      if (!isWhole) await again.reset()
      t.strictSame([again.health, again.list()], [{ state: 'ok', faults: [] }, []], `${cutAfter} ${torn}`)
      t.ok(chip.contents.subarray(0, layout.offset).every((byte) => byte === 7))
      await again.set([variable('New', '1')])
    }
  }
})

t.test('a reset recreates a damaged store, but not a missing one', async (t) => {
  const chip = await usedChip()
  chip.contents.fill(0, layout.offset + 0x48, layout.offset + 0x60)
  const damaged = openStore(chip.open())
  await t.rejects(damaged.acquire(), { code: 'EROFS' })
  await damaged.reset()
  t.equal(damaged.health.state, 'ok')
  await damaged.close()
  const absent = openStore(simFlash({ size: 0x24000 }).open())
  await t.rejects(absent.acquire(), { code: 'EROFS' })
  await t.rejects(absent.reset(), { code: 'EROFS', message: /its location in the flash is unknown/ })
  const told = openStore(simFlash({ size: 0x24000 }).open(), { made: layout })
  await t.rejects(told.acquire(), { code: 'EROFS' })
  await told.reset()
  t.equal(told.health.state, 'ok')
})
