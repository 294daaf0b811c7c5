import t from 'tap'
import { Frames } from '#hal/dbus/frames.ts'
import { type Header, readBody, readHeader, writeMessage } from '#hal/dbus/message.ts'
import { typesOf } from '#hal/dbus/signature.ts'
import { type KeepEntries, Reader, type Value, Variant, Writer } from '#hal/dbus/values.ts'
import { bytes, concatenated, hex } from '#runtime/base/bytes.ts'

const valid = { kind: 'signal', serial: 1, isUnanswered: true, path: '/a', interface: 'a.b', member: 'C' } as const
const damaged = { name: 'HalError', code: 'EIO' }
const wrong = { name: 'HalError', code: 'EINVAL' }

function written(signature: string, ...values: Value[]): string {
  const writer = new Writer()
  writer.values(signature, values)
  return hex(writer.written())
}

function read(signature: string, digits: string, isLittle = true): Value[] {
  const reader = new Reader(bytes(digits.replaceAll(' ', '')), isLittle)
  const values = reader.values(signature)
  reader.end()
  return values
}

/** The serial numbers of the messages in some bytes; negative without a body. */
function serials(frames: Frames, data: Uint8Array): number[] {
  const found: number[] = []
  frames.push(data, ({ head, body }) => {
    const serial = readHeader(head)?.serial ?? Number.NaN
    found.push(body === undefined ? -serial : serial)
  })
  return found
}

t.test('values are aligned to their sizes', async (t) => {
  t.equal(written('yq', 1, 2), '01000200')
  t.equal(written('yb', 1, true), '0100000001000000')
  t.equal(written('yx', 1, -2n), '0100000000000000feffffffffffffff')
  t.equal(written('yd', 1, 1), '0100000000000000000000000000f03f')
  t.equal(written('ys', 1, 'ab'), '0100000002000000616200')
  t.equal(written('yg', 1, 'ai'), '010261690' + '0')
  t.equal(written('a{yg}', new Map([[90, '']])), '03000000000000005a0000', 'the empty signature is valid')
  t.equal(written('y(y)', 1, [2]), '010000000000000002')
  t.equal(written('v', new Variant('u', 7)), '0175000007000000')
  t.equal(written('at', []), '0000000000000000', 'an empty array is padded as for its first item')
  t.equal(written('at', [1n]), '08000000000000000100000000000000', 'the padding does not count')
  t.equal(written('a{yv}', new Map([[3, new Variant('y', 4)]])), '0500000000000000' + '0301790004')
})

t.test('both byte orders are read', async (t) => {
  t.same(read('qux', '0102 0000 01020304 0102030405060708', false), [0x102, 0x1020304, 0x102030405060708n])
  t.same(read('qux', '0201 0000 04030201 0807060504030201'), [0x102, 0x1020304, 0x102030405060708n])
})

t.test('values that are not as their signature says are refused', async (t) => {
  for (const [signature, digits, why] of [
    ['b', '02000000', 'a boolean is 0 or 1'],
    ['yu', '01000100 01000000', 'padding is zero'],
    ['s', '02000000 616261', 'a text ends with NUL'],
    ['s', '02000000 610000', 'a text contains no NUL'],
    ['s', '02000000 c32800', 'a text is UTF-8'],
    ['s', 'ffffffff 616200', 'a text ends within the message'],
    ['o', '02000000 2f2f00', 'a path has no empty part'],
    ['o', '03000000 2f612f00', 'a path does not end with a slash'],
    ['g', '01 7a 00', 'a signature is valid'],
    ['v', '00 00', 'a variant has a value'],
    ['v', '02 7979 00 0101', 'a variant has one value'],
    ['v', '01 28 00 01', 'the signature of a variant is valid'],
    ['ai', '03000000 010000', 'an array has whole items'],
    ['ai', '05000000 01000000 02000000', 'an array has whole items'],
    ['ai', '08000000 01000000', 'an array ends within the message'],
    ['ay', '01000004 00', 'an array has 64 MiB at most'],
    ['y', '0102', 'there is nothing behind the values']
  ] as const)
    t.throws(() => read(signature, digits), damaged, why)
  t.throws(() => read('o', `01100000${'2f61'.repeat(2049)}00`), damaged, 'a path has 4096 bytes at most')
})

