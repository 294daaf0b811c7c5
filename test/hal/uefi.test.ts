import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import type { BoardSystem } from '#data/board'
import { bootAttribute, readBootNumbers, readBootOption, writeBootNumbers, writeBootOption } from '#hal/uefi/boot.ts'
import { devicePathEnd, devicePathText } from '#hal/uefi/device-path.ts'
import { devicePathFromText } from '#hal/uefi/device-path-from-text.ts'
import { guidBytes, isGuid, readGuid } from '#hal/uefi/guid.ts'
import { readText, textBytes } from '#hal/uefi/text.ts'
import { readTime, timeBytes } from '#hal/uefi/time.ts'
import { bootVariable } from '#hal/uefi/variables.ts'

const einval = { name: 'HalError', code: 'EINVAL' }
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytes = (digits: string) => Uint8Array.from(Buffer.from(digits.replaceAll(' ', ''), 'hex'))

t.test('the first three groups of a GUID are little endian', (t) => {
  const text = '8be4df61-93ca-11d2-aa0d-00e098032b8c'
  const mixed = '61dfe48bca93d211aa0d00e098032b8c'
  t.equal(hex(guidBytes(text)), mixed)
  t.equal(readGuid(bytes(`ffff${mixed}`), 2), text)
  for (const wrong of [
    '',
    text.toUpperCase(),
    `{${text}}`,
    text.replaceAll('-', ''),
    `${text}0`,
    `g${text.slice(1)}`
  ]) {
    t.notOk(isGuid(wrong), wrong)
    t.throws(() => guidBytes(wrong), einval, wrong)
  }
  t.end()
})

t.test('an EFI_TIME is a second in UTC; 16 zeros are no time', (t) => {
  const time = new Date('2024-02-29T23:59:58.999Z')
  t.equal(hex(timeBytes(time)), 'e807021d173b3a000000000000000000')
  t.strictSame(readTime(timeBytes(time)), new Date('2024-02-29T23:59:58Z'))
  t.equal(readTime(new Uint8Array(16)), undefined)
  t.equal(hex(timeBytes(undefined)), '00'.repeat(16))
  t.strictSame(readTime(bytes(`ffffff ${hex(timeBytes(time))}`), 3), new Date('2024-02-29T23:59:58Z'))
  for (const [what, wrong] of [
    ['February 30', 'e807021e173b3a00 0000000000000000'],
    ['month 0', 'e807001d173b3a00 0000000000000000'],
    ['month 13', 'e8070d1d173b3a00 0000000000000000'],
    ['day 0', 'e8070200173b3a00 0000000000000000'],
    ['24 hours', 'e807021d183b3a00 0000000000000000'],
    ['60 minutes', 'e807021d173c3a00 0000000000000000'],
    ['a leap second', 'e807021d173b3c00 0000000000000000'],
    ['padding', 'e807021d173b3a01 0000000000000000'],
    ['nanoseconds', 'e807021d173b3a00 0100000000000000'],
    ['a time zone', 'e807021d173b3a00 000000003c000000'],
    ['daylight', 'e807021d173b3a00 0000000000000100'],
    ['only nanoseconds', '0000000000000000 0100000000000000'],
    ['the year 24', '1800021d173b3a00 0000000000000000'],
    ['erased flash', 'ff'.repeat(16)]
  ] as const) {
    t.throws(() => readTime(bytes(wrong)), einval, what)
  }
  t.end()
})

t.test('text is UTF-16 with a NUL', (t) => {
  t.equal(hex(textBytes('Aé')), '4100e9000000')
  const text = 'Boot0001 \ud83d\ude00 \ud800'
  t.equal(readText(textBytes(text), 0, 100), text)
  t.equal(readText(bytes('4100 0000 4200'), 0, 6), 'A', 'up to the first NUL')
  t.equal(readText(bytes('4100 4200'), 0, 4), undefined)
  t.equal(readText(bytes('4100 00'), 0, 3), undefined)
  t.equal(readText(bytes('4100 0000'), 0, 2), undefined)
  t.end()
})

