import t from 'tap'
import { createStore } from '#hal/edk2/create.ts'
import { edk2Layouts, type Layout } from '#hal/edk2/layout.ts'
import { openStore } from '#hal/edk2/store.ts'
import type { Nvram } from '#hal/nvram.ts'
import { type SimFlash, simFlash } from '#hal/sim/flash.ts'
import { guidBytes } from '#hal/uefi/guid.ts'
import { hex } from '#runtime/base/bytes.ts'
import { contents, variable } from '#test/hal/contracts/nvram.ts'
import { counted } from './counted.ts'

const layout: Layout = edk2Layouts['4M']
const size = layout.spareOffset + layout.spareSize
const eio = { name: 'HalError', code: 'EIO' }
const einval = { name: 'HalError', code: 'EINVAL' }
const erofs = { name: 'HalError', code: 'EROFS' }

function newChip(wanted: Layout = layout, more = 0): SimFlash {
  const chip = simFlash({ size: wanted.spareOffset + wanted.spareSize + more })
  const flash = chip.open()
  createStore(flash, wanted)
  flash.close()
  return chip
}

async function opened(chip: SimFlash, options: Parameters<typeof openStore>[1] = {}) {
  const { flash, count } = counted(chip.open())
  const nvram = openStore(flash, options)
  await nvram.acquire()
  return { nvram, count }
}

/** Fills a store with dead records until less than `left` bytes are free behind them. */
async function waste(nvram: Nvram, left: number): Promise<void> {
  const overhead = 60 + 2 * 'Waste'.length + 2
  for (let free = nvram.space.free + 4096; free > left + overhead; ) {
    const length = Math.min(30_000, free - left - overhead) & ~3
    await nvram.set([variable('Waste', new Uint8Array(length).fill(free))])
    await nvram.set([variable('Waste', '')])
    free -= length + overhead
  }
}

t.test('a variable is written in four steps, and the old one is given up when the new one is valid', async (t) => {
  const chip = newChip()
  const { nvram } = await opened(chip)
  await nvram.set([variable('A', 'old')])
  await nvram.set([variable('A', 'new')])
  const [first, second] = [0x64, 0x64 + 68]
  const states = [first, second].map((offset) => chip.contents[offset + 2])
  t.strictSame(states, [0x3c, 0x3f])
  await nvram.set([variable('A', '')])
  t.equal(chip.contents[second + 2], 0x3d, 'deleted at once')
  t.equal(
    Buffer.from(chip.contents.subarray(first, first + 68)).toString('hex'),
    [
      ...['aa55', '3c', '00', '07000000', '00'.repeat(8), '00'.repeat(16), '00000000', '04000000', '03000000'],
      ...['1e6c1a4fd2931f4b8d5a6f0d3c2b1a90', '41000000', '6f6c64', 'ff']
    ].join('')
  )
})

t.test('an update programs its own record, the states of both, and nothing else, and erases nothing', async (t) => {
  const { nvram, count } = await opened(newChip())
  const name = 'Pending'
  const attribute = (value: string) => variable(name, JSON.stringify({ Id: 1, Attributes: { BootMode: value } }))
  await nvram.set([attribute('Legacy')])
  const record = 60 + 2 * name.length + 2 + attribute('Legacy').data.length
  t.comment(`${count.bytes} bytes in ${count.programs} programs for a record of ${record} bytes`)
  t.equal(count.bytes, record + 1, 'the state is programmed twice')
  const before = { ...count }
  await nvram.set([attribute('Uefi')])
  t.equal(count.bytes - before.bytes, record - 2 + 3, 'and that of the old one as well')
  t.equal(count.programs - before.programs, 7)
  t.strictSame(count.erased, [])
})

t.test('a variable that has the same value already is not written', async (t) => {
  const { nvram, count } = await opened(newChip())
  await nvram.set([variable('A', 'same'), variable('B', 'key', 0x27)])
  const before = { ...count }
  await nvram.set([variable('A', 'same'), variable('B', 'key', 0x27), variable('None', '')])
  await nvram.set([])
  t.strictSame(count, before)
  await nvram.set([variable('A', 'same', 0x03)])
  t.ok(count.programs > before.programs, 'other attributes are a change')
})

