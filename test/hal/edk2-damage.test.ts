// own process: it takes as long as the rest of the ring
import t, { type Test } from 'tap'
import { createStore } from '#hal/edk2/create.ts'
import { headerFaults } from '#hal/edk2/headers.ts'
import type { Layout } from '#hal/edk2/layout.ts'
import { openStore } from '#hal/edk2/store.ts'
import { type SimFlash, simFlash } from '#hal/sim/flash.ts'
import { contents, variable } from '#test/hal/contracts/nvram.ts'

const layout: Layout = {
  offset: 0,
  storeSize: 0x1000,
  workOffset: 0x1000,
  workSize: 0x200,
  spareOffset: 0x1200,
  spareSize: 0x1000,
  blockSize: 0x200,
  largestVariable: 0x800
}
const geometry = { size: 0x2200, eraseSize: 0x200 }
const options = { layout, reserve: 0, clock: () => new Date('2030-01-02T03:04:05Z') }
const erofs = { name: 'HalError', code: 'EROFS' }

/** Marsaglia's 32-bit xorshift (13, 17, 5): the same numbers on every machine. */
function xorshift(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}

/** A store with a rewriting in its journal, and these three records in this order. */
async function original(): Promise<SimFlash> {
  const chip = simFlash(geometry)
  const flash = chip.open()
  createStore(flash, layout)
  const store = openStore(flash, options)
  await store.acquire()
  await store.set([variable('First', 'first!'), variable('Keys', 'key', 0x27), variable('Gone', new Uint8Array(1900))])
  await store.set([variable('Gone', new Uint8Array(1950))])
  await store.set([variable('Gone', ''), variable('Last', 'last')])
  await store.close()
  return chip
}

const sound = (await original()).contents
const first = 0x64
const keys = first + 60 + 12 + 6 + 2
const gone = keys + 60 + 10 + 3 + 3
const last = gone + 60 + 10 + 1950
const entry = layout.workOffset + 32

function chipOf(bytes: Uint8Array): SimFlash {
  const chip = simFlash(geometry)
  chip.contents.set(bytes)
  return chip
}

const before = contents(openStore(chipOf(sound).open(), options))

t.test('the records are at the offsets that the tests below use', (t) => {
  for (const [offset, name] of [
    [first, 'First'],
    [keys, 'Keys'],
    [gone, 'Gone'],
    [last, 'Last']
  ] as const) {
    t.equal(Buffer.from(sound.subarray(offset + 60, offset + 60 + 2 * name.length)).toString('utf16le'), name)
  }
  t.equal(sound[entry], 0xf8, 'a write that was ended')
  t.equal(before.length, 3)
  t.end()
})

/** Opens a chip: nothing is thrown, and nothing is written until all is well. @returns whether it is well */
async function opens(t: Test, title: string, bytes: Uint8Array): Promise<string[] | undefined> {
  const chip = chipOf(bytes)
  const store = openStore(chip.open(), options)
  const seen = contents(store)
  const { state, faults } = store.health
  if (Buffer.compare(chip.contents, bytes) !== 0) t.fail(`${title}: opening has written to it`)
  if (state !== 'ok') {
    if (faults.length === 0 || faults.some((fault) => fault.length < 10))
      t.fail(`${title}: nothing is said`, { faults })
    await t.rejects(store.acquire(), erofs, title)
    await t.rejects(store.set([variable('New', 'x')]), erofs, title)
    await store.release()
    if (Buffer.compare(chip.contents, bytes) !== 0) t.fail(`${title}: it is ${state} and was written to`)
    return undefined
  }
  await store.acquire()
  t.strictSame(store.health, { state: 'ok', faults: [] }, title)
  await store.set([variable('New', title)])
  const written = contents(store)
  await store.close()
  if (`${contents(openStore(chip.open(), options))}` !== `${written}`)
    t.fail(`${title}: the next one finds something else`)
  return seen
}

interface Field {
  name: string
  offset: number
  size: number
  /** Whether the store is sound with another value; by default it is damaged. */
  allows?(value: bigint): boolean
}

const states = [0x7f, 0x3f, 0x3e, 0x3d, 0x3c, 0xbf]
const isTime = (value: bigint) => {
  const [year, month, day, hour, minute, second] = [0n, 16n, 24n, 32n, 40n, 48n].map((at, i) =>
    Number((value >> at) & (i === 0 ? 0xffffn : 0xffn))
  ) as [number, number, number, number, number, number]
  if (value === 0n) return true
  const days = new Date(Date.UTC(2000, month, 0)).getUTCDate()
  const leap = month !== 2 || day <= 28 || new Date(Date.UTC(year, 2, 0)).getUTCDate() === 29
  const inDay = hour < 24 && minute < 60 && second < 60
  return value >> 56n === 0n && month >= 1 && month <= 12 && day >= 1 && day <= days && leap && inDay && year >= 100
}
const isAttributes = (value: bigint) => (value & 3n) === 3n && (value & ~0xbfn) === 0n

