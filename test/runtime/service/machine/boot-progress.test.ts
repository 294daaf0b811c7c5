import t from 'tap'
import type { Console } from '#hal/console.ts'
import { simPower } from '#hal/sim/power.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { followBoot } from '#runtime/service/machine/boot-progress.ts'
import { watch } from '#test/hal/contracts/power.ts'

t.test('the progress of a boot follows the power, and the words of the firmware however they are cut', async (t) => {
  const power = simPower({ initial: 'Off', onTime: 0, offTime: 0 })
  t.teardown(() => power.close())
  const output = new Listeners<Uint8Array>()
  const console: Console = { write: () => {}, on: (listener) => output.add(listener), close: async () => {} }
  const seen: unknown[] = []
  const progress = followBoot(power, console, () => seen.push(progress()))
  const say = (text: string) => output.emit(Buffer.from(text, 'latin1'))
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
})

t.test('the boot progress of a host that was on before is unknown', async (t) => {
  const power = simPower()
  t.teardown(() => power.close())
  const console: Console = { write: () => {}, on: () => () => {}, close: async () => {} }
  t.equal(followBoot(power, console, () => {})(), undefined)
})
