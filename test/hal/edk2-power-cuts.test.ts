// own process: it takes as long as the rest of the ring
import t, { type Test } from 'tap'
import { createStore } from '#hal/edk2/create.ts'
import type { Layout } from '#hal/edk2/layout.ts'
import { planChanges } from '#hal/edk2/plan.ts'
import { openStore } from '#hal/edk2/store.ts'
import { type Variable, type VariableChange, variableKey } from '#hal/nvram.ts'
import { type FlashFaults, type SimFlash, simFlash } from '#hal/sim/flash.ts'
import { contents, variable } from '#test/hal/contracts/nvram.ts'
import { needing } from '#test/host/every-host.ts'
import { missingVirtFirmware, readByVirtFirmware } from '#test/ovmf/virt-firmware.ts'
import { counted } from './counted.ts'

/** Small, so that rewriting it is often needed, and the journal has room for two writes only. */
const layout: Layout = {
  offset: 0x400,
  storeSize: 0x1000,
  workOffset: 0x1600,
  workSize: 0x100,
  spareOffset: 0x1800,
  spareSize: 0x1100,
  blockSize: 0x100,
  largestVariable: 0x800
}
const geometry = { size: 0x3000, eraseSize: 0x100 }
const options = { layout, reserve: 0x100, clock: () => new Date('2030-01-01T00:00:00Z') }

/** Writes of all kinds. Each of the large ones leaves no room for the next. */
const script: readonly (readonly VariableChange[])[] = [
  [variable('Small', '1'), variable('Keys', 'first', 0x27)],
  [variable('Small', '2')],
  [variable('Small', '2')],
  [{ name: 'Small', guid: variable('Small', '').guid, data: null }, variable('Big', new Uint8Array(1500).fill(1))],
  [variable('Big', new Uint8Array(1500).fill(2)), variable('Count', '2')],
  [variable('Big', new Uint8Array(1400).fill(3)), variable('Keys', 'second', 0x27), variable('New', 'x')],
  [variable('Big', new Uint8Array(1500).fill(4)), variable('Count', '4')],
  [variable('New', 'y')],
  [variable('Big', new Uint8Array(1300).fill(5))],
  [variable('Other', new Uint8Array(1500).fill(6)), variable('Count', '6')],
  [variable('Big', new Uint8Array(1500).fill(7))],
  [variable('Big', '')]
]

/** How an operation may be cut. */
const cuts: readonly FlashFaults[] = [
  { torn: 0 },
  { torn: 1 },
  { torn: 17 },
  { torn: 42 },
  { torn: 130 },
  { torn: 100_000 },
  { torn: 0, tornErase: 'zeros' },
  { torn: 130, tornErase: 'zeros' }
]

function newChip(): SimFlash {
  const chip = simFlash(geometry)
  const flash = chip.open()
  createStore(flash, layout)
  flash.close()
  return chip
}

function copyOf(chip: SimFlash): SimFlash {
  const copy = simFlash(geometry)
  copy.contents.set(chip.contents)
  return copy
}

/** How many operations what is done to a chip takes. */
async function operations(chip: SimFlash, action: (chip: SimFlash) => Promise<unknown>): Promise<number> {
  const many = 1_000_000
  chip.faults.cutAfter = many
  await action(chip)
  return many - chip.faults.cutAfter
}

/** Plays the script until the power is cut. @returns how many of its sets were acknowledged */
async function play(chip: SimFlash): Promise<number> {
  const store = openStore(chip.open(), options)
  let acknowledged = 0
  try {
    await store.acquire()
    for (const changes of script) {
      await store.set(changes)
      acknowledged += 1
    }
    await store.close()
  } catch (error) {
    if ((error as { code?: string }).code !== 'EIO') throw error
  }
  return acknowledged
}

/**
 * The possible contents of a store when this many sets were acknowledged and the next one was cut: those of variables
 * that no flash holds.
 */
function allowed(acknowledged: number): string[][] {
  let model: ReadonlyMap<string, Variable> = new Map()
  const set = (changes: readonly VariableChange[]) => {
    model = planChanges(model, changes, { total: 0x3f000, largest: 0x8400 }, options.clock()).next
  }
  const shown = () => contents({ list: () => [...model.values()], get: (...name) => model.get(variableKey(...name)) })
  for (const changes of script.slice(0, acknowledged)) set(changes)
  const states = [shown()]
  for (const change of script[acknowledged] ?? []) {
    set([change])
    states.push(shown())
  }
  return states
}