const record = (name: string, offset: number): Field[] => [
  { name: `${name}: StartId`, offset, size: 2 },
  {
    name: `${name}: State`,
    offset: offset + 2,
    size: 1,
    // A header that is not written to its end has nothing valid behind it.
    allows: (value) => states.includes(Number(value)) || (offset === last && value === 0xffn)
  },
  { name: `${name}: reserved`, offset: offset + 3, size: 1 },
  {
    name: `${name}: Attributes`,
    offset: offset + 4,
    size: 4,
    allows: (value) => isAttributes(value) && (offset !== keys || (value & 0x20n) !== 0n)
  },
  { name: `${name}: MonotonicCount`, offset: offset + 8, size: 8 },
  { name: `${name}: PubKeyIndex`, offset: offset + 32, size: 4 },
  { name: `${name}: NameSize`, offset: offset + 36, size: 4 },
  { name: `${name}: VendorGuid`, offset: offset + 44, size: 8, allows: () => true },
  { name: `${name}: name`, offset: offset + 60, size: 2, allows: (value) => value !== 0n },
  { name: `${name}: end of the name`, offset: offset + 60 + 2 * name.length, size: 2 }
]

const fields: Field[] = [
  { name: 'zero vector', offset: 0, size: 8 },
  { name: 'zero vector, end', offset: 8, size: 8 },
  { name: 'FileSystemGuid', offset: 0x10, size: 8 },
  { name: 'FileSystemGuid, end', offset: 0x18, size: 8 },
  { name: 'FvLength', offset: 0x20, size: 8 },
  { name: 'Signature', offset: 0x28, size: 4 },
  { name: 'Attributes', offset: 0x2c, size: 4 },
  { name: 'HeaderLength', offset: 0x30, size: 2 },
  { name: 'Checksum', offset: 0x32, size: 2 },
  { name: 'ExtHeaderOffset', offset: 0x34, size: 2 },
  { name: 'Reserved', offset: 0x36, size: 1 },
  { name: 'Revision', offset: 0x37, size: 1 },
  { name: 'NumBlocks', offset: 0x38, size: 4 },
  { name: 'Length', offset: 0x3c, size: 4 },
  { name: 'end of the block map', offset: 0x40, size: 8 },
  { name: 'store GUID', offset: 0x48, size: 8 },
  { name: 'store GUID, end', offset: 0x50, size: 8 },
  { name: 'store Size', offset: 0x58, size: 4 },
  { name: 'store Format', offset: 0x5c, size: 1 },
  { name: 'store State', offset: 0x5d, size: 1 },
  { name: 'store reserved', offset: 0x5e, size: 2 },
  { name: 'store reserved, end', offset: 0x60, size: 4 },
  ...record('First', first),
  { name: 'First: TimeStamp', offset: first + 16, size: 8 },
  // Nothing says where the data ends and the padding begins.
  { name: 'First: DataSize', offset: first + 40, size: 4, allows: (value) => value > 6n && value <= 8n },
  ...record('Keys', keys),
  { name: 'Keys: TimeStamp', offset: keys + 16, size: 8, allows: isTime },
  { name: 'Keys: TimeStamp, end', offset: keys + 24, size: 8 },
  { name: 'Keys: DataSize', offset: keys + 40, size: 4, allows: (value) => value > 3n && value <= 6n },
  ...record('Last', last),
  {
    name: 'Last: DataSize',
    offset: last + 40,
    size: 4,
    // Nor where the free space begins.
    allows: (value) => value > 4n && last + 70 + Number(value) <= layout.storeSize
  },
  { name: 'dead: StartId', offset: gone, size: 2 },
  { name: 'dead: NameSize', offset: gone + 36, size: 4, allows: (value) => value > 6n && value <= 10n },
  { name: 'dead: DataSize', offset: gone + 40, size: 4, allows: (value) => value > 1946n && value <= 1950n }
]

for (const [i, field] of fields.entries()) {
  t.test(`${field.name}: another value is reported, and nothing is written`, (t) => tryValues(t, field, sound, i + 1))
}

t.test('a fault of the headers is reported with the place of its field', async (t) => {
  const single = fields.filter(
    ({ offset, name }) => offset < first && !/GUID, end|Guid, end|FvLength|NumBlocks/.test(name)
  )
  for (const { name, offset, size } of single) {
    const bytes = sound.slice()
    for (let i = 0; i < size; i += 1) bytes[offset + i]! ^= 0xff
    const faults = headerFaults(bytes, layout)
    t.ok(
      faults.some((fault) => fault.startsWith(`0x${offset.toString(16)}: `)),
      `${name}: ${faults}`
    )
  }
})

