import t from 'tap'
import { announcement, answer, isForAll, type Query, readQuery } from '#runtime/service/network/mdns.ts'

const uuid = '0b5a7c1e-5d2f-4f6a-9c3e-2f1d0a9b8c7d'
const addresses = ['192.0.2.16', 'fe80::1%eth0', '2001:db8::16']
const service = { uuid, hostName: 'rack7-node3', port: 443, addresses }
const type = '_redfish._tcp.local'
const instance = 'rack7-node3-0b5a7c1e._redfish._tcp.local'
const PTR = 12
const question = { name: type, type: PTR, class: 1 }
const query = (...questions: Query['questions']): Query => ({ id: 7, questions, known: [] })

const word = (number: number) => [number >> 8, number & 0xff]
const label = (text: string) => [text.length, ...Buffer.from(text)]
const name = (text: string) => [...text.split('.').flatMap(label), 0]
const bytes = (...parts: number[][]) => Uint8Array.from(parts.flat())
const head = (flags: number, questions: number, answers: number) => [7, flags, questions, answers, 0, 0].flatMap(word)

t.test('a question is read with the answers that its author knows already', async (t) => {
  const asked = [...name('_Redfish._TCP.local'), ...word(PTR), ...word(0x8001)]
  t.strictSame(readQuery(bytes(head(0, 1, 0), asked)), query({ ...question, class: 0x8001 }))
  // The name of the answer is the question's, by a pointer to it, as is the end of its data.
  const data = [...label('rack7-node3-0b5a7c1e'), 0xc0, 12]
  const known = (age: number) => [0xc0, 12, ...word(PTR), ...word(1), 0, 0, ...word(age), ...word(data.length), ...data]
  t.strictSame(readQuery(bytes(head(0, 1, 1), asked, known(4000)))?.known, [instance])
  t.strictSame(readQuery(bytes(head(0, 1, 1), asked, known(2000)))?.known, [], 'not when it will forget it soon')
})

t.test('answers, and messages that are damaged, are not read', async (t) => {
  const asked = [...name(type), ...word(PTR), ...word(1)]
  t.equal(readQuery(bytes(head(0x8400, 1, 0), asked)), undefined, 'an answer')
  t.equal(readQuery(announcement(service, false)), undefined, 'its own')
  t.equal(readQuery(bytes(head(0, 33, 0), ...Array(33).fill(asked))), undefined, 'too many questions')
  t.equal(readQuery(bytes(head(0, 1, 0), [0xc0, 12, ...word(PTR), ...word(1)])), undefined, 'a pointer to itself')
  const circle = [1, 97, 0xc0, 16, 1, 98, 0xc0, 12]
  t.equal(readQuery(bytes(head(0, 1, 0), circle, word(PTR), word(1))), undefined, 'a pointer ahead')
  t.equal(readQuery(bytes(head(0, 1, 0), name(Array(64).fill('abc').join('.')), word(PTR), word(1))), undefined)
  for (let length = 0; length < 12 + asked.length; length += 1)
    t.equal(readQuery(bytes(head(0, 1, 0), asked).subarray(0, length)), undefined)
})

t.test('every message is read in time or refused', async (t) => {
  let state = 1
  const next = (most: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % most
  }
  const pieces = [name(type), [0xc0, 12], word(PTR), word(1), [0xff], [63], [0], label('x')]
  for (let round = 0; round < 5000; round += 1) {
    const parts = Array.from({ length: next(40) }, () => pieces[next(pieces.length)]!)
    const read = readQuery(bytes(head(0, next(34), next(34)), ...parts))
    if (read !== undefined) answer(read, service, true)
  }
  t.pass('5000 of them')
})

t.test(
  'a query for services is answered with all records of this one, except those that the client knows',
  async (t) => {
    const told = Buffer.from(answer(query(question), service, false)!)
    t.strictSame([...told.subarray(0, 12)], [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 5])
    for (const each of ['rack7-node3-0b5a7c1e', 'path=/redfish/v1/', `uuid=${uuid}`]) t.ok(told.includes(each), each)
    t.equal(answer({ ...query(question), known: [instance] }, service, false), undefined)
  }
)

