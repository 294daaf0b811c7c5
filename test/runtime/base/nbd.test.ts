import t from 'tap'
import { NbdClient } from '#runtime/base/nbd/client.ts'
import { longestRead, mostReads } from '#runtime/base/nbd/format.ts'
import { NbdServer } from '#runtime/base/nbd/server.ts'

const file = Uint8Array.from({ length: 200_000 }, (_, index) => (index * 7) % 251)
const part = (offset: number, length: number) => file.slice(offset, offset + length)

/** A client and a server that are connected by a line that hands over a few bytes at a time. */
function connected(piece: number, read = async (offset: number, length: number) => part(offset, length)) {
  const ended: string[] = []
  const cut = (to: () => { received(chunk: Uint8Array): void }) => (bytes: Uint8Array) => {
    queueMicrotask(() => {
      for (let at = 0; at < bytes.length; at += piece) to().received(bytes.subarray(at, at + piece))
    })
  }
  const client: NbdClient = new NbdClient({ write: cut(() => server), end: () => ended.push('client') })
  const wire = { write: cut(() => client), end: () => ended.push('server') }
  const server = new NbdServer({ size: file.length, name: 'grün.iso' }, wire, read)
  return { client, ended }
}

/** The answer of a server to the raw bytes of a foreign client, in hex. */
function said(...sent: readonly string[]) {
  let text = ''
  let isOver = false
  const wire = {
    write: (bytes: Uint8Array) => {
      text += Buffer.from(bytes).toString('hex')
    },
    end: () => {
      isOver = true
    }
  }
  const server = new NbdServer({ size: 4096, name: 'x' }, wire, () => new Promise(() => {}))
  const greeting = text
  text = ''
  for (const each of sent) server.received(Buffer.from(each.replaceAll(' ', ''), 'hex'))
  return { greeting, text, isOver }
}

const option = '49484156454f5054'
const exportName = `00000001 ${option} 00000001 00000000`
const optionReply = '0003e889045565a9'

t.test('a client reads what a server exports, however the line cuts it into pieces', async (t) => {
  for (const piece of [1, 7, 4096, 1_000_000]) {
    const { client, ended } = connected(piece)
    t.strictSame(await client.opened, { size: file.length, name: 'grün.iso' })
    const places = [
      [0, 1],
      [4095, 2],
      [file.length - longestRead, longestRead],
      [12_345, 0]
    ] as const
    const read = await Promise.all(places.map(([offset, length]) => client.read(offset, length)))
    for (const [index, [offset, length]] of places.entries()) {
      t.ok(Buffer.from(read[index]!).equals(part(offset, length)), `${length} bytes at ${offset}`)
    }
    t.same(ended, [])
  }
})

t.test('what is beyond the end, too long, or unreadable is an error, and the rest goes on', async (t) => {
  const { client } = connected(64, async (offset, length) => {
    if (offset === 4096) throw new Error('a bad sector')
    return part(offset, length)
  })
  await client.opened
  await t.rejects(client.read(file.length - 1, 2), { message: 'the server answers with error 22' })
  await t.rejects(client.read(0, longestRead + 1), { message: 'the server answers with error 22' })
  await t.rejects(client.read(4096, 1), { message: 'the server answers with error 5' })
  t.equal((await client.read(0, 512)).length, 512)
})

t.test('more questions at once than may be end the connection, and so does an end all that waits', async (t) => {
  const { client, ended } = connected(64, () => new Promise(() => {}))
  await client.opened
  const reads = Array.from({ length: mostReads }, () => client.read(0, 1))
  await Promise.resolve()
  t.same(ended, [])
  reads.push(client.read(0, 1))
  await new Promise((resolve) => setTimeout(resolve))
  t.same(ended, ['server'])
  client.closed()
  const settled = await Promise.allSettled([...reads, client.read(0, 1)])
  t.ok(settled.every(({ status }) => status === 'rejected'))
})

t.test('the bytes are those of the protocol', async (t) => {
  t.equal(said().greeting, '4e42444d41474943 49484156454f5054 0003'.replaceAll(' ', ''))
  t.equal(said(`00000003 ${option} 00000001 00000000`).text, '0000000000001000 0003'.replaceAll(' ', ''))
  t.equal(said(exportName).text, `0000000000001000 0003 ${'00'.repeat(124)}`.replaceAll(' ', ''), 'with zeroes')
  const list = `${option} 00000003 00000000`
  t.equal(said(`00000003 ${list}`).text, `${optionReply} 00000003 80000001 00000000`.replaceAll(' ', ''))
  t.match(said(`00000003 ${option} 00000002 00000000`), { isOver: true, text: /0000000200000001/ })
  const go = `${option} 00000007 0000000a 00000000 0002 0001 0003`
  const infos = [
    '00000003 0000000c 0000 0000000000001000 0003',
    '00000003 00000003 0001 78',
    '00000003 0000000e 0003 00000001 00001000 00008000',
    '00000001 00000000'
  ]
  t.equal(
    said(`00000003 ${go}`).text,
    infos.map((each) => `${optionReply} 00000007 ${each}`.replaceAll(' ', '')).join('')
  )
})

t.test('a client that does not keep to the protocol loses its connection', async (t) => {
  const request = (type: string, magic = '25609513') =>
    `${magic} 0000 ${type} 0000000000000001 0000000000000000 00000200`
  for (const [what, ...sent] of [
    ['a client of another kind', '00000000'],
    ['unknown flags', '00000007'],
    ['an option without its first word', '00000003', '00'.repeat(16)],
    ['an option that is too long', `00000003 ${option} 00000007 00002001`],
    ['no request', exportName, request('0000', '25609514')],
    ['a request to write', exportName, request('0001')],
    ['a goodbye', exportName, request('0002')]
  ] as const) {
    t.ok(said(...sent).isOver, what)
  }
  t.notOk(said(exportName, request('0000')).isOver)
  const invalid = said(`00000003 ${option} 00000007 00000005 0000000000`)
  t.match(invalid, { isOver: false, text: /0000000780000003/ }, 'an option of the wrong length is told')
})

t.test('a server that does not keep to the protocol loses its connection', async (t) => {
  const good = '4e42444d41474943 49484156454f5054 0003'
  const ack = `${optionReply} 00000007 00000001 00000000`
  const of = `${optionReply} 00000007 00000003 0000000c 0000 0000000000001000 0003`
  for (const [what, ...sent] of [
    ['another kind of server', '00'.repeat(18)],
    ['an old server', '4e42444d41474943 49484156454f5054 0000'],
    ['no export', good, ack],
    ['a refusal', good, `${optionReply} 00000007 80000006 00000000`],
    ['an answer to another question', good, `${optionReply} 00000006 00000001 00000000`],
    ['an answer that is too long', good, `${optionReply} 00000007 00000003 00002001`],
    ['an unsolicited answer', good, of, ack, '67446698 00000000 0000000000000001']
  ] as const) {
    let isOver = false
    const end = () => {
      isOver = true
    }
    const client = new NbdClient({ write: () => {}, end })
    for (const each of sent) client.received(Buffer.from(each.replaceAll(' ', ''), 'hex'))
    t.ok(isOver, what)
    await t.rejects(client.read(0, 1), what)
  }
})