t.test('a full store is rewritten with all the changes at once, and only the blocks that differ', async (t) => {
  const chip = newChip()
  const { nvram, count } = await opened(chip)
  await nvram.set([variable('Fixed', new Uint8Array(2 * 4096).fill(1))])
  await waste(nvram, 500)
  t.strictSame(count.erased, [], 'not before it is full')
  const [programs, bytes] = [count.programs, count.bytes]
  const between = () => Buffer.from(chip.contents.subarray(layout.storeSize, layout.workOffset)).toString('hex')
  const before = between()
  await nvram.set([variable('New', new Uint8Array(600).fill(2)), variable('Other', 'x'), variable('Third', '')])
  const inStore = count.erased.filter((offset) => offset < layout.storeSize)
  t.comment(`${count.erased.length} erases, ${count.programs - programs} programs of ${count.bytes - bytes} bytes`)
  t.strictSame(Math.min(...inStore), 2 * 4096, 'the first two blocks are as they were')
  t.equal(inStore.length, 62)
  t.equal(new Set(count.erased).size, count.erased.length, 'no block twice')
  t.ok(
    count.erased.every((offset) => offset < layout.workOffset),
    'the spare blocks were blank'
  )
  t.equal(between(), before, 'what lies between the store and its journal is as it was')
  const journal = layout.workOffset + 32
  t.strictSame(
    [chip.contents[journal], chip.contents[journal + 40]],
    [0xf8, 0xf9],
    'the journal has a write that ended'
  )
  t.strictSame(contents(openStore(simCopy(chip).open())), contents(nvram))
  t.equal(nvram.list().length, 3)

  await waste(nvram, 500)
  count.erased.length = 0
  await nvram.set([variable('Other', new Uint8Array(600))])
  const [store, spare] = [layout.storeSize, layout.spareOffset].map((end, i) =>
    count.erased.filter((offset) => (i === 0 ? offset < end : offset >= end))
  )
  t.comment(`again: ${store!.length} erases in the store and ${spare!.length} in the spare blocks`)
  t.ok(spare!.length <= 2, 'which hold most of it already')
})

function simCopy(chip: SimFlash): SimFlash {
  const copy = simFlash({ size: chip.contents.length })
  copy.contents.set(chip.contents)
  return copy
}

/** A part of a flash in hex, sixteen bytes a line. */
const dump = (chip: SimFlash, offset: number, length: number) =>
  hex(chip.contents.subarray(offset, offset + length)).match(/.{1,32}/g)

t.test('a new store has the headers of OVMF and an empty working block', async (t) => {
  const chip = newChip()
  t.same(dump(chip, 0, 0x64), [
    '00000000000000000000000000000000',
    '8d2bf1ff96768b4ca9852747075b4f50',
    '00400800000000005f465648fffe0400',
    '4800afb8000000028400000000100000',
    '0000000000000000782cf3aa7b949a43',
    'a1802e144ec37792b8ff03005afe0000',
    '00000000'
  ])
  t.same(dump(chip, layout.workOffset, 0x30), [
    '2b29589e687c7d49a0ce6500fd9f1b95',
    '2caf2c64feffffffe00f000000000000',
    'ffffffffffffffffffffffffffffffff'
  ])
})

t.test('a rewriting leaves the journal entry of the driver of EDK II', async (t) => {
  const chip = newChip()
  const { nvram } = await opened(chip)
  await waste(nvram, 100)
  await nvram.set([variable('Large', new Uint8Array(8000))])
  t.same(dump(chip, layout.workOffset + 0x20, 0x60), [
    'f8ffffff48b20c47ace83c47bb4f8106',
    '9a1fe6fdffffffff0100000000000000',
    '0000000000000000f9ffffffffffffff',
    '00000000000000004800000000000000',
    'b8ff03000000000000e0fbffffffffff',
    'ffffffffffffffffffffffffffffffff'
  ])
})

t.test('it is rewritten any number of times: a full journal is recreated', async (t) => {
  const small: Layout = { ...edk2Layouts['2M'] }
  const { nvram, count } = await opened(newChip(small))
  const journals = () => count.erased.filter((offset) => offset === small.workOffset).length
  for (let i = 0; journals() < 2; i += 1) {
    if (i > 2000) return t.fail('never')
    await nvram.set([variable('Large', new Uint8Array(8000).fill(i)), variable('Count', `${i}`)])
  }
  t.equal(nvram.list().length, 2)
})