t.test('messages have these bytes', async (t) => {
  const long = (number: number) => [0, 0, ...word(number)]
  /** @param age of the records of the service; those of a host have `host` */
  const records = (unique: number, age: number, host: number) => {
    const record = (owner: string, type: number, kind: number, age: number, data: number[]) =>
      [name(owner), word(type), word(kind), long(age), word(data.length), data].flat()
    const address = (type: number, ...data: number[]) => record(`${uuid}.local`, type, unique, host, data)
    return [
      record(type, PTR, 1, age, name(instance)),
      record(instance, 33, unique, host, [0, 0, 0, 0, ...word(443), ...name(`${uuid}.local`)]),
      record(instance, 16, unique, age, [...label('path=/redfish/v1/'), ...label(`uuid=${uuid}`)]),
      address(1, 192, 0, 2, 16),
      address(28, 0xfe, 0x80, ...Array(13).fill(0), 1),
      address(28, 0x20, 1, 0x0d, 0xb8, ...Array(11).fill(0), 0x16)
    ]
  }
  const start = (id: number, ...counts: number[]) => [id, 0x8400, ...counts].flatMap(word)
  const all = records(0x8001, 4500, 120)
  t.strictSame(announcement(service, false), bytes(start(0, 0, 6, 0, 0), ...all))
  t.strictSame(announcement(service, true), bytes(start(0, 0, 1, 0, 0), records(1, 0, 0)[0]!))
  t.strictSame(answer(query(question), service, false), bytes(start(0, 0, 1, 0, 5), ...all))
  const asked = [...name(type), ...word(PTR), ...word(1)]
  const legacy = bytes(start(7, 1, 1, 0, 5), asked, ...records(1, 10, 10))
  t.strictSame(answer(query({ ...question, class: 0x8001 }), service, true), legacy)
})

t.test('a name has labels of up to 63 bytes, and 254 bytes altogether', async (t) => {
  const read = (...lengths: number[]) => {
    const asked = [...lengths.flatMap((length) => label('x'.repeat(length))), 0, ...word(PTR), ...word(1)]
    return readQuery(bytes(head(0, 1, 0), asked))?.questions[0]?.name.length
  }
  t.equal(read(63), 63)
  t.equal(read(64), undefined)
  t.equal(read(63, 63, 63, 61), 253)
  t.equal(read(63, 63, 63, 62), undefined)
})

t.test('32 questions and 32 known records are read, and no more', async (t) => {
  const asked = [...name(type), ...word(PTR), ...word(1)]
  const known = [...asked, 0, 0, ...word(4000), ...word(name(instance).length), ...name(instance)]
  const read = (questions: number, answers: number) => {
    const of = (count: number, each: number[]) => Array(count).fill(each).flat()
    const found = readQuery(bytes(head(0, questions, answers), of(questions, asked), of(answers, known)))
    return found && [found.questions.length, found.known.length]
  }
  t.strictSame(read(32, 32), [32, 32])
  t.equal(read(33, 0), undefined)
  t.equal(read(0, 33), undefined)
})

t.test('each of its names is known, others are not', async (t) => {
  const asks = (name: string, type: number) => answer(query({ name, type, class: 1 }), service, false) !== undefined
  const known = [
    [instance, 33],
    [instance, 16],
    [`${uuid}.local`, 1],
    [`${uuid}.local`, 28],
    ['_services._dns-sd._udp.local', 12]
  ] as const
  for (const [name, type] of known) {
    t.ok(asks(name, type))
    t.ok(asks(name, 255), 'whatever its type')
    t.notOk(asks(name, 13))
    t.notOk(asks(`x${name}`, type))
  }
})

t.test('a query for addresses of one family is answered with those of the other as well', async (t) => {
  const four = [...word(1), ...word(0x8001), 0, 0, 0, 120, 0, 4, 192, 0, 2, 16]
  const six = (...data: number[]) => [...word(28), ...word(0x8001), 0, 0, 0, 120, 0, 16, ...data]
  const local = six(0xfe, 0x80, ...Array(13).fill(0), 1)
  const global = six(0x20, 1, 0x0d, 0xb8, ...Array(11).fill(0), 0x16)
  const owner = name(`${uuid}.local`)
  const asks = (type: number) => answer(query({ name: `${uuid}.local`, type, class: 1 }), service, false)
  const told = (answers: number, ...records: number[][]) =>
    bytes(
      [0, 0x8400, 0, answers, 0, 3 - answers].flatMap(word),
      records.flatMap((each) => [...owner, ...each])
    )
  t.strictSame(asks(1), told(1, four, local, global))
  t.strictSame(asks(28), told(2, local, global, four))
  const lone = { ...service, addresses: addresses.slice(0, 1) }
  t.equal(answer(query({ name: `${uuid}.local`, type: 28, class: 1 }), lone, false), undefined)
})

t.test(
  'a client that does not listen to the group gets its question again, and believes the answer for a moment',
  async (t) => {
    const told = Buffer.from(answer(query(question), service, true)!)
    t.strictSame([...told.subarray(0, 12)], [0, 7, 0x84, 0, 0, 1, 0, 1, 0, 0, 0, 5])
    const asked = 12 + name(type).length + 4
    t.equal(told.readUInt32BE(asked + name(type).length + 4), 10)
    t.equal(isForAll(query(question)), true)
    t.equal(isForAll(query({ ...question, class: 0x8001 })), false, 'an answer for the client alone')
  }
)

t.test('a good-bye is a record that has no time left', async (t) => {
  const told = Buffer.from(announcement(service, true))
  t.equal(told.readUInt16BE(6), 1)
  t.equal(told.readUInt32BE(12 + name(type).length + 4), 0)
})