const states: string[][][] = []
for (let i = 0; i <= script.length; i += 1) states.push(allowed(i))
const total = await operations(newChip(), play)
const has = (list: readonly string[][], wanted: string[]) => list.some((each) => `${each}` === `${wanted}`)

/** Opens a chip after a cut: what is in it is one of `may`, before and after it is put right, and it can be written. */
async function survives(t: Test, title: string, chip: SimFlash, may: string[][]): Promise<string[]> {
  const untouched = chip.contents.slice()
  const store = openStore(chip.open(), options)
  const before = contents(store)
  const { health } = store
  if (!has(may, before)) t.fail(`${title}: holds something else`, { before, health })
  if (Buffer.compare(untouched, chip.contents) !== 0) t.fail(`${title}: opening has written to it`)
  await store.acquire()
  if (`${contents(store)}` !== `${before}`)
    t.fail(`${title}: what is in it changes when it is put right`, { before, health })
  t.strictSame(store.health, { state: 'ok', faults: [] }, `${title}: is sound`)
  await store.release()
  await store.acquire()
  const after = copyOf(chip)
  await store.set([variable('After', title)])
  await store.close()
  const again = openStore(after.open(), options)
  if (`${contents(again)}` !== `${before}`) t.fail(`${title}: something else is found the next time`)
  return before
}

t.test(`the script takes ${total} operations, of every kind`, async (t) => {
  const { flash, count } = counted(newChip().open())
  const store = openStore(flash, options)
  await store.acquire()
  for (const changes of script) await store.set(changes)
  t.strictSame(contents(store), states[script.length]![0])
  t.equal(count.programs + count.erased.length, total)
  const erases = (from: number, size: number) => count.erased.filter((at) => at >= from && at < from + size).length
  t.ok(erases(layout.offset, layout.storeSize) > 20, 'the store is rewritten')
  t.ok(erases(layout.offset, layout.blockSize) > 1, 'with its first block')
  t.ok(erases(layout.spareOffset, layout.spareSize) > 0, 'and the spare blocks')
  t.equal(erases(layout.workOffset, layout.workSize), 1, 'and the journal')
})

const found: { chip: SimFlash; expected: string[] }[] = []
for (const cut of cuts) {
  t.test(`cut off in any operation, ${JSON.stringify(cut)}: the old or the new value of everything`, async (t) => {
    for (let cutAfter = 0; cutAfter < total; cutAfter += 1) {
      const chip = newChip()
      Object.assign(chip.faults, cut, { cutAfter })
      const acknowledged = await play(chip)
      const expected = await survives(t, `cut in operation ${cutAfter}`, chip, states[acknowledged]!)
      found.push({ chip, expected })
    }
  })
}

t.test('cut off again while that is put right: still the same', async (t) => {
  for (let cutAfter = 0; cutAfter < total; cutAfter += 3) {
    const chip = newChip()
    Object.assign(chip.faults, cuts[cutAfter % cuts.length], { cutAfter })
    const acknowledged = await play(chip)
    const work = await operations(copyOf(chip), (chip) => openStore(chip.open(), options).acquire())
    for (let second = 0; second < work; second += 1) {
      const again = copyOf(chip)
      Object.assign(again.faults, cuts[(cutAfter + second) % cuts.length], { cutAfter: second })
      await t.rejects(openStore(again.open(), options).acquire(), { code: 'EIO' })
      await survives(t, `cut in operation ${cutAfter} and in ${second}`, again, states[acknowledged]!)
    }
  }
})

needing('virt-firmware finds the same in all of them', missingVirtFirmware, async (t) => {
  const read = readByVirtFirmware(
    t.testdir(),
    found.map(({ chip }) => chip.contents)
  )
  for (const [i, { expected }] of found.entries()) {
    const seen = read[i]!.filter((line) => !line.includes(' After '))
    if (`${seen}` !== `${expected}`) t.fail(`state ${i}`, { seen, expected })
  }
  t.equal(read.length, found.length)
})