t.test('a boot option has attributes, a description, a device path and data for the loader', (t) => {
  const devicePath = bytes('02010c00d041030a00000000 0101060000 1f 7fff0400')
  const option = {
    attributes: bootAttribute.active,
    description: 'Disk',
    devicePath,
    optionalData: Uint8Array.of(1, 2)
  }
  const whole = writeBootOption(option)
  t.equal(hex(whole), `01000000 1600 4400 6900 7300 6b00 0000 ${hex(devicePath)} 0102`.replaceAll(' ', ''))
  t.strictSame(readBootOption(whole), option)
  t.equal(devicePathText(devicePath), 'PciRoot(0x0)/Pci(0x1F,0x0)')
  t.throws(() => writeBootOption({ ...option, description: 'a\0b' }), einval)
  t.throws(() => writeBootOption({ ...option, devicePath: devicePath.subarray(0, 18) }), einval)
  t.throws(() => writeBootOption({ ...option, devicePath: new Uint8Array() }), einval)
  const shortest = whole.length - 2
  for (let length = 0; length < whole.length; length += 1) {
    if (length < shortest) t.throws(() => readBootOption(whole.subarray(0, length)), einval, `cut to ${length}`)
    else t.equal(readBootOption(whole.subarray(0, length)).optionalData.length, length - shortest)
  }
  for (let at = 0; at < whole.length; at += 1) {
    for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
      const changed = whole.slice()
      changed[at] = value
      try {
        devicePathText(readBootOption(changed).devicePath)
      } catch (error) {
        t.match(error, einval, `byte ${at}: ${value}`)
      }
    }
  }
  t.end()
})

t.test('a boot order is a list of numbers', (t) => {
  t.strictSame(readBootNumbers(bytes('0000 0100 0b0a')), [0, 1, 0x0a0b])
  t.strictSame(readBootNumbers(new Uint8Array()), [])
  t.equal(hex(writeBootNumbers([0, 0x0a0b])), '00000b0a')
  t.throws(() => readBootNumbers(bytes('000001')), einval)
  t.equal(bootVariable(0x1a).name, 'Boot001A')
  t.end()
})

t.test('a node with too few bytes for its kind is shown as bytes', (t) => {
  for (const [kind, least] of Object.entries({
    ...{ '0101': 2, '0104': 16, '0201': 8, '0301': 4, '0302': 4, '0305': 2, '030a': 16, '030b': 33, '030c': 8 },
    ...{ '030d': 32, '0312': 6, '0317': 12, '031a': 1, '031d': 1, '0401': 38, '0402': 20, '0403': 16, '0404': 2 },
    ...{ '0406': 16, '0407': 16 }
  })) {
    const node = (length: number) => {
      const size = Buffer.of((length + 4) & 0xff, (length + 4) >> 8).toString('hex')
      return devicePathText(bytes(`${kind}${size}${'00'.repeat(length)}7fff0400`))
    }
    t.ok(node(least - 1).startsWith('Path('), `${kind}: ${node(least - 1)}`)
    t.notOk(node(least).startsWith('Path('), `${kind}: ${node(least)}`)
  }
  t.end()
})