t.test('values that do not fit their type are not written', async (t) => {
  for (const [signature, ...values] of [
    ['y', 256],
    ['n', -32_769],
    ['u', 1.5],
    ['u', '1'],
    ['x', 1],
    ['t', -1n],
    ['t', 2n ** 64n],
    ['d', 1n],
    ['b', 1],
    ['s', 'a\0'],
    ['s', 1],
    ['o', 'a'],
    ['g', 'z'],
    ['v', 1],
    ['ay', [1]],
    ['ai', new Map()],
    ['a{yy}', []],
    ['(yy)', [1]],
    ['yy', 1]
  ] as [string, ...Value[]][])
    t.throws(() => written(signature, ...values), wrong, signature)
})

t.test('a signature has balanced containers, basic keys, and limits', async (t) => {
  for (const signature of ['', 'a{sv}', 'aa{s(ii)}', 'a'.repeat(32).concat('y'), `${'('.repeat(32)}y${')'.repeat(32)}`])
    t.ok(typesOf(signature), signature)
  t.equal(typesOf('y'.repeat(255)).length, 255)
  for (const signature of [
    ...['a', '(', ')', '()', '(y', 'y)', '{yy}', 'a{y}', 'a{yyy}', 'a{vy}', 'a{(y)y}', 'a{yy', 'e', 'r', 'z', '\0'],
    'a'.repeat(33).concat('y'),
    `${'('.repeat(33)}y${')'.repeat(33)}`,
    'y'.repeat(256)
  ])
    t.throws(() => typesOf(signature), wrong, JSON.stringify(signature))
})

t.test('containers are nested 64 deep at most', async (t) => {
  const nested = (depth: number): Variant => new Variant('v', depth === 1 ? new Variant('y', 1) : nested(depth - 1))
  t.throws(() => written('v', nested(64)), wrong)
  const deep = written('v', nested(63))
  t.ok(read('v', deep))
  t.throws(() => read('v', `017600${deep}`), damaged)
})

t.test('a message has 100,000 values at most', async (t) => {
  const length = Uint8Array.of(0x80, 0x1a, 0x06, 0x00)
  const items = concatenated([length, new Uint8Array(400_000)])
  t.throws(() => new Reader(items, true).values('aq'), /more than 100000 values/)
})

t.test('of the entries of a large dictionary as much is kept as is wanted', async (t) => {
  const dictionary = (letter: string, count: number) =>
    new Variant(letter, new Map(Array.from({ length: count }, (_, at) => [`k${at}`, Array(20).fill('x')])))
  const properties = (count: number): Value[] => [
    new Map([
      ['Large', dictionary('a{sas}', count)],
      ['Small', dictionary('a{sas}', 1)]
    ])
  ]
  const size = (_: Value, value: Value) => (value as Value[]).length
  const read = (signature: string, values: Value[], keeps: KeepEntries) => {
    const writer = new Writer()
    writer.values(signature, values)
    const body = Uint8Array.from(writer.written())
    return readBody({ ...valid, signature }, 0x6c, body, keeps)[0] as ReadonlyMap<Value, Variant>
  }
  const found = read('a{sv}', properties(20_000), { properties: { Large: size } })
  t.same([...((found.get('Large') as Variant).value as Map<Value, Value>).values()].slice(0, 2), [20, 20])
  t.same(found.get('Small'), dictionary('a{sas}', 1))
  t.throws(() => read('a{sv}', properties(20_000), {}), damaged, 'too many values')
  t.throws(
    () => read('a{sv}', properties(70_000), { properties: { Large: size } }),
    damaged,
    'each entry counts as three'
  )
  const alone = read('v', [dictionary('a{sas}', 2)], { first: size }) as unknown as Variant
  t.same([...(alone.value as Map<Value, Value>).values()], [20, 20])
})

