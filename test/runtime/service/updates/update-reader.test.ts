import { createHash } from 'node:crypto'
import t from 'tap'
import nacl from 'tweetnacl'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { signedFile, updateFile } from '#runtime/build/update-file.mjs'
import { UpdateFault, type UpdateKeys, UpdateReader } from '#runtime/service/updates/update-reader.ts'
import vector from '#test/embedded/fixtures/lms.json' with { type: 'json' }

const pair = sim.updateKey
const keys = { updateKey: pair } as UpdateKeys
const parts = { kernel: new Uint8Array(300).fill(1), rofs: new Uint8Array(700).fill(2) }
const image = { board: 'sim', component: 'controller', version: '1.63', minimum: '1.60' }
const file = updateFile(pair, image, parts)
const begin = file.length - 1000
const manifest = file.subarray(12, begin - 64).toString()

function read(bytes: Uint8Array, piece = bytes.length, key = keys) {
  const reader = new UpdateReader(key, false)
  for (let at = 0; at < bytes.length; at += piece) reader.add(bytes.subarray(at, at + piece))
  return reader.end()
}

/** Why a file is refused. A failure that is no `UpdateFault` fails the test. */
function fault(bytes: Uint8Array, key?: UpdateKeys): string | undefined {
  try {
    read(bytes, bytes.length || 1, key)
    return undefined
  } catch (error) {
    if (!(error instanceof UpdateFault)) throw error
    return error.message
  }
}

t.test('an update file is read in pieces of any size', async (t) => {
  for (const piece of [1, 7, 64, 311, file.length]) {
    const found = read(file, piece)
    t.match(
      found,
      {
        ...image,
        parts: [
          { name: 'kernel', length: 300 },
          { name: 'rofs', length: 700 }
        ]
      },
      `${piece}`
    )
  }
})

t.test('a file that is cut anywhere is refused', async (t) => {
  // A signature is slow to check: once it is there, every 97th.
  for (let length = 0; length < file.length; length += length < begin ? 1 : 97) {
    if (fault(file.subarray(0, length)) === undefined) t.fail(`${length} bytes`)
  }
  t.equal(fault(file.subarray(0, 0)), 'it is empty')
})

t.test('a file with a byte that is flipped anywhere is refused', async (t) => {
  for (let at = 0; at < file.length; at += at < 12 ? 1 : 97) {
    const changed = Uint8Array.from(file)
    changed[at]! ^= 1 << (at % 8)
    if (fault(changed) === undefined) t.fail(`byte ${at}`)
  }
})

t.test('a file with bytes after its end is refused', async (t) => {
  t.equal(fault(Buffer.concat([file, Buffer.alloc(1)])), 'there are bytes after its end')
})

t.test('a file of another maker is refused, and every file without a key', async (t) => {
  const other = nacl.sign.keyPair()
  const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  const theirs = { x: encode(other.publicKey), d: encode(other.secretKey.subarray(0, 32)) }
  const said = 'its signature is not from the manufacturer'
  t.equal(fault(updateFile(theirs, image, parts)), said)
  t.throws(() => new UpdateReader({}, true).add(file), { message: said })
  t.throws(() => new UpdateReader({ updateKey: { kty: 'OKP', crv: 'Ed25519', x: 'c2hvcnQ' } }, true).add(file), {
    message: said
  })
})

t.test('a second signature is not looked at without a key for it', async (t) => {
  const two = updateFile(pair, image, parts, () => new Uint8Array(1456))
  for (const piece of [1, 311, two.length]) t.match(read(two, piece), image, `${piece}`)
  t.equal(fault(two.subarray(0, 1700)), 'it ends too early')
  const stripped = Buffer.concat([two.subarray(0, begin), two.subarray(begin + 1456)])
  t.equal(fault(stripped.fill('1', 6, 7)), 'its signature is not from the manufacturer', 'the first bytes are signed')
})

