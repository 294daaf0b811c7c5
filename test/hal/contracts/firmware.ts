import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import type { Firmware, FirmwareImage } from '#hal/firmware.ts'
import { updatesContract } from './updates.ts'

const encoder = new TextEncoder()

/** An image of two parts, and their bytes. */
export function image(version: string): FirmwareImage & { readonly bytes: Uint8Array } {
  const contents = [encoder.encode(`kernel ${version}`), encoder.encode(`root of ${version}, which is longer`)] as const
  const parts = contents.map((bytes, index) => ({
    name: `part-${index}`,
    length: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex')
  }))
  return { version, parts, bytes: new Uint8Array(contents.flatMap((each) => [...each])) }
}

/** Writes an image in pieces across the borders of its parts, and checks it. */
export async function install(firmware: Firmware, version: string): Promise<void> {
  const wanted = image(version)
  const writing = await firmware.write(wanted)
  for (let at = 0; at < wanted.bytes.length; at += 7) await writing.write(wanted.bytes.subarray(at, at + 7))
  await writing.verify()
}

/**
 * The contract of every back end of hal/firmware.ts that has two slots and takes images.
 *
 * @param open a component that runs version 1.0 in slot 0, with slot 1 empty, and keeps what it must in the directory;
 *   again, the component started anew
 */
export function firmwareContract(t: Test, backEnd: string, open: (directory: string) => Firmware) {
  const withFirmware = (title: string, body: (t: Test, firmware: Firmware, directory: string) => Promise<void>) =>
    t.test(`${backEnd}: ${title}`, async (t) => {
      const directory = t.testdir()
      const firmware = open(directory)
      t.teardown(() => firmware.close())
      await body(t, firmware, directory)
    })
  updatesContract(t, backEnd, async (t) => {
    const directory = t.testdir()
    const opened = () => {
      const firmware = open(directory)
      t.teardown(() => firmware.close())
      return firmware
    }
    const firmware = opened()
    const slot = () => 1 - firmware.state.running
    return {
      firmware,
      versionOf: (text) => text,
      install: (text) => install(firmware, text).then(slot),
      async installDamaged() {
        const writing = await firmware.write(image('damaged'))
        const work = writing.write(image('another').bytes).then(() => writing.verify())
        return work.finally(() => writing.abandon())
      },
      async begin(text) {
        const writing = await firmware.write(image(text))
        return () => writing.write(image(text).bytes).then(() => writing.verify())
      },
      async restart() {
        await firmware.close()
        return opened()
      }
    }
  })

  const first = { slots: [{ version: '1.0' }, { version: undefined }], running: 0, next: 0, committed: true }

  withFirmware('a component runs its factory version', async (t, firmware) => {
    t.same(firmware.state, first)
  })

  withFirmware('an image is written beside the running one, and is listed once it is checked', async (t, firmware) => {
    const wanted = image('1.1')
    const states: string[] = []
    const stop = firmware.on(({ slots }) => states.push(slots.map(({ version }) => version ?? '-').join(' ')))
    const writing = await firmware.write(wanted)
    await writing.write(wanted.bytes)
    t.same(firmware.state, first)
    await writing.verify()
    t.same(firmware.state, { ...first, slots: [{ version: '1.0' }, { version: '1.1' }] })
    t.equal(states.at(-1), '1.0 1.1')
    stop()
    await writing.abandon()
    t.equal(firmware.state.slots[1]?.version, '1.1', 'there is nothing left to give up')
  })

  withFirmware(
    'an image that is made the next one runs after a start, on trial until it is good',
    async (t, firmware, directory) => {
      await install(firmware, '1.1')
      await firmware.activate(1)
      t.match(firmware.state, { running: 0, next: 1 })
      await firmware.close()
      const again = open(directory)
      t.match(again.state, { running: 1, next: 1, committed: false })
      await again.commit()
      t.equal(again.state.committed, true)
      await install(again, '1.2')
      t.same(again.state.slots, [{ version: '1.2' }, { version: '1.1' }])
      await again.close()
    }
  )

  withFirmware('writing again undoes the choice of the next version', async (t, firmware) => {
    await install(firmware, '1.1')
    await firmware.activate(1)
    const writing = await firmware.write(image('1.2'))
    t.same(firmware.state, first)
    await writing.abandon()
    t.same(firmware.state, first)
  })

  withFirmware('an image with bytes that are wrong, missing or too many is refused', async (t, firmware) => {
    const { bytes, ...wanted } = image('1.1')
    const flipped = bytes.slice()
    flipped[bytes.length - 1]! ^= 1
    for (const [sent, code] of [
      [flipped, 'EIO'],
      [bytes.subarray(1), 'EINVAL'],
      [new Uint8Array([...bytes, 0]), 'EINVAL']
    ] as const) {
      const writing = await firmware.write(wanted)
      const work = writing.write(sent).then(() => writing.verify())
      await t.rejects(work, { name: 'HalError', code }, code)
      await writing.abandon()
      t.same(firmware.state, first)
    }
    await install(firmware, '1.1')
  })

  withFirmware('one image is written at a time', async (t, firmware) => {
    const writing = await firmware.write(image('1.1'))
    await t.rejects(firmware.write(image('1.2')), { code: 'EBUSY' })
    await t.rejects(firmware.activate(0), { code: 'EBUSY' })
    await writing.abandon()
    await t.rejects(writing.write(new Uint8Array(1)), { code: 'ENODEV' })
    await install(firmware, '1.2')
  })

  withFirmware('a slot without a whole image is not started from', async (t, firmware) => {
    for (const slot of [1, 2, -1]) await t.rejects(firmware.activate(slot), { code: 'EINVAL' })
    t.same(firmware.state, first)
  })

  withFirmware('what was half written is nothing for the next process', async (t, firmware, directory) => {
    await install(firmware, '1.1')
    const wanted = image('1.2')
    const writing = await firmware.write(wanted)
    await writing.write(wanted.bytes.subarray(0, 9))
    const again = open(directory)
    t.same(again.state, first)
    await again.close()
  })
}
