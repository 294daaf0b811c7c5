import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { openStore } from '../../hal/edk2/store.ts'
import { simFlash } from '../../hal/sim/flash.ts'
import { guidBytes } from '../../hal/uefi/guid.ts'
import {
  readSignatures,
  type Signature,
  sameSignature,
  signatureTypes,
  writeSignatures
} from '../../hal/uefi/signatures.ts'
import { secureBootVariables } from '../../hal/uefi/variables.ts'
import { needing } from '../host/every-host.ts'

const einval = { name: 'HalError', code: 'EINVAL' }
const owner = '77fa9abd-0359-4d32-bd60-28f4e78f784b'
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const x509 = (length: number, fill = 1): Signature => ({
  type: signatureTypes.x509.guid,
  owner,
  data: new Uint8Array(length).fill(fill)
})
const sha256 = (fill: number): Signature => ({
  type: signatureTypes.sha256.guid,
  owner,
  data: new Uint8Array(32).fill(fill)
})

t.test('a digest stands in a list with a header of 28 bytes and its owner before it', (t) => {
  const bytes = writeSignatures([sha256(0xab)])
  const expected = [
    ...['2616c4c14c509240aca941f936934328', '4c000000', '00000000', '30000000'],
    ...['bd9afa775903324dbd6028f4e78f784b', 'ab'.repeat(32)]
  ]
  t.equal(hex(bytes), expected.join(''))
  t.strictSame(readSignatures(bytes), [sha256(0xab)])
  t.end()
})

t.test('each certificate has a list of its own, digests in a row share one, and the order stays', (t) => {
  const all = [x509(700), x509(700, 2), sha256(1), sha256(2), x509(9), sha256(3)]
  const bytes = writeSignatures(all)
  t.equal(bytes.length, 5 * 28 + 6 * 16 + 700 + 700 + 9 + 3 * 32)
  t.strictSame(readSignatures(bytes), all)
  t.strictSame(writeSignatures([]), new Uint8Array())
  t.strictSame(readSignatures(new Uint8Array()), [])
  t.end()
})

t.test('every type has its size, and another type is kept as it is', (t) => {
  for (const [name, { guid, size = 1000 }] of Object.entries(signatureTypes)) {
    const signature = { type: guid, owner, data: new Uint8Array(size).fill(5) }
    t.strictSame(readSignatures(writeSignatures([signature, signature])), [signature, signature], name)
    if (name !== 'x509') t.throws(() => writeSignatures([{ ...signature, data: new Uint8Array(size + 1) }]), einval)
  }
  const other = { type: '11111111-2222-3333-4444-555555555555', owner, data: Uint8Array.of(1, 2, 3) }
  t.strictSame(readSignatures(writeSignatures([other])), [other])
  t.throws(() => writeSignatures([x509(0)]), einval)
  t.throws(() => writeSignatures([{ ...x509(1), owner: 'nobody' }]), einval)
  t.end()
})

t.test('what is cut off or has impossible sizes is EINVAL, with the place', (t) => {
  const bytes = writeSignatures([x509(50), sha256(1)])
  const second = 28 + 16 + 50
  for (let length = 1; length < bytes.length; length += 1) {
    if (length === second) continue
    t.throws(() => readSignatures(bytes.subarray(0, length)), einval, `cut to ${length}`)
  }
  const view = new DataView(bytes.buffer)
  for (const [place, what, values] of [
    [second + 16, 'ListSize', [0, 27, 28 + 47, 28 + 49, 1000, 0xffffffff]],
    [second + 20, 'HeaderSize', [1, 16, 0xffffffff]],
    [second + 24, 'SignatureSize', [0, 1, 16, 24, 47, 49, 0xffffffff]]
  ] as const) {
    const was = view.getUint32(place, true)
    for (const value of values) {
      view.setUint32(place, value, true)
      t.throws(() => readSignatures(bytes), { ...einval, message: /^signature list at 94: / }, `${what} ${value}`)
    }
    view.setUint32(place, was, true)
  }
  bytes.set(guidBytes(signatureTypes.sha512.guid), second)
  t.throws(() => readSignatures(bytes), einval, 'a digest of another size')
  t.end()
})

t.test('an entry is the same whoever has put it there', (t) => {
  t.ok(sameSignature(sha256(1), { ...sha256(1), owner: signatureTypes.x509.guid }))
  t.notOk(sameSignature(sha256(1), sha256(2)))
  t.notOk(sameSignature(sha256(1), { ...sha256(1), type: signatureTypes.x509.guid }))
  t.notOk(sameSignature(x509(32, 1), x509(33, 1)))
  t.end()
})

const shipped = '/usr/share/OVMF/OVMF_VARS_4M.ms.fd'
needing(
  "the databases of Debian's OVMF are read, and are the same bytes when they are written again",
  existsSync(shipped) ? undefined : 'OVMF: not here; install ovmf',
  async (t) => {
    const bytes = readFileSync(shipped)
    const chip = simFlash({ size: bytes.length })
    chip.contents.set(bytes)
    const nvram = openStore(chip.open())
    const counts = Object.values(secureBootVariables).flatMap(({ name, guid }) => {
      const variable = nvram.get(name, guid)
      if (!variable) return []
      const signatures = readSignatures(variable.data)
      t.equal(hex(writeSignatures(signatures)), hex(variable.data), name)
      t.equal(variable.attributes, secureBootVariables[name as 'PK'].attributes, name)
      return [`${name} ${signatures.length}`]
    })
    t.match(counts, [/^PK 1$/, /^KEK \d$/, /^db \d$/, /^dbx \d+$/])
  }
)