async function tryValues(t: Test, field: Field, original: Uint8Array, seed: number): Promise<void> {
  const { name, offset, size, allows = () => false } = field
  const random = xorshift(seed)
  const all = (1n << BigInt(8 * size)) - 1n
  const view = (bytes: Uint8Array) => bytes.subarray(offset, offset + size)
  const was = number(view(original))
  const flips = Array.from({ length: 8 * size }, (_, bit) => was ^ (1n << BigInt(bit)))
  const others = Array.from({ length: 30 }, () => ((BigInt(random()) << 32n) | BigInt(random())) & all)
  const small = [1n, 2n, 3n, 4n, 5n, 8n, 12n].flatMap((step) => [was + step, was - step])
  const values = new Set([0n, all, ...small, ...flips, ...others].map((value) => value & all))
  values.delete(was)
  for (const value of values) {
    const bytes = original.slice()
    view(bytes).forEach((_, at, field) => {
      field[at] = Number((value >> BigInt(8 * at)) & 0xffn)
    })
    const title = `${name} 0x${value.toString(16)}`
    const seen = await opens(t, title, bytes)
    if (seen && !allows(value)) t.fail(`${title}: taken for sound`, { seen })
    if (!seen && allows(value)) t.fail(`${title}: taken for damaged`)
  }
}

function number(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
}

t.test('the working block is scratch space: any header is accepted and rewritten', async (t) => {
  for (let at = 0; at < 32; at += 1) {
    for (const flip of [1, 0x80, 0xff]) {
      const bytes = sound.slice()
      bytes[layout.workOffset + at]! ^= flip
      const { faults } = openStore(chipOf(bytes).open(), options).health
      t.match(faults, [/^0x10..: the header of the working block/], `byte ${at}`)
      t.strictSame(await opens(t, `working block, byte ${at}`, bytes), before)
    }
  }
})

/** The fields of a journal's entry, whose write is wholly in the spare blocks and not yet in its place. */
const recordOf = entry + 40
const writeFields: Field[] = [
  { name: 'CallerId', offset: entry + 4, size: 8, allows: () => true },
  // A journal of another firmware: the first of several writes is half done.
  { name: 'NumberOfWrites', offset: entry + 24, size: 8, allows: (value) => value >= 1n && value <= 11n },
  { name: 'PrivateDataSize', offset: entry + 32, size: 8, allows: (value) => value <= 400n },
  { name: 'Lba', offset: recordOf + 8, size: 8 },
  { name: 'Offset', offset: recordOf + 16, size: 8 },
  { name: 'Length', offset: recordOf + 24, size: 8 },
  { name: 'RelativeOffset', offset: recordOf + 32, size: 8 }
]

t.test('an implausible record of an interrupted write is reported, and nothing is written', async (t) => {
  const pending = sound.slice()
  pending[entry] = 0xfc
  pending[recordOf] = 0xfd
  const { storeSize, spareOffset } = layout
  pending.copyWithin(spareOffset, 0, storeSize)
  pending.fill(0xff, 0, storeSize)
  t.strictSame(await opens(t, 'as it is', pending), before, 'it is ended')
  for (const field of writeFields) await t.test(field.name, (t) => tryValues(t, field, pending, 1))
})

t.test('with any damage, it is read, or reported and not written', async (t) => {
  const random = xorshift(2031)
  const outcomes = { ok: 0, reported: 0 }
  for (let round = 0; round < 2000; round += 1) {
    const bytes = sound.slice()
    for (let i = 1 + (random() % 8); i > 0; i -= 1) {
      const at = random() % bytes.length
      const length = random() % 4 === 0 ? random() % 300 : 1
      const kind = random() % 3
      if (kind === 0) bytes.fill(random() & 0xff, at, at + length)
      else if (kind === 1) bytes[at]! ^= 1 << (random() % 8)
      else bytes.copyWithin(at, random() % bytes.length, (random() % bytes.length) + length)
    }
    outcomes[(await opens(t, `round ${round}`, bytes)) ? 'ok' : 'reported'] += 1
  }
  t.ok(outcomes.ok > 100 && outcomes.reported > 100, JSON.stringify(outcomes))
})

t.test('blank, foreign and truncated flashes are reported and not written', async (t) => {
  const random = xorshift(7)
  const { size } = geometry
  for (const [what, bytes, state, fault] of [
    ['blank', new Uint8Array(size).fill(0xff), 'absent', /^0x0: erased/],
    ['zeros', new Uint8Array(size), 'absent', /something else/],
    ['noise', new Uint8Array(size).map(() => random()), 'absent', /something else/],
    ['text', new Uint8Array(size).map((_, i) => 32 + (i % 64)), 'absent', /something else/],
    ['all headers', new Uint8Array(size).map((_, i) => sound[first + (i % 60)]!), 'absent', /something else/]
  ] as const) {
    const { health } = openStore(chipOf(bytes).open(), options)
    t.equal(health.state, state, what)
    t.match(health.faults, [fault], what)
    t.equal(await opens(t, what, bytes), undefined)
  }
  for (let blocks = 1; blocks < size / 0x200; blocks += 1) {
    const chip = simFlash({ ...geometry, size: blocks * 0x200 })
    chip.contents.set(sound.subarray(0, chip.contents.length))
    const { health } = openStore(chip.open(), options)
    t.equal(health.state, 'damaged')
    t.match(health.faults, [/ends at 0x2200, and the flash at/])
  }
})