t.test('variables that the host wrote are read when it is off again', async (t) => {
  const chip = newChip()
  const ours = openStore(chip.open())
  await ours.acquire()
  await ours.set([variable('Ours', '1')])
  await ours.release()
  const host = simCopy(chip)
  const { nvram } = await opened(host)
  await nvram.set([variable('Theirs', '2'), variable('Ours', '3')])
  chip.contents.set(host.contents)
  t.equal(ours.list().length, 1, 'what was read last')
  await ours.acquire()
  t.strictSame(contents(ours), contents(nvram))
  await ours.set([variable('More', '4')])
  t.strictSame(contents(openStore(simCopy(chip).open())), contents(ours))
})

t.test('a change by a running host is seen when it is complete', async (t) => {
  const chip = newChip(layout)
  let changedAt = 1
  const ours = openStore(chip.open(), { changedAt: () => changedAt })
  t.ok(ours.look?.())
  t.notOk(ours.look?.(), 'nothing has changed')
  const host = simCopy(chip)
  const { nvram } = await opened(host)
  await nvram.set([variable('New', '1')])
  const whole = host.contents.slice()
  const at = whole.findIndex((byte, offset) => byte !== chip.contents[offset])
  changedAt = 2
  chip.contents.set(whole.subarray(0, at + 8))
  t.notOk(ours.look?.(), 'a change that is begun')
  t.equal(ours.get('New', variable('New', '').guid), undefined)
  chip.contents.set(whole)
  t.ok(ours.look?.())
  t.strictSame(contents(ours), contents(nvram))
  await ours.acquire()
  changedAt = 3
  t.notOk(ours.look?.(), 'the host is held')
  t.equal(openStore(newChip(layout).open()).look, undefined, 'no record of changes')
})

t.test('known layouts are found wherever they lie in a flash', async (t) => {
  for (const wanted of Object.values(edk2Layouts)) {
    for (const offset of [0, wanted.blockSize, 127 * wanted.blockSize]) {
      const there = moved(wanted, offset)
      const chip = newChip(there, 0x3000)
      const { nvram } = await opened(chip)
      await nvram.set([variable('Here', 'x')])
      await nvram.close()
      t.equal(openStore(chip.open(), { layout: there }).list().length, 1)
    }
  }
})

function moved(wanted: Layout, by: number): Layout {
  const { offset, workOffset, spareOffset } = wanted
  return { ...wanted, offset: offset + by, workOffset: workOffset + by, spareOffset: spareOffset + by }
}

t.test('they are found without their first block, and repaired', async (t) => {
  for (const [name, wanted] of Object.entries(edk2Layouts)) {
    for (const offset of [0, 0x80000]) {
      const chip = newChip(moved(wanted, offset))
      const { nvram, count } = await opened(chip)
      for (let i = 0; count.erased.length === 0; i += 1)
        await nvram.set([variable('Large', new Uint8Array(8000).fill(i))])
      const wholly = contents(nvram)
      await nvram.close()
      // As if the power had been cut right after its first block was erased.
      const record = offset + wanted.workOffset + 32
      chip.contents[record] = 0xfc
      chip.contents[record + 40] = 0xfd
      chip.contents.fill(0xff, offset, offset + 0x1000)
      const again = openStore(chip.open())
      t.equal(`${contents(again)}` === `${wholly}`, true, `${name} at ${offset}`)
      t.match(again.health, { state: 'ok', faults: [/cut off/] })
      await again.acquire()
      t.strictSame(again.health, { state: 'ok', faults: [] })
      await again.close()
      t.strictSame(contents(openStore(chip.open())), wholly)
    }
  }
})

t.test('a layout that cannot be, or not in this flash, is reported', async (t) => {
  const impossible: [why: RegExp, Partial<Layout>][] = [
    [/whole blocks of 4096/, { storeSize: 0x40001 }],
    [/whole blocks of 0/, { blockSize: 0 }],
    [/whole blocks/, { offset: -4096 }],
    [/whole blocks/, { workOffset: Number.NaN }],
    [/is empty/, { workSize: 0 }],
    [/overlap/, { workOffset: 0x3f000 }],
    [/overlap/, { spareOffset: 0x41000 }],
    [/less than/, { spareSize: 0x3f000 }],
    [/a variable cannot have/, { largestVariable: 0 }],
    [/a variable cannot have/, { largestVariable: 0x40000 }],
    [/ends at 0x85000/, { spareOffset: 0x43000 }]
  ]
  for (const [why, wrong] of impossible) {
    const chip = simFlash({ size })
    const flash = chip.open()
    t.throws(() => createStore(flash, { ...layout, ...wrong }), { ...einval, message: why })
    const nvram = openStore(flash, { layout: { ...layout, ...wrong } })
    t.match(nvram.health, { state: 'damaged', faults: [why] })
    await t.rejects(nvram.acquire(), { ...erofs, message: why })
  }
  const coarse = openStore(simFlash({ size: 0x90000, eraseSize: 0x10000 }).open(), { layout })
  t.match(coarse.health, { state: 'damaged', faults: [/cannot be erased in steps of 65536/] })
  const units = openStore(simFlash({ size, writeSize: 8 }).open(), { layout })
  t.match(units.health, { state: 'damaged', faults: [/single bytes cannot be programmed/] })
})