t.test('device paths read as UEFI has them written', (t) => {
  const root = '02010c00d041030a00000000'
  const end = '7fff0400'
  const guid = '61dfe48bca93d211aa0d00e098032b8c'
  const lossy = ['CDROM', 'Serial', 'Path(1,1', 'IPv6']
  for (const [nodes, text] of [
    ['', ''],
    [root, 'PciRoot(0x0)'],
    ['02010c00d041080a02000000', 'PcieRoot(0x2)'],
    ['02010c00d041010501000000', 'Serial(0x1)'],
    ['02010c00d0410c0200000000', 'Acpi(0x20C41D0,0x0)'],
    [`${root} 01010600021d`, 'PciRoot(0x0)/Pci(0x1D,0x2)'],
    ['03120a00 0200 ffff 0000', 'Sata(0x2,0xFFFF,0x0)'],
    ['03010800 01 00 0000', 'Ata(0x1,0x0,0x0)'],
    ['03020800 0100 0200', 'Scsi(0x1,0x2)'],
    ['03050600 04 00', 'USB(0x4,0x0)'],
    ['03171000 01000000 0038 25a4 013c 5a11', 'NVMe(0x1,11-5A-3C-01-A4-25-38-00)'],
    [`030b2500 8c12c20a4151${'00'.repeat(26)} 01`, 'MAC(8C12C20A4151,0x1)'],
    [`030c1b00 00000000 c0000201 ${'00'.repeat(15)}`, 'IPv4(192.0.2.1)'],
    [
      `030d3c00 ${'00'.repeat(16)} 20010db8${'00'.repeat(11)}01 ${'00'.repeat(24)}`,
      'IPv6(2001:0db8:0000:0000:0000:0000:0000:0001)'
    ],
    ['03180400', 'Uri()'],
    [`03180c00 ${Buffer.from('http://x').toString('hex')}`, 'Uri(http://x)'],
    ['031a0500 00', 'SD(0x0)'],
    ['031d0500 01', 'eMMC(0x1)'],
    [
      `04012a00 01000000 0008000000000000 0000100000000000 ${guid} 02 02`,
      'HD(1,GPT,8BE4DF61-93CA-11D2-AA0D-00E098032B8C,0x800,0x100000)'
    ],
    [
      `04012a00 01000000 3f00000000000000 0000100000000000 cdab3412${'00'.repeat(12)} 01 01`,
      'HD(1,MBR,0x1234ABCD,0x3F,0x100000)'
    ],
    [`04021800 01000000 ${'00'.repeat(16)}`, 'CDROM(0x1)'],
    [`04041000 ${hex(textBytes('\\a.efi')).slice(0, 20)}0000`, '\\a.ef'],
    [
      `04071400 ${guid} 04061400 ${guid}`,
      'Fv(8BE4DF61-93CA-11D2-AA0D-00E098032B8C)/FvFile(8BE4DF61-93CA-11D2-AA0D-00E098032B8C)'
    ],
    [`01041400 ${guid}`, 'VenHw(8BE4DF61-93CA-11D2-AA0D-00E098032B8C)'],
    [`030a1600 ${guid} abcd`, 'VenMsg(8BE4DF61-93CA-11D2-AA0D-00E098032B8C,ABCD)'],
    ['05010600 abcd', 'Path(5,1,ABCD)'],
    ['01010500 00', 'Path(1,1,00)'],
    [`${root} 7f010400 ${root}`, 'PciRoot(0x0),PciRoot(0x0)']
  ] as const) {
    t.equal(devicePathText(bytes(`${nodes}${end}`)), text)
    if (!lossy.some((each) => text.startsWith(each)))
      t.equal(hex(devicePathFromText(text) ?? bytes('')), hex(bytes(`${nodes}${end}`)))
  }
  for (const text of [
    'Sata(0x0)',
    'Pci(1,2)',
    'Pci(0x1,0x2',
    'Toaster(0x1)',
    'CDROM(0x1)',
    'IPv4(300.0.0.1)',
    'PciRoot(0x0)/',
    'Fv(1)',
    'toString()'
  ])
    t.equal(devicePathFromText(text), undefined, text)
  const path = bytes(`${root} ${end} 00`)
  t.equal(devicePathEnd(path), path.length - 1)
  for (const endless of ['', root, '7f010400', '0101 0300 00', '0101 0000', '0101 ff00 00', '7fff'])
    t.throws(() => devicePathText(bytes(endless)), einval, endless)
  t.end()
})

t.test('the device paths of every board have bytes', (t) => {
  const boards = readdirSync('data/boards').map((name) => JSON.parse(readFileSync(`data/boards/${name}`, 'utf8')))
  const systems = boards.flatMap((board) => Object.values<BoardSystem>(board.systems))
  for (const { uefiDevicePath } of systems.flatMap(({ bootOptions = [] }) => bootOptions)) {
    t.ok(devicePathFromText(uefiDevicePath), uefiDevicePath)
  }
  t.end()
})
