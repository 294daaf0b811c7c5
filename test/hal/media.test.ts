import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { QemuMachine } from '#hal/qemu/machine.ts'
import { QemuMedia } from '#hal/qemu/media.ts'
import { simMedia } from '#hal/sim/media.ts'
import { image, mediaContract } from '#test/hal/contracts/media.ts'

mediaContract(t, 'sim', (_, directory) => simMedia({ directory }))

/** A machine of the stand-in for QEMU, which ends with the test. */
function machineIn(t: Test, directory: string, more: { directory?: string; [option: string]: unknown } = {}) {
  // The path of a socket is short.
  const short = more.directory ?? mkdtempSync(join(tmpdir(), 'qemu-'))
  for (const name of ['code.fd', 'nvram.fd']) writeFileSync(join(directory, name), '')
  const qemu = resolve('test/hal/fixtures/qemu.mjs')
  const files = { firmware: join(directory, 'code.fd'), store: join(directory, 'nvram.fd') }
  const machine = new QemuMachine({
    name: 'host',
    directory: short,
    warn: (text: string) => t.comment(text),
    qemu,
    ...files,
    ...more
  })
  t.teardown(async () => {
    await machine.stop()
    await machine.close()
    rmSync(short, { recursive: true, force: true })
  })
  return machine
}

/** One machine for each directory. */
const machines = new Map<string, QemuMachine>()
const opened = (t: Test, directory: string) => {
  const machine = machines.get(directory) ?? machineIn(t, directory)
  machines.set(directory, machine)
  return machine
}

mediaContract(t, 'QEMU, off', (t, directory) => new QemuMedia(opened(t, directory), 'cd'))

const running = new Map<string, QemuMachine>()
mediaContract(t, 'QEMU, on', async (t, directory) => {
  const before = running.get(directory)
  const machine = before ?? machineIn(t, directory)
  running.set(directory, machine)
  const media = new QemuMedia(machine, 'cd')
  await machine.start()
  return media
})

t.test('a machine is started with the media in its drives', async (t) => {
  const directory = t.testdir()
  const machine = machineIn(t, directory)
  const media = new QemuMedia(machine, 'cd')
  const disc = image(directory, 'a,b.iso')
  await media.insert(disc)
  await machine.start()
  const command = readFileSync(`/proc/${machine.pid}/cmdline`, 'utf8').split('\0')
  t.ok(command.includes(`if=none,id=cd-medium,media=cdrom,readonly=on,format=raw,file=${disc.replace(',', ',,')}`))
})

t.test('a missing image of a drive is named before the machine starts', async (t) => {
  const directory = t.testdir()
  const machine = machineIn(t, directory)
  const media = new QemuMedia(machine, 'cd')
  const disc = image(directory, 'disc.iso')
  await media.insert(disc)
  rmSync(disc)
  t.match(machine.missing(), { code: 'ENODEV', message: `qemu: there is no file ${disc}` })
})

t.test('a monitor that does not answer leaves the medium in the drive', async (t) => {
  const directory = t.testdir()
  const place = mkdtempSync(join(tmpdir(), 'qemu-'))
  const first = machineIn(t, directory, { arguments: ['deaf'], directory: place })
  await first.start()
  await first.close()
  const machine = machineIn(t, directory, { timeout: 1000, directory: place })
  const media = new QemuMedia(machine, 'cd')
  await t.rejects(media.insert(image(directory, 'disc.iso')), { code: 'ETIMEDOUT' })
  t.equal(media.image, undefined)
})

t.test('a medium is changed and ejected though the operating system has locked the drive', async (t) => {
  const directory = t.testdir()
  const machine = machineIn(t, directory, { arguments: ['locked'] })
  const media = new QemuMedia(machine, 'cd')
  await machine.start()
  const disc = image(directory, 'disc.iso')
  await media.insert(disc)
  t.equal(media.image, disc)
  await media.eject()
  t.equal(media.image, undefined)
})
