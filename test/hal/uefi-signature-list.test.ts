import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { openStore } from '#hal/edk2/store.ts'
import { simFlash } from '#hal/sim/flash.ts'
import {
  readSignatureLists,
  type Signature,
  signatureListBytes,
  signaturesOf,
  signatureTypes,
  withoutSignature,
  withSignature,
  x509Type
} from '#hal/uefi/signature-list.ts'
import { secureBootVariables } from '#hal/uefi/variables.ts'
import { needing } from '#test/host/every-host.ts'

const sha256 = 'c1c41626-504c-4092-aca9-41f936934328'
const owner = '77fa9abd-0359-4d32-bd60-28f4e78f784b'
const hash = (fill: number): Signature => ({ type: sha256, owner, data: new Uint8Array(32).fill(fill) })
const certificate = (size: number): Signature => ({ type: x509Type, owner, data: new Uint8Array(size).fill(9) })
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

t.test('a list is written as UEFI lays it out', async (t) => {
  const bytes = signatureListBytes(withSignature([], hash(7)))
  t.equal(
    hex(bytes),
    // type, list size 76, header size 0, entry size 48, owner, hash
    `2616c4c14c509240aca941f936934328${'4c000000'}${'00000000'}${'30000000'}` +
      `bd9afa775903324dbd6028f4e78f784b${'07'.repeat(32)}`
  )
})

t.test('a written signature list is read back unchanged', async (t) => {
  const entries = [certificate(800), hash(1), certificate(801), hash(2)]
  const lists = entries.reduce(withSignature, [] as ReturnType<typeof withSignature>)
  t.same(
    lists.map((each) => [signatureTypes[each.type], each.entries.length]),
    [
      ['EFI_CERT_X509_GUID', 1],
      ['EFI_CERT_SHA256_GUID', 2],
      ['EFI_CERT_X509_GUID', 1]
    ],
    'certificates have a list each, hashes share one'
  )
  const bytes = signatureListBytes(lists)
  const read = readSignatureLists(bytes)
  t.ok(read.sound)
  t.equal(hex(signatureListBytes(read.lists)), hex(bytes))
  t.same(
    signaturesOf(read.lists).map(({ type, owner, data }) => [type, owner, hex(data)]),
    [entries[0], entries[1], entries[3], entries[2]].map((each) => [each!.type, each!.owner, hex(each!.data)])
  )
})

t.test('a header and types that are not known outlive a change', async (t) => {
  const odd = {
    type: '00000000-1111-2222-3333-444444444444',
    header: Uint8Array.of(1, 2, 3),
    entries: [{ owner, data: Uint8Array.of(4) }]
  }
  const changed = withoutSignature(withSignature([odd], hash(1)), hash(1))
  t.same(readSignatureLists(signatureListBytes(changed)).lists.map(plain), [plain(odd)])
})

t.test('an entry is removed for any owner, and its list when it is empty', async (t) => {
  const other = { ...hash(1), owner: '00000000-0000-0000-0000-000000000000' }
  const lists = [hash(1), other, hash(2), certificate(32)].reduce(withSignature, [] as ReturnType<typeof withSignature>)
  const left = withoutSignature(lists, hash(1))
  t.same(
    signaturesOf(left).map(({ data }) => data[0]),
    [2, 9]
  )
  t.same(
    withoutSignature(left, hash(2)).map(({ type }) => type),
    [x509Type]
  )
})

t.test('nothing is a variable without lists', async (t) => {
  t.same(readSignatureLists(new Uint8Array()), { lists: [], sound: true })
  t.equal(signatureListBytes([]).length, 0)
})

t.test('bytes that are not a list end the reading, and earlier lists stay', async (t) => {
  const sound = signatureListBytes(withSignature([], hash(1)))
  const double = Uint8Array.from([...sound, ...sound])
  for (let size = sound.length + 1; size < double.length; size += 1) {
    const read = readSignatureLists(double.subarray(0, size))
    t.same([read.sound, read.lists.length], [false, 1], `${size} bytes`)
  }
  for (const [place, value] of [
    [16, 0],
    [16, 27],
    [16, 77],
    [16, 0xffffffff],
    [20, 1],
    [20, 0xffffffff],
    [24, 0],
    [24, 16],
    [24, 47],
    [24, 0xffffffff]
  ] as const) {
    const bytes = sound.slice()
    new DataView(bytes.buffer).setUint32(place, value, true)
    t.notOk(readSignatureLists(bytes).sound, `${value} at ${place}`)
  }
})

t.test('reading ends for all bytes', async (t) => {
  const sound = signatureListBytes(
    [hash(1), certificate(60)].reduce(withSignature, [] as ReturnType<typeof withSignature>)
  )
  for (let at = 0; at < sound.length; at += 1) {
    for (const change of [0x01, 0x80, 0xff]) {
      const bytes = sound.slice()
      bytes[at]! ^= change
      const { lists } = readSignatureLists(bytes)
      if (signatureListBytes(lists).length > bytes.length) t.fail(`more than there was, byte ${at}`)
    }
  }
})

function plain({ type, header, entries }: ReturnType<typeof withSignature>[number]) {
  return [type, hex(header), entries.map((each) => [each.owner, hex(each.data)])]
}

const shipped = '/usr/share/OVMF/OVMF_VARS_4M.ms.fd'
needing(
  "the databases of Debian's OVMF are read, and are the same bytes when they are written again",
  existsSync(shipped) ? undefined : 'OVMF: not here; install ovmf',
  async (t) => {
    const bytes = readFileSync(shipped)
    const chip = simFlash({ size: bytes.length })
    chip.contents.set(bytes)
    const nvram = openStore(chip.open())
    const counts = Object.values(secureBootVariables).flatMap(({ name, guid, attributes }) => {
      const variable = nvram.get(name, guid)
      if (!variable) return []
      const { lists, sound } = readSignatureLists(variable.data)
      t.ok(sound, name)
      t.same(signatureListBytes(lists), variable.data, name)
      t.equal(variable.attributes, attributes, name)
      return [`${name} ${signaturesOf(lists).length}`]
    })
    t.match(counts, [/^PK 1$/, /^KEK \d$/, /^db \d$/, /^dbx \d+$/])
  }
)
