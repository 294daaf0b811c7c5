import t from 'tap'
import { bytes, hex } from '#runtime/base/bytes.ts'
import {
  all,
  any,
  bindRequest,
  envelope,
  equal,
  memberInChain,
  messageLength,
  readAnswer,
  searchRequest,
  startTlsRequest
} from '#runtime/service/directory/messages.ts'
import { entry, result } from './liar.ts'

t.test('requests are as RFC 4511 has them', async (t) => {
  t.equal(hex(envelope(1, bindRequest('cn=a', 'b'))), '3011020101600c0201030404636e3d61800162')
  t.equal(hex(startTlsRequest()), `77188016${Buffer.from('1.3.6.1.4.1.1466.20037').toString('hex')}`)
  t.equal(hex(equal('uid', 'a*)(b')), 'a30c04037569640405612a292862', 'a value is a value, whatever is in it')
  t.equal(hex(any(equal('a', 'b'), all())), 'a10aa306040161040162a000')
  t.match(hex(memberInChain('cn=a')), /^a9[0-9a-f]{2}8117.*82066d656d6265728304636e3d61$/)
  const search = { base: '', scope: 'base', filter: all(), attributes: ['cn'], most: 300, seconds: 5 } as const
  t.equal(hex(searchRequest(search)), '631a04000a01000a01000202012c020105010100a00030040402636e')
})

t.test('the length of a message is known as soon as its head is there', async (t) => {
  for (const [head, length] of [
    ['', undefined],
    ['30', undefined],
    ['3005', 7],
    ['3082', undefined],
    ['308201', undefined],
    ['30820100', 260],
    ['308400000010', 22]
  ] as const) {
    t.equal(messageLength(bytes(head)), length, head)
  }
  for (const head of ['31', '3080', '30850000000001']) t.throws(() => messageLength(bytes(head)), RangeError, head)
})

const asked = { id: 7, kind: 'search', name: '' } as const

t.test('entries and results are read', async (t) => {
  const read = readAnswer(entry(asked, 'cn=a', { CN: ['a', '\u00e4'], mail: [] }))
  t.match(read, { id: 7, kind: 'entry', entry: { dn: 'cn=a' } })
  const attributes = read.kind === 'entry' ? [...read.entry.attributes] : []
  t.same(attributes, [
    ['cn', ['a', '\u00e4']],
    ['mail', []]
  ])
  t.same(readAnswer(result(asked, 49)), { id: 7, kind: 'result', code: 49, diagnostic: '' })
})

t.test('a number of a message has one to four bytes', async (t) => {
  const withId = (id: string) =>
    bytes(`30${hex(Uint8Array.of(id.length / 2 + 11))}02${hex(Uint8Array.of(id.length / 2))}${id}65070a010004000400`)
  t.match(readAnswer(withId('01020304')), { id: 0x01020304, kind: 'result', code: 0 })
  for (const id of ['', '0000000001']) t.throws(() => readAnswer(withId(id)), RangeError)
})

t.test('whatever comes, reading ends with an answer or a RangeError', async (t) => {
  const seeds = [
    entry(asked, 'cn=a', { cn: ['a', 'b'], memberOf: ['cn=c,dc=d'] }),
    result(asked),
    result({ ...asked, kind: 'bind' })
  ]
  let state = 42
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (state >>> 8) % below
  }
  let [read, refused] = [0, 0]
  for (let round = 0; round < 20_000; round += 1) {
    const seed = seeds[round % seeds.length] ?? new Uint8Array()
    const mutated = seed.slice(0, round % 3 === 0 ? random(seed.length + 1) : seed.length)
    for (let times = random(4); times >= 0 && mutated.length > 0; times -= 1)
      mutated[random(mutated.length)] = random(256)
    try {
      readAnswer(mutated)
      read += 1
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      refused += 1
    }
  }
  t.ok(read > 1000 && refused > 1000, `${read} read, ${refused} refused`)
})
