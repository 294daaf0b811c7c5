import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { createStore } from '#hal/edk2/create.ts'
import { edk2Layouts } from '#hal/edk2/layout.ts'
import { openStore } from '#hal/edk2/store.ts'
import type { FirmwareImage } from '#hal/firmware.ts'
import { type FlashFirmwareOptions, flashFirmware } from '#hal/flash/firmware.ts'
import { sharedFlash } from '#hal/flash/part.ts'
import { type SimFlash, simFlash } from '#hal/sim/flash.ts'

/** A chip with the variables of a host between two parts of its firmware. */
const parts = [
  { name: 'boot', offset: 0, length: 0x2000 },
  { name: 'main', offset: 0x22000 }
]
const size = 0x26000

function image(
  version: string,
  fill: number,
  lengths: Readonly<Record<string, number>> = { boot: 0x2000, main: 0x4000 }
) {
  const contents = Object.entries(lengths).map(([name, length]) => [name, new Uint8Array(length).fill(fill)] as const)
  const listed = contents.map(([name, bytes]) => ({
    name,
    length: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex')
  }))
  const bytes = new Uint8Array(contents.flatMap(([, each]) => [...each]))
  return { version, parts: listed, bytes } satisfies FirmwareImage & { bytes: Uint8Array }
}

/** The chip of a host, with firmware that is all 1. */
function hostChip(): SimFlash {
  const chip = simFlash({ size })
  chip.contents.fill(1)
  chip.contents.fill(0xff, 0x2000, 0x22000)
  const { offset, workOffset, spareOffset, ...sizes } = edk2Layouts['2M']
  const flash = chip.open()
  const by = 0x2000
  createStore(flash, { ...sizes, offset: offset + by, workOffset: workOffset + by, spareOffset: spareOffset + by })
  flash.close()
  return chip
}

/** A process on the controller: the firmware of the host, and all that it warns of. */
function started(t: Test, chip: SimFlash, directory = t.testdir(), more: Partial<FlashFirmwareOptions> = {}) {
  const warnings: string[] = []
  const open = sharedFlash(() => chip.open())
  const warn = (text: string) => warnings.push(text)
  const firmware = flashFirmware(open, { name: 'bios', directory, path: '/chip', parts, version: '1.0', warn, ...more })
  return { firmware, directory, warnings, open }
}

async function install(firmware: ReturnType<typeof flashFirmware>, wanted: ReturnType<typeof image>): Promise<void> {
  const writing = await firmware.write(wanted)
  try {
    for (let at = 0; at < wanted.bytes.length; at += 3000) await writing.write(wanted.bytes.subarray(at, at + 3000))
    await writing.verify()
  } finally {
    await writing.abandon()
  }
}

/** The values of bytes in the parts, each once. */
const holds = ({ contents }: SimFlash) => [
  ...new Set([...contents.subarray(0, 0x2000), ...contents.subarray(0x22000, size)])
]

const only = (version: string | undefined) => ({ slots: [{ version }], running: 0, next: 0, committed: true })

t.test('an image takes the place of the one that ran, and the variables beside it stay', async (t) => {
  const chip = hostChip()
  const variables = chip.contents.slice(0x2000, 0x22000)
  const { firmware, directory, open, warnings } = started(t, chip)
  const nvram = openStore(open('/chip'))
  t.same(firmware.state, only('1.0'))
  const states: unknown[] = []
  firmware.on(({ slots }) => states.push(slots[0]?.version))
  await install(firmware, image('1.1', 2))
  await firmware.activate(0)
  await firmware.commit()
  t.same(states, [undefined, '1.1'])
  t.same(holds(chip), [2])
  t.same(chip.contents.slice(0x2000, 0x22000), variables)
  await nvram.acquire()
  t.equal(nvram.health.state, 'ok')
  await firmware.close()
  await t.rejects(firmware.write(image('1.2', 3)), { code: 'ENODEV' })
  t.same(started(t, chip, directory).firmware.state, only('1.1'), 'the next process knows it')
  t.same(warnings, [])
})