t.test('a header is what its type needs', async (t) => {
  const change = (more: object) => writeMessage({ ...valid, ...more } as Header)
  for (const more of [
    { path: undefined },
    { interface: undefined },
    { member: undefined },
    { kind: 'call', member: undefined },
    { kind: 'return' },
    { kind: 'error', answers: 1 },
    { kind: 'error', error: 'a.b' },
    { serial: 0 }
  ])
    t.throws(() => readHeader(change(more)), damaged, JSON.stringify(more))
  for (const more of [
    { interface: 'a' },
    { interface: 'a..b' },
    { interface: 'a.1b' },
    { interface: `a.${'b'.repeat(254)}` },
    { member: 'a.b' },
    { member: '1' },
    { member: '' },
    { destination: 'a' },
    { destination: ':1' },
    { sender: 'a.b/' },
    { kind: 'return', answers: 0 },
    { path: 'a' }
  ])
    t.throws(() => change(more), wrong, JSON.stringify(more))
  for (const destination of [':1.42', 'a-b.c', 'com.example._1'])
    t.match(readHeader(change({ destination })), { destination })
})

t.test('unknown types and fields are ignored; fields of a wrong type or that are repeated are not', async (t) => {
  const message = writeMessage(valid)
  const unknown = message.slice()
  unknown[1] = 5
  t.equal(readHeader(unknown), undefined)
  const header = (...listed: Value[]) => {
    const writer = new Writer()
    writer.values('yyyyuua(yv)', [0x6c, 4, 0, 1, 0, 1, listed])
    writer.align(8)
    return writer.written()
  }
  const path: Value = [1, new Variant('o', '/a')]
  const rest: Value[] = [
    [2, new Variant('s', 'a.b')],
    [3, new Variant('s', 'C')]
  ]
  t.match(readHeader(header(path, ...rest, [77, new Variant('ai', [1])])), { path: '/a', member: 'C' })
  t.throws(() => readHeader(header(path, ...rest, path)), damaged, 'repeated')
  t.throws(() => readHeader(header([1, new Variant('s', '/a')], ...rest)), damaged, 'another type')
  t.throws(() => readHeader(header(path, ...rest, [0, new Variant('y', 1)])), damaged, 'zero')
  t.throws(() => readHeader(header(path, ...rest, [6, new Variant('s', 'nowhere')])), damaged, 'no name')
})

t.test('a body needs its signature', async (t) => {
  t.same(readBody({ ...valid, signature: 'y' }, 0x6c, Uint8Array.of(1)), [1])
  t.throws(() => readBody(valid, 0x6c, Uint8Array.of(1)), damaged)
  t.throws(() => readBody({ ...valid, signature: 'y' }, 0x6c, Uint8Array.of()), damaged)
})

t.test('messages arrive in any pieces', async (t) => {
  const stream = concatenated(
    [1, 2, 3].map((serial) => writeMessage({ ...valid, serial, signature: 's' }, ['x'.repeat(serial)]))
  )
  t.same(serials(new Frames(), stream), [1, 2, 3])
  for (let size = 1; size < 40; size++) {
    const frames = new Frames()
    const found: number[] = []
    for (let at = 0; at < stream.length; at += size) found.push(...serials(frames, stream.subarray(at, at + size)))
    t.same(found, [1, 2, 3], `${size} bytes`)
  }
})

t.test('the body of a message that is too long is not kept, and the next message is read', async (t) => {
  const long = writeMessage({ ...valid, serial: 5, signature: 'ay' }, [new Uint8Array(2 ** 24)])
  const next = writeMessage({ ...valid, serial: 6 })
  const frames = new Frames()
  t.same(serials(frames, long.subarray(0, 1000)), [])
  t.same(serials(frames, concatenated([long.subarray(1000), next])), [-5, 6])
})

t.test('a message whose header is too long is skipped', async (t) => {
  const writer = new Writer()
  const more = Array.from({ length: 20_000 }, () => [77, new Variant('y', 1)])
  writer.values('yyyyuua(yv)', [0x6c, 4, 0, 1, 2 ** 24, 1, more])
  writer.align(8)
  const next = writeMessage({ ...valid, serial: 6 })
  t.same(serials(new Frames(), concatenated([writer.written(), new Uint8Array(2 ** 24), next])), [6])
})

t.test('without a place where the next message starts, the stream is useless', async (t) => {
  const message = writeMessage(valid)
  for (const [at, value] of [
    [0, 0x6d],
    [3, 2],
    [7, 0x08],
    [15, 0x05]
  ] as const) {
    const other = message.slice()
    other[at] = value
    t.throws(() => serials(new Frames(), other), damaged, `${at}`)
  }
})
