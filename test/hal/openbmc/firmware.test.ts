// own process: it starts message buses and services on them, and loads an addon

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Firmware, FirmwareState } from '#hal/firmware.ts'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import type { OpenbmcFirmwareOptions } from '#hal/openbmc/firmware.ts'
import { updatesContract } from '#test/hal/contracts/updates.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

process.env.MINNOW_NATIVE = resolve('dist/native')

t.setTimeout(900_000)

const { firmware } = openbmcDevices()
const root = '/xyz/openbmc_project/software'
const digest = (text: string) => createHash('sha256').update(text).digest('hex')
/** The object of a version, as the simulator names it. */
const object = (version: string, purpose = 'BMC') => `${root}/${digest(`${purpose}${version}`).slice(0, 8)}`
const [running, other] = [object('2.14.0'), object('2.12.1')]
/** The version of a file, as the simulator names it. */
const versionOf = (content: string) => digest(content).slice(0, 12)

const until = (device: Firmware, condition: (state: FirmwareState) => boolean) =>
  new Promise<void>((settle) => {
    const look = () => {
      if (!condition(device.state)) return
      stop()
      settle()
    }
    const stop = device.on(look)
    look()
  })
const known = (device: Firmware) => until(device, ({ slots }) => slots.length > 0)

async function opened(t: Test, options: Partial<OpenbmcFirmwareOptions> = {}, step = 0.02) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus, { step })
  const directory = t.testdir()
  const open = async (more: Partial<OpenbmcFirmwareOptions> = {}) => {
    const base = { name: 'firmware-Manager-1', socket: bus.socket, directory, warn: () => undefined }
    const device = firmware({ ...base, ...options, ...more })
    t.teardown(() => device.close())
    await known(device)
    return device
  }
  const file = (content: string) => {
    const path = `${directory}/file`
    writeFileSync(path, content)
    return [path, digest(content)] as const
  }
  /** Waits until the daemon has begun with a file. */
  const begun = async (content: string) => {
    const path = object(versionOf(content))
    while ((await daemons.get(path, 'Software.Activation', 'Activation').catch(() => '')) !== 'NotReady');
    return path
  }
  return { daemons, device: await open(), open, file, begun, directory }
}

const install = (
  device: Firmware,
  file: readonly [string, string],
  progress: (percent: number) => void = () => undefined
) => device.install?.(...file, progress) ?? Promise.reject(new Error('it takes no files'))

updatesContract(t, 'openbmc', async (t) => {
  const { daemons, device, file, begun } = await opened(t)
  const put = (text: string) => install(device, file(text))
  return {
    firmware: device,
    versionOf,
    install: put,
    installDamaged: () => put('bad'),
    async begin(text) {
      await daemons.hold()
      const installed = put(text)
      await begun(text)
      return async () => {
        await daemons.release()
        return installed
      }
    },
    async restart() {
      const { version } = device.state.slots[device.state.next] ?? {}
      await device.reset?.('graceful')
      await until(device, ({ slots, running, next }) => running === next && slots[running]?.version === version)
      return device
    }
  }
})

t.test('a file becomes the version of the next start, by the choice of which it runs', async (t) => {
  const { daemons, device, open, file } = await opened(t, {}, 0.2)
  const first = { running: 0, next: 0, committed: true, takesFiles: true }
  t.same(device.state, { ...first, slots: [{ version: '2.14.0' }, { version: '2.12.1' }] })
  t.equal(device.needsReset, false)
  const heard: number[] = []
  t.equal(await install(device, file('an image'), (percent) => heard.push(percent)), 1)
  t.same(
    heard,
    [...heard].sort((one, next) => one - next)
  )
  t.ok(heard.includes(40), `${heard}`)
  const version = versionOf('an image')
  await until(device, ({ next }) => next === 1)
  t.same(device.state, { ...first, slots: [{ version: '2.14.0' }, { version }], next: 1 })
  t.equal(device.needsReset, true)
  await device.activate(0)
  t.equal(device.state.next, 0)
  t.equal(await daemons.get(running, 'Software.RedundancyPriority', 'Priority'), 0)
  await device.activate(1)
  t.equal(device.state.next, 1)
  await device.reset?.('graceful')
  await until(device, (state) => state.running === 1)
  t.same(device.state, { ...first, slots: [{ version: '2.14.0' }, { version }], running: 1, next: 1 })
  const again = await open()
  t.same(again.state, device.state, 'versions keep their slots')
  t.equal(await install(again, file('a later image')), 0)
  t.same(again.state.slots, [{ version: versionOf('a later image') }, { version }])
  await again.commit()
})

