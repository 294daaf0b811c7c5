import t from 'tap'
import * as der from '#runtime/base/der.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'))

t.test('elements are written as X.690 shows', async (t) => {
  t.equal(hex(der.integer(bytes('00'))), '020100')
  t.equal(hex(der.integer(bytes(''))), '020100')
  t.equal(hex(der.integer(bytes('0000ff'))), '020200ff')
  t.equal(hex(der.integer(bytes('007f'))), '02017f')
  t.equal(hex(der.oid('1.2.840.113549')), '06062a864886f70d')
  t.equal(hex(der.oid('2.100.3')), '0603813403')
  t.equal(hex(der.boolean(true)), '0101ff')
  t.equal(hex(der.bitString(bytes('80'), 7)), '03020780')
  t.equal(hex(der.sequence(der.boolean(false), der.utf8String('ä'))), '30070101000c02c3a4')
  t.equal(hex(der.octetString(new Uint8Array(128)).slice(0, 3)), '048180')
  t.equal(hex(der.octetString(new Uint8Array(256)).slice(0, 4)), '04820100')
  t.equal(hex(der.time(new Date('2049-12-31T23:59:59.999Z'))), `170d${Buffer.from('491231235959Z').toString('hex')}`)
  t.equal(hex(der.time(new Date('2050-01-01T00:00:00Z'))), `180f${Buffer.from('20500101000000Z').toString('hex')}`)
})

t.test('written DER is read back', async (t) => {
  const [id, number, inner] = der.children(
    der.read(
      der.sequence(der.oid('2.5.4.3'), der.integer(bytes('80')), der.explicit(0, der.octetString(new Uint8Array(300))))
    )
  )
  t.equal(der.dotted(id!), '2.5.4.3')
  t.equal(hex(number!.content), '0080')
  t.equal(inner!.tag, 0xa0)
  t.equal(der.children(inner!)[0]!.content.length, 300)
  for (const dotted of ['0.9.2342.19200300.100.1.1', '1.3.6.1.4.1.99999', '2.100.3', '2.39.1']) {
    t.equal(der.dotted(der.read(der.oid(dotted))), dotted)
  }
  for (const moment of [
    '1950-01-01T00:00:00Z',
    '2049-12-31T23:59:59Z',
    '2050-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z'
  ]) {
    t.same(der.date(der.read(der.time(new Date(moment)))), new Date(moment))
  }
  t.equal(der.date(der.read(der.element(der.Tag.utcTime, Buffer.from('260230000000')))), undefined, 'no zone')
  t.equal(der.date(der.read(der.element(der.Tag.utcTime, Buffer.from('261301000000Z')))), undefined, 'a 13th month')
})

t.test('malformed DER is refused', async (t) => {
  for (const [wrong, why] of [
    ['', 'nothing'],
    ['30', 'no length'],
    ['3001', 'cut short'],
    ['3081', 'a length cut short'],
    ['300201', 'content cut short'],
    ['3080', 'an indefinite length'],
    ['30810100', 'a long form where the short one does'],
    [`30820080${'00'.repeat(128)}`, 'a leading zero in the length'],
    ['3085010000000000', 'a length of more than four bytes'],
    ['3084ffffffff', 'a length beyond all memory'],
    ['1f0100', 'a tag of several bytes']
  ] as const) {
    t.throws(() => der.read(bytes(wrong)), RangeError, why)
  }
  t.throws(
    () => der.children(der.read(bytes('3003010100'.replace('0101', '0102')))),
    RangeError,
    'a child that is cut short'
  )
})
