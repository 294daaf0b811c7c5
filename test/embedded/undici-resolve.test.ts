import { execFile, spawnSync } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { workFolder } from './dropIn.ts'
import { missing, native } from './programs.ts'

const { hostArch, sysroot } = await import(pathToFileURL('runtime/build/sysroot.mjs').href)
const execute = promisify(execFile)

t.setTimeout(900_000)

/** Builds fixtures/undici-resolve.c with AddressSanitizer and UBSan. */
function program(): string {
  const { lib, include } = sysroot(hostArch)
  const out = join(workFolder, 'resolve')
  const flags = ['-std=gnu11', '-D_GNU_SOURCE', '-O1', '-g', '-Wall', '-Wextra', '-Wconversion', '-Werror', '-I.']
  const checks = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all']
  const sources = [
    'test/embedded/fixtures/undici-resolve.c',
    'runtime/embedded/client/resolve.c',
    'runtime/embedded/sanitize.c'
  ]
  const archives = ['cares', 'uv'].map((name) => join(lib, `lib${name}.a`))
  const words = [...flags, ...checks, '-idirafter', include, '-o', out, ...sources, ...archives, '-lpthread', '-ldl']
  const { status, stderr } = spawnSync('gcc', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return out
}

const types = { A: 1, AAAA: 28 }
const flagsOf = { answer: 0x8180, unknown: 0x8183, failed: 0x8182 }

/** An answer to a query (RFC 1035, 4.1): the question again, and records of these addresses with its name. */
function answer(query: Buffer, flags: number, addresses: Buffer[]): Buffer {
  const end = query.indexOf(0, 12) + 5
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(flags, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(addresses.length, 6)
  const records = addresses.map((address) => {
    const record = Buffer.from([
      0xc0,
      12,
      0,
      address.length === 4 ? types.A : types.AAAA,
      0,
      1,
      0,
      0,
      0,
      60,
      0,
      address.length
    ])
    return Buffer.concat([record, address])
  })
  return Buffer.concat([head, query.subarray(12, end), ...records])
}

const typeOf = (query: Buffer) => query.readUInt16BE(query.indexOf(0, 12) + 1)

/** A name server on loopback. `reply` gives what is sent back, if anything. */
async function nameServer(t: Test, reply: (query: Buffer) => Buffer | undefined): Promise<string> {
  const socket: Socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const text = reply(query)
    if (text) socket.send(text, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.teardown(() => socket.close())
  return `127.0.0.1:${socket.address().port}`
}

t.test('names are looked up', { skip: missing(native) }, async (t) => {
  const file = program()
  const lookUp = async (t: Test, reply: (query: Buffer) => Buffer | undefined, ...words: string[]) => {
    const server = await nameServer(t, reply)
    const [name = 'some.name.example', ...more] = words
    const { stdout } = await execute(file, [server, name, ...more], { timeout: 120_000 })
    return stdout.trim().split('\n')
  }
  const six = Buffer.from('20010db8000000000000000000000001', 'hex')

  t.test('all addresses of both kinds are found, with the port', async (t) => {
    const found = await lookUp(t, (query) =>
      typeOf(query) === types.A
        ? answer(query, flagsOf.answer, [Buffer.from([192, 0, 2, 1]), Buffer.from([192, 0, 2, 2])])
        : answer(query, flagsOf.answer, [six])
    )
    t.same(found.sort(), ['192.0.2.1 443', '192.0.2.2 443', '2001:db8::1 443'])
  })

  t.test('one kind of address is enough', async (t) => {
    const found = await lookUp(t, (query) =>
      typeOf(query) === types.A
        ? answer(query, flagsOf.answer, [Buffer.from([192, 0, 2, 1])])
        : answer(query, flagsOf.answer, [])
    )
    t.same(found, ['192.0.2.1 443'])
  })

  t.test('more addresses than are of use are left out', async (t) => {
    const many = Array.from({ length: 30 }, (_, index) => Buffer.from([192, 0, 2, index]))
    const found = await lookUp(t, (query) => answer(query, flagsOf.answer, typeOf(query) === types.A ? many : []))
    t.equal(found.length, 8)
  })

  t.test('a name that is not there, or that has no address, is not found', async (t) => {
    t.same(await lookUp(t, (query) => answer(query, flagsOf.unknown, [])), ['ENOTFOUND'])
    t.same(await lookUp(t, (query) => answer(query, flagsOf.answer, [])), ['ENOTFOUND'])
  })

  t.test('a name server that fails or talks nonsense is another matter', async (t) => {
    t.same(await lookUp(t, () => Buffer.from('nonsense')), ['EAI_AGAIN'])
    t.same(await lookUp(t, (query) => answer(query, flagsOf.failed, [])), ['EAI_AGAIN'])
  })

  t.test('a lookup is cancelled while the name server is silent', async (t) => {
    t.same(await lookUp(t, () => undefined, 'silent.example', '50'), ['cancelled'])
  })
})
