// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const { bootOverride } = openbmcDevices()
const boot = '/xyz/openbmc_project/control/host0/boot'

async function opened(t: Test) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus)
  const device = bootOverride({ name: 'bootOverride-1', socket: bus.socket, warn: () => undefined })
  t.teardown(() => device.close())
  /** Resolves when the state is known, or is not. */
  const known = (isKnown: boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if ((device.state !== undefined) !== isKnown) return
        stop()
        resolve()
      }
      const stop = device.on(look)
      look()
    })
  await known(true)
  const held = async () => [
    await daemons.get(boot, 'Control.Boot.Source', 'BootSource'),
    await daemons.get(boot, 'Control.Boot.Mode', 'BootMode'),
    await daemons.get(boot, 'Control.Boot.Type', 'BootType'),
    await daemons.get(boot, 'Object.Enable', 'Enabled'),
    await daemons.get(`${boot}/one_time`, 'Object.Enable', 'Enabled')
  ]
  return { bus, daemons, device, known, held }
}

t.test('what is set is in the settings when it is accepted, and is the state', async (t) => {
  const { device, held } = await opened(t)
  t.same(device.state, { enabled: 'Disabled', target: 'None', mode: 'UEFI' })
  await device.set({ enabled: 'Once', target: 'Pxe' })
  t.same(await held(), ['Network', 'Regular', 'EFI', true, true])
  t.same(device.state, { enabled: 'Once', target: 'Pxe', mode: 'UEFI' })
  await device.set({ enabled: 'Continuous', mode: 'Legacy' })
  t.same(await held(), ['Network', 'Regular', 'Legacy', true, false])
  t.same(device.state, { enabled: 'Continuous', target: 'Pxe', mode: 'Legacy' })
  await device.set({ enabled: 'Disabled', target: 'None', mode: 'UEFI' })
  t.same(await held(), ['Default', 'Regular', 'EFI', false, false])
})

t.test('each target is another source or mode, and is shown as it was set', async (t) => {
  const { device, held } = await opened(t)
  const settings = new Set<string>()
  for (const target of device.targets) {
    await device.set({ target })
    t.equal(device.state?.target, target)
    settings.add(JSON.stringify(await held()))
  }
  t.equal(settings.size, device.targets.length)
  await t.rejects(device.set({ target: 'UefiTarget' }), {
    code: 'EINVAL',
    message: 'bootOverride-1: OpenBMC has no source UefiTarget'
  })
})

t.test('what other programs set is heard', async (t) => {
  const { daemons, device } = await opened(t)
  const heard = () => new Promise<void>((resolve) => device.on(resolve))
  const first = heard()
  await daemons.set(boot, 'Control.Boot.Mode', 'BootMode', 'Setup')
  await first
  t.same(device.state, { enabled: 'Disabled', target: 'BiosSetup', mode: 'UEFI' })
  const second = heard()
  await daemons.set(boot, 'Object.Enable', 'Enabled', true)
  await second
  t.match(device.state, { enabled: 'Continuous' })
})

t.test('without the settings it is unknown, and cannot be set', async (t) => {
  const { daemons, device, known } = await opened(t)
  await daemons.kill('Settings')
  await known(false)
  await t.rejects(device.set({ target: 'Pxe' }), {
    code: 'ENODEV',
    message: 'bootOverride-1: the bus does not tell the state'
  })
  await daemons.start('Settings')
  await known(true)
  await device.set({ target: 'Pxe' })
  t.match(device.state, { target: 'Pxe' })
})

t.test('what the settings refuse is a failure, and what they accepted before stays', async (t) => {
  const { daemons, device } = await opened(t)
  await daemons.fail(boot, 'Object.Enable', 'Enabled', 'Common.Error.NotAllowed')
  await t.rejects(device.set({ enabled: 'Once', target: 'Pxe' }), { code: 'EINVAL', message: /NotAllowed/ })
  t.match(device.state, { enabled: 'Disabled', target: 'Pxe' })
})
