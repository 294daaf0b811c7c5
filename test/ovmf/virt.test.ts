// own process: it starts machines
import { existsSync, truncateSync } from 'node:fs'
import t from 'tap'
import { readBootNumbers, readBootOption, writeBootNumbers, writeBootOption } from '#hal/uefi/boot.ts'
import { bootNext, bootOrder, bootVariable } from '#hal/uefi/variables.ts'
import { variable } from '#test/hal/contracts/nvram.ts'
import { needing } from '#test/host/every-host.ts'
import { isInstalled } from '#test/host/hosts.ts'
import { runMachine } from './machine.ts'
import { change, load, newStore } from './stores.ts'

const code = '/usr/share/AAVMF/AAVMF_CODE.fd'
const missing =
  isInstalled('qemu-system-aarch64') && existsSync(code)
    ? undefined
    : 'AAVMF: not here; install qemu-system-arm and qemu-efi-aarch64'

t.setTimeout(1_700_000)

needing('firmware of a machine virt boots with a store of ours, and we read what it writes', missing, async (t) => {
  const store = `${t.testdir()}/store.fd`
  const boot = (until: RegExp) =>
    runMachine(
      'qemu-system-aarch64',
      [
        ...['-nodefaults', '-machine', 'virt', '-cpu', 'cortex-a57', '-accel', 'tcg', '-m', '256', '-display', 'none'],
        ...['-drive', `if=pflash,unit=0,format=raw,readonly=on,file=${code}`],
        ...['-drive', `if=pflash,unit=1,format=raw,file=${store}`, '-serial', 'stdio']
      ],
      { until, timeout: 240_000 }
    )
  await change(newStore('virt'), store, (nvram) => nvram.set([variable('Small', 'ours')]))
  truncateSync(store, 64 * 1024 * 1024)
  await boot(/BdsDxe: starting Boot/)

  const large = (byte: number) => variable('Large', new Uint8Array(30_000).fill(byte))
  const chip = load(store)
  await change(chip, store, async (nvram) => {
    t.strictSame(nvram.health, { state: 'ok', faults: [] })
    t.strictSame(nvram.get('Small', variable('Small', '').guid)?.data, new Uint8Array(Buffer.from('ours')))
    const order = readBootNumbers(nvram.get('BootOrder', bootOrder.guid)!.data)
    const options = order.map((number) => readBootOption(nvram.get(bootVariable(number).name, bootOrder.guid)!.data))
    const shell = options.find(({ description }) => description === 'EFI Internal Shell')!
    await nvram.set([
      { ...bootVariable(0xb00), data: writeBootOption({ ...shell, description: 'Once' }) },
      { ...bootNext, data: writeBootNumbers([0xb00]) }
    ])
    // More than the store holds: it is rewritten, in blocks of 256 KiB.
    for (let byte = 1; byte <= 12; byte++) await nvram.set([large(byte)])
  })
  await boot(/BdsDxe: starting Boot0B00 "Once"/)

  await change(load(store), store, async (nvram) => {
    t.strictSame(nvram.health, { state: 'ok', faults: [] })
    t.equal(nvram.get('BootNext', bootNext.guid), undefined, 'firmware has deleted it')
    t.strictSame(nvram.get('Large', large(12).guid)?.data, large(12).data)
  })
})