t.test('cut at any write, it is no firmware until an image is written to its end', async (t) => {
  const directory = t.testdir()
  for (const { torn, tornErase } of [{ torn: 0 }, { torn: 100, tornErase: 'zeros' }] as const) {
    let isWhole = false
    for (let cutAfter = 0; !isWhole; cutAfter += 1) {
      const chip = hostChip()
      const before = started(t, chip, directory)
      await install(before.firmware, image('1.0', 1))
      Object.assign(chip.faults, { cutAfter, torn, tornErase })
      isWhole = await install(before.firmware, image('1.1', 2)).then(
        () => true,
        () => false
      )
      chip.faults.cutAfter = undefined
      const { firmware, warnings } = started(t, chip, directory)
      t.same(firmware.state, only(isWhole ? '1.1' : undefined), `${cutAfter}`)
      t.equal(warnings.length, isWhole ? 0 : 1)
      if (!isWhole) {
        t.match(warnings[0], /^bios: there is no complete image/)
        await t.rejects(firmware.activate(0), { code: 'EINVAL' })
        await install(firmware, image('1.1', 2))
        t.same(firmware.state, only('1.1'))
      }
      t.same(holds(chip), [2])
    }
  }
})

t.test('an image that is not made for the flash is refused before anything changes', async (t) => {
  const chip = hostChip()
  const before = chip.contents.slice()
  const { firmware, directory } = started(t, chip)
  for (const lengths of [
    { bios: 0x6000 },
    { boot: 0x2000 },
    { boot: 0x1000, main: 0x4000 },
    { main: 0x4000, boot: 0x2000 }
  ]) {
    await t.rejects(firmware.write(image('1.1', 2, lengths as Record<string, number>)), { code: 'EINVAL' })
  }
  const whole = started(t, chip, directory, { parts: undefined }).firmware
  await t.rejects(whole.write(image('1.1', 2, { bios: size })), {
    code: 'EINVAL',
    message: 'bios: where bios is to be, the host has its variables'
  })
  const odd = started(t, chip, directory, { parts: [{ name: 'bios', offset: 7 }] }).firmware
  await t.rejects(odd.write(image('1.1', 2, { bios: size - 7 })), { code: 'EINVAL' })
  t.same(firmware.state, only('1.0'))
  t.same(chip.contents, before)
  await install(firmware, image('1.1', 2))
})

t.test('an image whose bytes are wrong, or that fails at the chip, is no firmware', async (t) => {
  const chip = hostChip()
  const { firmware } = started(t, chip)
  const wanted = image('1.1', 2)
  await t.rejects(install(firmware, { ...wanted, bytes: wanted.bytes.with(5, 9) }), { code: 'EIO' })
  t.same(firmware.state, only(undefined))
  chip.faults.badBlocks = [1]
  await t.rejects(install(firmware, image('1.1', 3)), { code: 'EIO' })
  chip.faults.badBlocks = []
  const writing = await firmware.write(wanted)
  await t.rejects(firmware.write(wanted), { code: 'EBUSY' })
  await writing.abandon()
  await install(firmware, wanted)
  t.same(firmware.state, only('1.1'))
})

t.test('nothing is written if the start of writing cannot be recorded', async (t) => {
  const chip = hostChip()
  const before = chip.contents.slice()
  const { firmware } = started(t, chip, `${t.testdir()}/gone`)
  await t.rejects(firmware.write(image('1.1', 2)), { name: 'HalError', code: 'ENODEV' })
  t.same(firmware.state, only('1.0'))
  t.same(chip.contents, before)
})

t.test('a new file is a copy of the file that create names', async (t) => {
  const directory = t.testdir({ code: 'as it comes' })
  const more = { path: 'bios.fd', create: `${directory}/code`, version: '1.0' }
  const chip = simFlash({ size })
  t.same(started(t, chip, directory, more).firmware.state, only('1.0'))
  t.equal(readFileSync(`${directory}/bios.fd`, 'utf8'), 'as it comes')
  writeFileSync(`${directory}/bios.fd`, 'changed')
  started(t, chip, directory, more)
  t.equal(readFileSync(`${directory}/bios.fd`, 'utf8'), 'changed', 'and is not copied again')
  const { firmware, warnings } = started(t, chip, directory, { ...more, path: 'other.fd', create: '/nowhere' })
  t.same(firmware.state, only(undefined))
  t.match(warnings, [/bios: .*other\.fd cannot be created: .*\/nowhere/, /there is no complete image/])
})

t.test('devices in one flash have it open once, until the last of them closes it', async (t) => {
  const chip = simFlash({ size })
  const open = sharedFlash(() => chip.open())
  const [first, second] = [open('/chip'), open('/chip')]
  first.program(0, Uint8Array.of(5))
  first.close()
  for (const use of [() => first.read(0, 1), () => first.sync(), () => first.close()]) t.throws(use, { code: 'ENODEV' })
  t.same(second.read(0, 1), Uint8Array.of(5))
  t.throws(() => chip.open(), { code: 'EBUSY' })
  second.close()
  open('/chip').close()
  chip.open()
})