t.test('what is wrong with a file, or in its way, is a failure', async (t) => {
  const { daemons, device, file } = await opened(t)
  const before = device.state
  await t.rejects(install(device, file('bad')), { code: 'EINVAL', message: /the file is not valid/ })
  await t.rejects(install(device, ['/nowhere/file', '']), { code: 'ENODEV', message: /^firmware-Manager-1: open: / })
  for (const [error, code] of [
    ['Software.Update.Error.InProgress', 'EBUSY'],
    ['Software.Update.Error.InvalidSignature', 'EINVAL'],
    ['Common.Error.InternalFailure', 'EIO']
  ] as const) {
    await daemons.fail(other, 'Software.Update', 'StartUpdate', error)
    await t.rejects(install(device, file('an image')), { code }, error)
  }
  await daemons.fail(other, 'Software.Update', 'StartUpdate', null)
  await t.rejects(device.write({ version: '1', parts: [] }), { code: 'EINVAL' })
  t.same(device.state, before)
  for (const slot of [-1, 2]) await t.rejects(device.activate(slot), { code: 'EINVAL' })
  await daemons.hold()
  const one = install(device, file('an image'))
  await t.rejects(install(device, file('an image')), { code: 'EBUSY' })
  await t.rejects(device.activate(0), { code: 'EBUSY' })
  await daemons.release()
  await one
})

t.test('a version that fails, goes, or does nothing ends its installation', async (t) => {
  const { daemons, open, file, begun } = await opened(t)
  const device = await open({ name: 'impatient', patience: 3 })
  await daemons.hold()
  const failed = t.rejects(install(device, file('one')), { code: 'EIO', message: /could not be installed/ })
  await daemons.set(await begun('one'), 'Software.Activation', 'Activation', 'Failed')
  await failed
  let gone: Promise<unknown> | undefined
  const progressed = new Promise<number>((settle) => {
    gone = t.rejects(install(device, file('two'), settle), { code: 'EIO', message: /is gone/ })
  })
  const path = await begun('two')
  await daemons.add('Software.Manager', path, { 'Software.ActivationProgress': { Progress: 30 } })
  t.equal(await progressed, 30)
  const also = ['Object.Delete', 'Association.Definitions']
  await daemons.remove(path, 'Software.Version', 'Software.Activation', 'Software.ActivationProgress', ...also)
  await gone
  await t.rejects(install(device, file('three')), { code: 'ETIMEDOUT', message: /no progress/ })
})

t.test('a version that is only ready is asked to become active', async (t) => {
  const { daemons, device, file, begun } = await opened(t)
  await daemons.hold()
  const installed = install(device, file('an image'))
  const path = await begun('an image')
  await daemons.set(path, 'Software.Activation', 'Activation', 'Ready')
  while ((await daemons.get(path, 'Software.Activation', 'RequestedActivation')) !== 'Active');
  await daemons.release()
  t.equal(await installed, 1)
})

t.test('an installation that outlives the process goes on, and is not begun again', async (t) => {
  const { daemons, device, open, file, begun, directory } = await opened(t)
  await daemons.hold()
  const left = t.rejects(install(device, file('an image')), { code: 'ENODEV', message: /is closed/ })
  const path = await begun('an image')
  while (!readFileSync(`${directory}/firmware-Manager-1.json`, 'utf8').includes(`"path":"${path}"`)) await pause(10)
  await device.close()
  await left
  const again = await open()
  const installed = install(again, file('an image'))
  await daemons.release()
  t.equal(await installed, 1)
  t.same(again.state.slots, [{ version: '2.14.0' }, { version: versionOf('an image') }])
})

t.test('without the daemon nothing is known, and afterwards the versions are where they were', async (t) => {
  const { daemons, device, file } = await opened(t)
  const before = device.state
  await daemons.kill('Software.Manager')
  await until(device, ({ slots }) => slots.length === 0)
  t.same(device.state, { slots: [], running: 0, next: 0, committed: true, takesFiles: true })
  await t.rejects(install(device, file('an image')), { code: 'ENODEV' })
  await t.rejects(device.activate(0), { code: 'EINVAL' })
  await daemons.start('Software.Manager')
  await known(device)
  t.same(device.state, before)
})

t.test('the firmware of a host has one slot, and needs no reset of the board', async (t) => {
  const { device, file } = await opened(t, { purpose: 'Host', name: 'firmware-BIOS-1' })
  t.match(device.state, { slots: [{ version: 'BIOS-1.08' }], running: 0, next: 0 })
  t.equal(await install(device, file('a BIOS')), 0)
  await until(device, ({ slots }) => slots[0]?.version === versionOf('a BIOS'))
  await device.activate(0)
  t.same([device.state.slots.length, device.needsReset, device.reset], [1, false, undefined])
})

t.test('values of other types are as if they were not there', async (t) => {
  const { daemons, device } = await opened(t)
  await daemons.mistype(other, 'Software.Version', 'Version', 'i', 5)
  await until(device, ({ slots }) => slots[1]?.version === undefined)
  t.match(device.state, { slots: [{ version: '2.14.0' }, {}], running: 0, next: 0 })
  await daemons.mistype(running, 'Software.RedundancyPriority', 'Priority', 's', 'first')
  await daemons.mistype(running, 'Software.Activation', 'Activation', 'i', 1)
  await until(device, ({ slots }) => slots.length === 0)
  await daemons.mistype(root, 'Association.Definitions', 'Associations', 's', 'none')
  await daemons.set(running, 'Software.Activation', 'Activation', 'Active')
  await daemons.set(other, 'Software.Version', 'Version', '2.12.2')
  await daemons.set(root, 'Association.Definitions', 'Associations', [['functional', 'software_version', running]])
  await until(device, ({ slots }) => slots[1]?.version === '2.12.2')
  t.equal(device.state.slots[0]?.version, '2.14.0')
})
