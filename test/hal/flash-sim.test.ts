import t from 'tap'
import { simFlash } from '#hal/sim/flash.ts'
import { flashContract } from '#test/hal/contracts/flash.ts'

const size = 16 * 4096
const eio = { name: 'HalError', code: 'EIO' }

flashContract(t, 'simulator', () => simFlash({ size }).open)
flashContract(t, 'simulator with small blocks', () => simFlash({ size: 1024, eraseSize: 64 }).open)

t.test('a geometry that cannot be is EINVAL', (t) => {
  const impossible = [
    { size: 0 },
    { size: -4096 },
    { size: Number.NaN },
    { size: 5000 },
    { size: 4096, eraseSize: 3000 },
    { size: 4096, writeSize: 3 }
  ]
  for (const options of impossible) t.throws(() => simFlash(options), { code: 'EINVAL' }, JSON.stringify(options))
  t.end()
})

t.test('a chip that programs units of several bytes takes whole units only', (t) => {
  const flash = simFlash({ size, writeSize: 16 }).open()
  t.throws(() => flash.program(8, new Uint8Array(16)), { code: 'EINVAL' })
  t.throws(() => flash.program(16, new Uint8Array(8)), { code: 'EINVAL' })
  flash.program(16, new Uint8Array(32))
  t.strictSame([flash.read(15, 1)[0], flash.read(16, 1)[0], flash.read(48, 1)[0]], [0xff, 0, 0xff])
  t.end()
})

t.test(
  'cutAfter: this number of operations succeeds, the next does nothing, and all fail until it is opened again',
  (t) => {
    const chip = simFlash({ size, faults: { cutAfter: 2 } })
    const flash = chip.open()
    flash.program(0, Uint8Array.of(1))
    flash.erase(4096, 4096)
    t.throws(() => flash.program(1, Uint8Array.of(2)), eio)
    t.throws(() => flash.read(0, 1), eio)
    t.throws(() => flash.sync(), eio)
    t.throws(() => flash.close(), eio)
    const again = chip.open()
    t.strictSame([...again.read(0, 2)], [1, 0xff])
    again.program(1, Uint8Array.of(2))
    t.equal(again.read(1, 1)[0], 2, 'and the fault is gone')
    t.end()
  }
)

t.test('torn: a program that is cut has changed that many bytes', (t) => {
  const chip = simFlash({ size, faults: { cutAfter: 0, torn: 3 } })
  t.throws(() => chip.open().program(100, new Uint8Array(8)), eio)
  t.strictSame([...chip.contents.subarray(99, 109)], [0xff, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
  t.end()
})

t.test('torn: an erase that is cut leaves a block half erased, the rest of it as it was or zero', (t) => {
  for (const [tornErase, rest] of [
    ['kept', 0x11],
    ['zeros', 0x00]
  ] as const) {
    for (const torn of [0, 1000, 4096, 5000]) {
      const chip = simFlash({ size, faults: { cutAfter: 0, torn, tornErase } })
      chip.contents.fill(0x11)
      t.throws(() => chip.open().erase(4096, 8192), eio)
      const expected = new Uint8Array(size).fill(0x11)
      expected.fill(0xff, 4096, 4096 + torn)
      expected.fill(rest, 4096 + torn, torn < 4096 ? 8192 : 12288)
      t.equal(Buffer.compare(chip.contents, expected), 0, `${torn} bytes, ${tornErase}`)
    }
  }
  t.end()
})

t.test('torn beyond the operation: it is complete, and then the power fails', (t) => {
  const chip = simFlash({ size, faults: { cutAfter: 0, torn: 1e6, tornErase: 'zeros' } })
  chip.contents.fill(0)
  t.throws(() => chip.open().erase(0, 4096), eio)
  t.ok(chip.contents.subarray(0, 4096).every((byte) => byte === 0xff))
  t.ok(chip.contents.subarray(4096).every((byte) => byte === 0))
  t.end()
})

t.test('cutAfter: an erase on the worker pool is cut like any other', async (t) => {
  const chip = simFlash({ size, faults: { cutAfter: 0 } })
  const flash = chip.open()
  await t.rejects(flash.eraseAsync(0, 4096), eio)
  t.throws(() => flash.read(0, 1), eio)
  chip.open()
})

t.test('badBlocks: programming and erasing there fail and change nothing; reading and the other blocks work', (t) => {
  const chip = simFlash({ size, faults: { badBlocks: [1] } })
  const flash = chip.open()
  chip.contents.fill(0x55)
  t.throws(() => flash.program(4096, Uint8Array.of(0)), eio)
  t.throws(() => flash.program(4095, new Uint8Array(2)), eio)
  t.throws(() => flash.erase(0, 8192), eio)
  t.ok(chip.contents.every((byte) => byte === 0x55))
  t.equal(flash.read(4096, 1)[0], 0x55)
  flash.erase(0, 4096)
  flash.program(8192, Uint8Array.of(0))
  t.strictSame([chip.contents[0], chip.contents[8192]], [0xff, 0])
  chip.faults.badBlocks = []
  flash.erase(4096, 4096)
  t.equal(chip.contents[4096], 0xff)
  t.end()
})
