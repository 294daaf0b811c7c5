import t from 'tap'
import { readSmbios } from '#hal/smbios.ts'
import { structure, tables, word } from './fixtures/smbios.ts'

t.test('the host, its processors and its memory are read', async (t) => {
  t.same(readSmbios(tables), {
    biosVersion: '1.2.3',
    manufacturer: 'Acme',
    model: 'X9',
    serialNumber: 'S-77',
    sku: undefined,
    assetTag: 'rack 7',
    uuid: '03020100-0504-0706-0809-0a0b0c0d0e0f',
    processors: [{ socket: 'CPU 0', manufacturer: 'Chips', model: 'Fast', cores: 32, threads: 300, maxSpeedMHz: 3900 }],
    memory: [
      {
        location: 'DIMM A1',
        manufacturer: 'Mem',
        partNumber: 'P-1',
        serialNumber: 'M-1',
        capacityMiB: 65_536,
        speed: 4800,
        ranks: 2
      }
    ]
  })
})

t.test('placeholder values of the firmware are left out', async (t) => {
  const system = structure(1, { 4: [1], 5: [2], 8: Array(16).fill(0xff) }, 0x1b, ['To Be Filled By O.E.M.', ' '])
  t.match(readSmbios(system), {
    manufacturer: undefined,
    model: undefined,
    uuid: undefined,
    processors: [],
    memory: []
  })
})

t.test('a UUID is undefined if all its bits are equal, or if the structure ends within it', async (t) => {
  const uuid = (bytes: readonly number[], length = 0x1b) => {
    const read = readSmbios(structure(1, { 8: bytes }, length))
    return typeof read === 'string' ? read : read.uuid
  }
  t.equal(uuid(Array(16).fill(0)), undefined)
  t.equal(uuid(Array(16).fill(0xff)), undefined)
  t.equal(uuid([...Array(15).fill(0), 1]), '00000000-0000-0000-0000-000000000001')
  t.equal(uuid([...Array(15).fill(0xff), 0]), 'ffffffff-ffff-ffff-ffff-ffffffffff00')
  t.equal(uuid([1, 2, 3], 0x17), undefined)
})

t.test('a missing text is undefined, and a long one is cut to 256 characters', async (t) => {
  const model = (number: number, texts: readonly string[]) => {
    const read = readSmbios(structure(1, { 5: [number] }, 0x1b, texts))
    return typeof read === 'string' ? read : read.model
  }
  t.equal(model(2, ['Acme', 'X9']), 'X9')
  t.equal(model(3, ['Acme', 'X9']), undefined)
  t.equal(model(0, ['Acme']), undefined)
  t.equal(model(1, ['x'.repeat(300)]), 'x'.repeat(256))
  t.equal(model(1, [' a\u0001\u0085\u00e4 ']), 'aä')
})

t.test('sizes of modules: MiB, KiB, extended, unknown, none', async (t) => {
  for (const [size, extended, expected] of [
    [2048, 0, [2048]],
    [0x8000 + 4096, 0, [4]],
    [0x7fff, 131_072, [131_072]],
    [0x8000, 0, []],
    [0xffff, 0, []],
    [0, 0, []]
  ] as const) {
    const fields = { 12: word(size), 28: [...word(extended % 65_536), ...word(Math.floor(extended / 65_536))] }
    const read = readSmbios(structure(17, fields, 0x22))
    t.same(typeof read === 'string' ? read : read.memory.map(({ capacityMiB }) => capacityMiB), expected)
  }
})

t.test('tables that break off are refused, unless a structure ends there', async (t) => {
  t.equal(readSmbios(new Uint8Array()), 'there are no structures')
  for (let length = 0; length < tables.length; length += 1) {
    const read = readSmbios(tables.subarray(0, length))
    if (typeof read !== 'string') t.same([...tables.subarray(length - 2, length)], [0, 0])
  }
})

t.test('no bytes make it fail, and its result is bounded', async (t) => {
  let seed = 4711
  const unbounded: unknown[] = []
  const next = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return (seed >>> 8) % below
  }
  for (let round = 0; round < 20_000; round += 1) {
    const bytes = Uint8Array.from(tables)
    for (let left = 1 + next(8); left > 0; left -= 1) bytes[next(bytes.length)] = next(256)
    const read = readSmbios(bytes.subarray(0, next(2) === 0 ? bytes.length : next(bytes.length)))
    if (typeof read === 'string') continue
    const { processors, memory, ...texts } = read
    const values: unknown[] = [texts, ...processors, ...memory].flatMap(Object.values)
    const isBounded = (value: unknown) =>
      typeof value === 'string'
        ? value.length <= 256 && /^[\x20-\x7e\xa0-\xff]*$/.test(value)
        : value === undefined || Number.isSafeInteger(value)
    unbounded.push(...values.filter((value) => !isBounded(value)))
  }
  t.same(unbounded, [])
  const many = (count: number) =>
    Uint8Array.from(
      Array(count)
        .fill([...structure(17, { 12: word(1) }, 0x22)])
        .flat()
    )
  t.equal(readSmbios(many(4097)), 'there are too many structures')
  const most = readSmbios(many(4096))
  t.equal(typeof most === 'string' ? most : most.memory.length, 256)
})
