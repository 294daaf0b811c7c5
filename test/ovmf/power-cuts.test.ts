import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { openStore } from '#hal/edk2/store.ts'
import type { VariableChange } from '#hal/nvram.ts'
import { type FlashFaults, type SimFlash, simFlash } from '#hal/sim/flash.ts'
import { variable } from '#test/hal/contracts/nvram.ts'
import { needing } from '#test/host/every-host.ts'
import { buildApplication, makeDisk, missingApplication } from './application.ts'
import { boot, missingMachine } from './machine.ts'
import { change, load, newStore } from './stores.ts'

t.setTimeout(1_200_000)

const first = variable('First', 'x')
const value = variable('Value', '')
const old = { ...value, data: new Uint8Array(3000).fill(1) }
const wanted = { ...value, data: new Uint8Array(4000).fill(2) }

function copyOf(chip: SimFlash): SimFlash {
  const copy = simFlash({ size: chip.contents.length })
  copy.contents.set(chip.contents)
  return copy
}

/** The contents of a chip when the power is cut while a variable is set. */
async function cut(chip: SimFlash, faults: FlashFaults, change: VariableChange): Promise<SimFlash> {
  const copy = copyOf(chip)
  const nvram = openStore(copy.open())
  await nvram.acquire()
  Object.assign(copy.faults, faults)
  await nvram.set([change]).catch((error) => {
    if (error.code !== 'EIO') throw error
  })
  return copy
}

needing('OVMF boots with what a power cut leaves', missingMachine ?? missingApplication, async (t) => {
  const directory = t.testdir()
  const disk = makeDisk(directory, buildApplication(directory))
  const machine = { directory, store: `${directory}/store.fd`, disk }
  await change(newStore('4M'), machine.store, (nvram) => nvram.set([first, old]))
  await boot(machine)
  const chip = load(machine.store)

  /** Boots, and finds the old value or the new one, now and in the store that firmware leaves. */
  async function survives(t: Test, left: SimFlash): Promise<void> {
    writeFileSync(machine.store, left.contents)
    const { report, variables, milliseconds } = await boot({ ...machine, timeout: 300_000 })
    t.equal(report.at(-1), 'end')
    const seen = Buffer.from(variables.get(`${value.guid}/Value`)?.data ?? [])
    t.ok(
      [old.data, wanted.data].some((data) => seen.equals(data)),
      `booted in ${milliseconds} ms`
    )
    await change(load(machine.store), machine.store, async (nvram) => {
      t.ok(seen.equals(nvram.get('Value', value.guid)?.data ?? new Uint8Array()), 'we read the same')
    })
  }

  for (const [when, faults] of [
    ['between the two bytes that begin a record', { cutAfter: 1, torn: 1 }],
    ['in a header', { cutAfter: 2, torn: 30 }],
    ['in the data', { cutAfter: 4, torn: 2000 }],
    ['before the new record is valid', { cutAfter: 5 }],
    ['before the old record is deleted', { cutAfter: 6 }]
  ] as const) {
    await t.test(`an update is cut off ${when}`, async (t) => survives(t, await cut(chip, faults, wanted)))
  }

  // The variables of the first block are replaced, and dead records fill the store.
  const many = 10_000
  const operations = async () => many - (await cut(chip, { cutAfter: many }, wanted)).faults.cutAfter!
  await change(chip, machine.store, (nvram) => nvram.set([{ ...first, data: null }]))
  for (let i = 0; i < 30 && (await operations()) < 50; i += 1) {
    await change(chip, machine.store, async (nvram) => {
      await nvram.set([variable('Waste', new Uint8Array(10_000).fill(i))])
      await nvram.set([variable('Waste', '')])
    })
  }
  const total = await operations()
  t.ok(total >= 50, `the store is rewritten, in ${total} operations`)
  for (const [when, part] of [
    ['the spare blocks are written', 0.3],
    ['the new content is put into its place', 0.8]
  ] as const) {
    const cutAfter = Math.floor(total * part)
    await t.test(`a rewriting is cut off while ${when}`, async (t) =>
      survives(t, await cut(chip, { cutAfter }, wanted))
    )
  }

  await t.test('it is cut off when the first block is erased: not before we have put that right', async (t) => {
    const isGone = ({ contents }: SimFlash) => contents.subarray(0, 0x100).every((byte) => byte === 0xff)
    const left = await cut(chip, { cutAfter: total - 3 }, wanted)
    t.ok(isGone(left), 'it is the last that is erased, and written at once')
    const nvram = openStore(copyOf(left).open())
    t.strictSame(nvram.get('Value', value.guid)?.data, wanted.data, 'we read it as it is to be')
    const store = openStore(left.open())
    await store.acquire()
    await store.close()
    await survives(t, left)
  })
})
