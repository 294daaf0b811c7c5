import t, { type Test } from 'tap'
import { openStore } from '#hal/edk2/store.ts'
import type { Nvram } from '#hal/nvram.ts'
import { attribute } from '#hal/uefi/attributes.ts'
import { bootAttribute, readBootNumbers, readBootOption, writeBootNumbers, writeBootOption } from '#hal/uefi/boot.ts'
import { devicePathText } from '#hal/uefi/device-path.ts'
import { textBytes } from '#hal/uefi/text.ts'
import { bootNext, bootOrder, bootVariable } from '#hal/uefi/variables.ts'
import { contents, variable } from '#test/hal/contracts/nvram.ts'
import { needing } from '#test/host/every-host.ts'
import { buildApplication, makeDisk, missingApplication } from './application.ts'
import { type Boot, type Build, boot, missingMachine } from './machine.ts'
import { change, load, newStore } from './stores.ts'
import { missingVirtFirmware, readByVirtFirmware } from './virt-firmware.ts'

t.setTimeout(1_700_000)

const missing = missingMachine ?? missingApplication
const note = variable('HostNote', '')

/** Everything that lasts and that firmware has reported is in the store. */
function sameAsReported(t: Test, nvram: Nvram, { variables }: Boot): void {
  const lasting = [...variables].filter(([, { attributes }]) => attributes & attribute.nonVolatile)
  t.ok(lasting.length > 20, `firmware has ${lasting.length} of its own`)
  for (const [key, { attributes, data }] of lasting) {
    const [guid, name] = key.split(/\/(.*)/) as [string, string]
    const found = nvram.get(name, guid)
    t.strictSame([found?.attributes, Buffer.from(found?.data ?? [])], [attributes, data], key)
  }
}

function sameForVirtFirmware(t: Test, nvram: Nvram, file: Uint8Array): void {
  if (missingVirtFirmware) {
    t.not(process.env.CI, 'true', missingVirtFirmware)
    return
  }
  t.strictSame(readByVirtFirmware(t.testdirName, [file])[0], contents(nvram))
}

for (const build of ['4M', '2M'] satisfies Build[]) {
  needing(`OVMF, ${build}: boots with a store of ours, and we read what it writes`, missing, async (t) => {
    const directory = t.testdir()
    const machine = {
      build,
      directory,
      store: `${directory}/store.fd`,
      disk: makeDisk(directory, buildApplication(directory))
    }
    const large = new Uint8Array(build === '4M' ? 20_000 : 7_000).map((_, i) => i * 7)
    const ours = [variable('Small', 'one byte more'), variable('Large', large), variable('Boot time only', 'x', 0x03)]
    await change(newStore(build), machine.store, (nvram) => nvram.set(ours))

    const first = await boot(machine)
    t.comment(`booted in ${first.milliseconds} ms`)
    t.equal(first.report.at(-1), 'end')
    for (const { guid, name, attributes, data } of ours) {
      const seen = first.variables.get(`${guid}/${name}`)
      t.strictSame([seen?.attributes, seen?.data], [attributes, Buffer.from(data)], name)
    }
    const chip = load(machine.store)
    await change(chip, machine.store, async (nvram) => {
      t.strictSame(nvram.health, { state: 'ok', faults: [] })
      t.strictSame(nvram.get(note.name, note.guid)?.data, new Uint8Array(Buffer.from('host')), 'what the host set')
      sameAsReported(t, nvram, first)
      sameForVirtFirmware(t, nvram, chip.contents)
      await nvram.set([variable('Small', 'changed'), { ...note, data: null }, variable('Large', '')])
      sameForVirtFirmware(t, nvram, chip.contents)
    })

    const second = await boot(machine)
    t.strictSame(second.variables.get(`${note.guid}/Small`)?.data, Buffer.from('changed'))
    t.notOk(second.variables.has(`${note.guid}/Large`))
    t.notOk(second.variables.has(`${note.guid}/HostNote`), 'it lists its variables before it sets this one')
    sameAsReported(t, openStore(load(machine.store).open()), second)
  })
}

needing('OVMF boots what BootNext says, once, and after that the first of BootOrder', missing, async (t) => {
  const directory = t.testdir()
  const application = buildApplication(directory)
  const machine = { directory, store: `${directory}/store.fd`, disk: makeDisk(directory, application) }
  await change(newStore('4M'), machine.store, async () => {})
  const usual = await boot(machine)
  const current = ({ variables }: Boot) => {
    const [number] = readBootNumbers(variables.get(`${bootNext.guid}/BootCurrent`)!.data)
    return number!
  }
  const chip = load(machine.store)
  await change(chip, machine.store, async (nvram) => {
    const own = nvram.get(bootVariable(current(usual)).name, bootNext.guid)!
    const { description, devicePath } = readBootOption(own.data)
    t.ok(usual.console.includes(`"${description}" from ${devicePathText(devicePath)}`), 'firmware writes it the same')
    const option = {
      attributes: bootAttribute.active,
      description: 'Once',
      devicePath: filePath('\\EFI\\BOOT\\BOOTX64.EFI')
    }
    const data = writeBootOption({ ...option, optionalData: new Uint8Array() })
    await nvram.set([
      { ...bootVariable(0xb00), data },
      { ...bootNext, data: writeBootNumbers([0xb00]) }
    ])
  })
  t.equal(current(await boot(machine)), 0xb00)
  t.equal(current(await boot(machine)), current(usual))
  await change(load(machine.store), machine.store, async (nvram) => {
    t.equal(nvram.get('BootNext', bootNext.guid), undefined, 'firmware has deleted it')
    const order = readBootNumbers(nvram.get('BootOrder', bootOrder.guid)!.data)
    await nvram.set([{ ...bootOrder, data: writeBootNumbers([0xb00, ...order]) }])
  })
  t.equal(current(await boot(machine)), 0xb00)
})

/** A device path of a file on any disk (UEFI 2.10, 3.1.2: a short form that firmware completes). */
function filePath(path: string): Uint8Array {
  const text = textBytes(path)
  return Uint8Array.of(4, 4, (text.length + 4) & 0xff, (text.length + 4) >> 8, ...text, 0x7f, 0xff, 4, 0)
}

for (const [build, name] of [
  ['4M', 'OVMF_VARS_4M.fd'],
  ['2M', 'OVMF_VARS.fd']
] as const) {
  needing(`an empty store of ours is byte for byte Debian's ${name}`, missingMachine, async (t) => {
    t.ok(Buffer.from(newStore(build).contents).equals(Buffer.from(load(`/usr/share/OVMF/${name}`).contents)))
  })
}

for (const name of ['OVMF_VARS_4M.ms.fd', 'OVMF_VARS_4M.snakeoil.fd', 'OVMF_VARS.ms.fd', 'OVMF_VARS_4M.fd']) {
  needing(`${name} as Debian ships it is read as virt-firmware reads it`, missing ?? missingVirtFirmware, async (t) => {
    const chip = load(`/usr/share/OVMF/${name}`)
    const nvram = openStore(chip.open())
    t.strictSame(nvram.health, { state: 'ok', faults: [] })
    t.strictSame(readByVirtFirmware(t.testdir(), [chip.contents])[0], contents(nvram))
  })
}