t.test('a store is created only in erased flash', async (t) => {
  for (const offset of [0, 0x3ffff, 0x41000, size - 1]) {
    const chip = simFlash({ size })
    chip.contents[offset] = 0xfe
    const before = chip.contents.slice()
    t.throws(() => createStore(chip.open(), layout), { ...einval, message: /not erased/ })
    t.strictSame(chip.contents, before)
  }
})

t.test('no store, a store without authentication, a flash that cannot be read: each is said', async (t) => {
  const blank = openStore(simFlash({ size }).open())
  t.match(blank.health, { state: 'absent', faults: [/no variable store/] })
  t.strictSame(blank.space, { total: 0, free: 0, largest: 0 })
  await t.rejects(blank.acquire(), erofs)

  const chip = newChip()
  chip.contents.set(guidBytes('ddcf3616-3275-4164-98b6-fe85707ffe7d'), 0x48)
  t.match(openStore(chip.open()).health, { state: 'damaged', faults: [/without authentication/] })

  const closed = newChip().open()
  closed.close()
  const unread = openStore(closed)
  t.match(unread.health, { state: 'damaged', faults: [/closed/] })
  await t.rejects(unread.acquire(), { code: 'ENODEV' })
})

t.test('a failed write leaves the old value, and the next one reads the flash again', async (t) => {
  const chip = newChip()
  const { nvram } = await opened(chip)
  await nvram.set([variable('A', 'old'), variable('B', 'old')])
  chip.faults.badBlocks = [0]
  await t.rejects(nvram.set([variable('A', 'new')]), eio)
  t.equal(nvram.get('A', variable('A', '').guid)?.data.length, 3)
  await t.rejects(nvram.set([variable('A', 'new')]), eio)
  chip.faults.badBlocks = []
  await nvram.set([variable('A', 'newer')])
  t.strictSame(contents(openStore(simCopy(chip).open())), contents(nvram))
  t.equal(nvram.get('A', variable('A', '').guid)?.data.length, 5)
})

t.test('a store that cannot be put right is EIO, and may be tried again', async (t) => {
  const chip = newChip()
  chip.contents[0x64] = 0xaa
  chip.faults.badBlocks = [layout.spareOffset / 4096]
  const nvram = openStore(chip.open())
  t.match(nvram.health, { state: 'ok', faults: [/not begun wholly/] })
  await t.rejects(nvram.acquire(), eio)
  await t.rejects(nvram.set([variable('A', '1')]), eio)
  chip.faults.badBlocks = []
  await nvram.set([variable('A', '1')])
  t.strictSame(nvram.health, { state: 'ok', faults: [] })
})

t.test('some space is reserved for the firmware, freed space included', async (t) => {
  const { nvram } = await opened(newChip(), { reserve: 10_000 })
  const total = layout.storeSize - 0x64 - 10_000
  t.equal(nvram.space.total, total)
  const large = (i: number) => variable(`Large ${i}`, new Uint8Array(20_000))
  for (let i = 0; i < 12; i += 1) await nvram.set([large(i)])
  await t.rejects(nvram.set([large(12)]), { code: 'ENOSPC' })
})

t.test('a store that firmware has filled beyond that can be emptied', async (t) => {
  const chip = newChip()
  const { nvram } = await opened(chip, { reserve: 0 })
  for (let i = 0; i < 10; i += 1) await nvram.set([variable(`Large ${i}`, new Uint8Array(26_000))])
  await nvram.close()
  const { nvram: again } = await opened(chip)
  t.equal(again.space.free, 0)
  await t.rejects(again.set([variable('One more', '1')]), { code: 'ENOSPC' })
  await again.set([variable('Large 0', ''), variable('One more', '1')])
  await again.set([variable('Large 1', 'small')])
  t.ok(again.space.free > 20_000)
})