t.test('with a key for it, a second signature is required; Node.js cannot verify it', async (t) => {
  const both = { ...keys, updateKeyLms: vector.key }
  t.equal(fault(file, both), 'it has no LMS signature, which this board requires')
  const two = updateFile(pair, image, parts, () => new Uint8Array(1456))
  t.equal(fault(two, both), 'this host cannot verify its LMS signature, which this board requires')
  const other = { ...both, updateKey: { ...both.updateKey!, x: vector.key.slice(0, 43) } }
  t.equal(fault(two, other), 'its signature is not from the manufacturer', 'both have to be good')
})

t.test("a file of a component's maker is read where one takes it, in pieces of any size", async (t) => {
  const content = Buffer.from('UPDATE: any bytes, which only the component can read')
  const sha256 = createHash('sha256').update(content).digest('hex')
  const expected = { version: sha256.slice(0, 16), parts: [{ name: 'file', length: content.length, sha256 }] }
  for (const piece of [1, 7, 11, 13, content.length]) {
    const reader = new UpdateReader(keys, true)
    for (let at = 0; at < content.length; at += piece) reader.add(content.subarray(at, at + piece))
    t.same([reader.end(), reader.end(), reader.manifest], [expected, expected, expected], `${piece}`)
  }
  t.equal(fault(content), 'it is not an update file')
  t.throws(() => new UpdateReader(keys, true).end(), { message: 'it is empty' })
  const short = new UpdateReader(keys, true)
  short.add(content.subarray(0, 3))
  t.throws(() => short.end(), { message: 'it ends too early' })
  const ours = new UpdateReader(keys, true)
  ours.add(file)
  t.match(ours.end(), image, 'a signed file is one there as well')
})

t.test('nothing of a part is looked at before the signature is good', async (t) => {
  const changed = Uint8Array.from(file.subarray(0, begin))
  changed[begin - 1]! ^= 1
  t.equal(fault(changed), 'its signature is not from the manufacturer')
})

t.test('an invalid manifest is refused despite a valid signature', async (t) => {
  const content = file.subarray(begin)
  const change = (from: string | RegExp, to: string) => fault(signedFile(pair, manifest.replace(from, to), content))
  t.equal(change(/^/, ''), undefined, 'it is good as it is')
  for (const [from, to] of [
    [/^\{/, ''],
    [/.*/, '[]'],
    [/.*/, '{}'],
    [/.*/, 'null'],
    [/.*/, `${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['"board":"sim"', '"board":7'],
    ['"board":"sim",', ''],
    ['"controller"', '"toaster"'],
    ['"1.63"', '"one"'],
    ['"1.63"', '"1.63.0.0.0"'],
    ['"1.60"', '-1'],
    ['"length":300', '"length":0'],
    ['"length":300', '"length":-300'],
    ['"length":300', '"length":1e300'],
    ['"length":300', '"length":299'],
    ['"length":300', '"length":300.5'],
    ['"length":700', '"length":4294967295'],
    ['"kernel"', '"../../kernel"'],
    [/"sha256":"../, '"sha256":"zz'],
    [/"parts":.*/, '"parts":[]}'],
    [/"parts":.*/, `"parts":[${Array(17).fill('{"name":"a","length":1,"sha256":""}').join()}]}`],
    ['"version"', '"more":1,"version"']
  ] as const) {
    t.type(change(from, to), 'string', `${from} ${to.slice(0, 40)}`)
  }
  t.equal(fault(signedFile(pair, ' '.repeat(16_384), content)), 'its manifest is not JSON', 'the longest')
  for (const length of [0, 16_385])
    t.equal(fault(signedFile(pair, ' '.repeat(length), content)), 'its manifest is too long, or empty', `${length}`)
})

t.test('archives and other files are no update files', async (t) => {
  const beginnings = [
    '\x1f\x8b\x08',
    'PK\x03\x04',
    '\xfd7zXZ\0',
    'hsqs',
    '\xd0\x0d\xfe\xed',
    'UPDATE3\n',
    '<html>',
    '{"'
  ]
  for (const each of beginnings)
    t.equal(fault(Buffer.from(each.padEnd(5000, 'x'), 'latin1')), 'it is not an update file')
})
