import { statSync } from 'node:fs'
import t from 'tap'
import { createStore } from '#hal/edk2/create.ts'
import { simStore } from '#hal/edk2/devices.ts'
import { edk2Layouts, layoutEnd } from '#hal/edk2/layout.ts'
import { openStore } from '#hal/edk2/store.ts'
import type { Keeper } from '#hal/memory.ts'
import { blocksIn, blocksOf, keptFlash } from '#hal/sim/kept-flash.ts'
import { simPower } from '#hal/sim/power.ts'
import { globalGuid } from '#hal/uefi/variables.ts'
import { nvramContract } from '#test/hal/contracts/nvram.ts'

function kept(): Keeper & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>()
  return { texts, get: (name) => texts.get(name), set: (name, text) => texts.set(name, text) }
}

const size = 16 * 4096

/** A keeper is given what was synced a moment later. */
const given = () => new Promise(setImmediate)

nvramContract(t, 'EDK II store in a kept flash', () => {
  const layoutSize = layoutEnd(edk2Layouts['4M'])
  const blocks = blocksIn(kept(), 'nvram')
  const flash = keptFlash(layoutSize, blocks)
  createStore(flash, edk2Layouts['4M'])
  flash.close()
  return (clock) => openStore(keptFlash(layoutSize, blocks), { clock })
})

t.test('it knows how much of a range is programmed, to 256 bytes', async (t) => {
  const flash = keptFlash(size, blocksIn(kept(), 'chip'))
  flash.program(4096, Uint8Array.of(1))
  t.equal(flash.programmed?.(0, size), 4096 + 256)
  t.equal(flash.programmed?.(0, 4096), 0)
  t.equal(flash.programmed?.(4096, 16), 16)
  t.equal(flash.programmed?.(8192, size - 8192), 0)
  t.throws(() => createStore(keptFlash(size, blocksIn(kept(), 'chip')), edk2Layouts['4M']), { code: 'EINVAL' })
})

t.test('variables whose ends are erased bytes are found again', async (t) => {
  const keeper = kept()
  const first = simStore({ directory: '', name: 'nvram', keeper })
  const data = new Uint8Array(9000).fill(0xff)
  await first.acquire()
  await first.set([{ name: 'Long', guid: globalGuid, attributes: 7, data }])
  await first.release()
  await given()
  const second = simStore({ directory: '', name: 'nvram', keeper })
  t.same(second.health, { state: 'ok', faults: [] })
  t.same(second.get('Long', globalGuid)?.data, data)
})

t.test('only synced bytes are there when it is opened again', async (t) => {
  const keeper = kept()
  const flash = keptFlash(size, blocksIn(keeper, 'chip'))
  flash.program(4094, Uint8Array.of(1, 2, 3, 4))
  flash.program(3 * 4096, Uint8Array.of(9))
  flash.sync()
  flash.erase(3 * 4096, 4096)
  flash.sync()
  await given()
  flash.program(8 * 4096, Uint8Array.of(7))
  const again = keptFlash(size, blocksIn(keeper, 'chip'))
  t.strictSame([...again.read(4093, 6)], [0xff, 1, 2, 3, 4, 0xff])
  t.equal(again.read(3 * 4096, 1)[0], 0xff)
  t.equal(again.read(8 * 4096, 1)[0], 0xff)
  flash.close()
  t.throws(() => flash.read(0, 1), { code: 'ENODEV' })
})

for (const [name, blocks] of [
  ['a file', (folder: string) => blocksOf(`${folder}/chip.fd`, size)],
  ['a keeper', (_folder: string, keeper: Keeper) => blocksIn(keeper, 'chip')]
] as const)
  t.test(`a chip reopened from ${name} keeps its content and is programmed at any offset`, async (t) => {
    const [folder, keeper] = [t.testdir(), kept()]
    const open = () => keptFlash(size, blocks(folder, keeper))
    const flash = open()
    flash.program(0, Uint8Array.of(1, 2, 3, 4, 5, 6))
    flash.sync()
    await given()
    const again = open()
    again.program(7, Uint8Array.of(7))
    again.program(1001, Uint8Array.of(8, 9))
    t.strictSame([...again.read(0, 10)], [1, 2, 3, 4, 5, 6, 0xff, 7, 0xff, 0xff])
    t.strictSame([...again.read(1000, 4)], [0xff, 8, 9, 0xff])
    again.sync()
    await given()
    t.strictSame([...open().read(1000, 4)], [0xff, 8, 9, 0xff])
  })

