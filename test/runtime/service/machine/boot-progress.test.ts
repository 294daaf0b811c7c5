import t, { type Test } from 'tap'
import type { Console } from '#hal/console.ts'
import { simPower } from '#hal/sim/power.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { followBoot } from '#runtime/service/machine/boot-progress.ts'
import { watch } from '#test/hal/contracts/power.ts'

/** A host that is off, with what is seen of its boot, and of the ends of that: whether each is a failure. */
function followed(t: Test) {
  const power = simPower({ initial: 'Off', onTime: 0, offTime: 0 })
  t.teardown(() => power.close())
  const output = new Listeners<Uint8Array>()
  const console: Console = { write: () => {}, on: (listener) => output.add(listener), close: async () => {} }
  const seen: unknown[] = []
  const ends: boolean[] = []
  const progress = followBoot(
    power,
    console,
    () => seen.push(progress()),
    (isFailed) => ends.push(isFailed)
  )
  return { power, progress, seen, ends, say: (text: string) => output.emit(Buffer.from(text, 'latin1')) }
}

t.test('the progress of a boot follows the power, and the words of the firmware however they are cut', async (t) => {
  const { power, progress, seen, ends, say } = followed(t)
  t.equal(progress(), 'None')
  const on = watch(power).next('On')
  await power.perform('on')
  await on
  say('\x1b[2JBdsDxe: loa')
  say('ding Boot0001 "UEFI Disk" from PciRoot(0x0)\r\nBdsDxe: starting Boot0001 "UEFI Di')
  say('sk" from\r\n')
  say('x'.repeat(100_000))
  say('\nBdsDxe: starting Boot0000 "UiApp" from Fv\r\nBdsDxe: starting Boot12 "no number"\r\n'.padEnd(70_000, 'y'))
  const off = watch(power).next('Off')
  await power.perform('forceOff')
  await off
  t.same(seen, [
    'PrimaryProcessorInitializationStarted',
    'SystemHardwareInitializationComplete',
    'OSBootStarted',
    'SetupEntered',
    'None'
  ])
  t.same(ends, [false], 'the setup is no end')
})

t.test('a boot that finds nothing, or starts a system, ends once however its line is cut', async (t) => {
  for (const [said, isFailed, reached] of [
    ['BdsDxe: No bootable option or device was found.\r\n', true, []],
    ['BdsDxe: starting Boot0001 "UEFI Disk" from PciRoot(0x0)\r\n', false, ['OSBootStarted']],
    ['BdsDxe: starting Boot0000 "UiApp" from Fv\r\n', undefined, ['SetupEntered']]
  ] as const)
    for (const piece of [1, 7, said.length]) {
      const { seen, ends, say } = followed(t)
      for (let at = 0; at < said.length; at += piece) say(said.slice(at, at + piece))
      t.same(ends, isFailed === undefined ? [] : [isFailed], `${said.trim()} in pieces of ${piece}`)
      t.same(seen, reached)
      say(said)
      t.equal(ends.length, isFailed === undefined ? 0 : 2, 'the next boot ends as well')
    }
})

t.test('the boot progress of a host that was on before is unknown', async (t) => {
  const power = simPower()
  t.teardown(() => power.close())
  const console: Console = { write: () => {}, on: () => () => {}, close: async () => {} }
  t.equal(followBoot(power, console, () => {})(), undefined)
})