t.test('a variable is kept once, though its writing syncs the chip again and again', async (t) => {
  const keeper = kept()
  const names: string[] = []
  const noting: Keeper = {
    get: keeper.get,
    set(name, text) {
      names.push(name)
      keeper.set(name, text)
    }
  }
  const store = simStore({ directory: '', name: 'nvram', keeper: noting })
  await store.acquire()
  await given()
  names.length = 0
  await store.set([{ name: 'Boot0000', guid: globalGuid, attributes: 7, data: Uint8Array.of(1) }])
  await given()
  t.strictSame(names, ['nvram/0'])
})

t.test('a store without other writers is read once', async (t) => {
  const layout = edk2Layouts['4M']
  const flash = keptFlash(layoutEnd(layout), blocksIn(kept(), 'nvram'))
  createStore(flash, layout)
  const store = openStore(flash)
  let reads = 0
  const read = flash.read
  flash.read = (offset, length) => {
    reads += 1
    return read(offset, length)
  }
  await store.acquire()
  await store.set([{ name: 'Boot0000', guid: globalGuid, attributes: 7, data: Uint8Array.of(1) }])
  await store.release()
  await store.acquire()
  t.equal(reads, 0)
  t.same(store.get('Boot0000', globalGuid)?.data, Uint8Array.of(1))
})

t.test('programming only clears bits', async (t) => {
  const flash = keptFlash(size, blocksIn(kept(), 'chip'))
  flash.program(5, Uint8Array.of(0x0f))
  flash.program(5, Uint8Array.of(0xf1))
  t.equal(flash.read(5, 1)[0], 0x01)
  t.throws(() => flash.program(size - 1, new Uint8Array(2)), { code: 'EINVAL' })
  t.throws(() => flash.erase(1, 4096), { code: 'EINVAL' })
})

t.test('an empty store of variables takes a few kilobytes', async (t) => {
  const keeper = kept()
  const store = simStore({ directory: '', name: 'nvram', keeper })
  t.equal(store.health.state, 'ok')
  await given()
  t.ok([...keeper.texts.values()].join('').length < 2000)
})

t.test('an invalid kept block makes a store that reports it', async (t) => {
  for (const [name, text] of [
    ['nvram', '[0,'],
    ['nvram', '[99]'],
    ['nvram/0', '?'],
    ['nvram/0', 'A'.repeat(8000)]
  ] as const) {
    const keeper = kept()
    simStore({ directory: '', name: 'nvram', keeper })
    await given()
    keeper.set(name, text)
    t.equal(simStore({ directory: '', name: 'nvram', keeper }).health.state, 'damaged', text)
  }
})

t.test('after a restart a chip with a file has the content of its last sync', async (t) => {
  const file = `${t.testdir()}/chip.fd`
  const first = keptFlash(size, blocksOf(file, size))
  first.program(0, Uint8Array.of(1, 2, 3))
  first.program(2 * 4096, Uint8Array.of(4))
  first.sync()
  first.program(4096, Uint8Array.of(4))
  first.erase(2 * 4096, 4096)
  const second = keptFlash(size, blocksOf(file, size))
  t.same([...second.read(0, 3)], [1, 2, 3])
  t.equal(second.programmed?.(4096, 4096), 0, 'what was not synced is not there')
  t.equal(second.read(2 * 4096, 1)[0], 4)
  t.equal(statSync(file).size, size)
  t.throws(() => keptFlash(4096, blocksOf(file, 4096)), { code: 'EIO' }, 'a file of another size is refused')
})

t.test('a device with a keeper needs no folder', async (t) => {
  const keeper = kept()
  const power = simPower({ keeper, name: 'power-1', offTime: 0 })
  const off = new Promise<void>((resolve) =>
    power.on((event) => event.type === 'state' && event.state === 'Off' && resolve())
  )
  await power.perform('forceOff')
  await off
  await power.close()
  t.equal(simPower({ keeper, name: 'power-1' }).state, 'Off')
})
