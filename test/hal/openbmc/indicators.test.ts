// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import { indicatorContract } from '#test/hal/contracts/indicator.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const { indicator } = openbmcDevices()
const groups = '/xyz/openbmc_project/led/groups'
const both = { lit: 'enclosure_identify', blinking: 'enclosure_identify_blink' }

async function opened(t: Test, wanted: { lit?: string; blinking?: string } = both) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus)
  await daemons.add('LED.GroupManager', `${groups}/enclosure_identify_blink`, { 'Led.Group': {} })
  const lamp = indicator({ name: 'indicator-1', socket: bus.socket, groups: wanted, warn: () => undefined })
  t.teardown(() => lamp.close())
  // It is off until the groups have been read.
  while ((await lamp.set('Off').catch(({ code }) => code)) === 'ENODEV')
    await new Promise((next) => setTimeout(next, 20))
  const asserted = async (group: string) => Boolean(await daemons.get(`${groups}/${group}`, 'Led.Group', 'Asserted'))
  return { lamp, daemons, asserted }
}

indicatorContract(t, 'openbmc', async () => (await opened(t)).lamp)

t.test('one group is asserted at a time, and what others assert is shown', async (t) => {
  const { lamp, daemons, asserted } = await opened(t)
  await lamp.set('Lit')
  t.same([await asserted('enclosure_identify'), await asserted('enclosure_identify_blink')], [true, false])
  await lamp.set('Blinking')
  t.same([await asserted('enclosure_identify'), await asserted('enclosure_identify_blink')], [false, true])
  const seen = new Promise((resolve) => lamp.on(resolve))
  await daemons.set(`${groups}/enclosure_identify_blink`, 'Led.Group', 'Asserted', false)
  t.equal(await seen, 'Off')
})

t.test('a lamp with one group shows each state but off by it', async (t) => {
  const { lamp, asserted } = await opened(t, { lit: 'enclosure_identify' })
  await lamp.set('Blinking')
  t.equal(lamp.state, 'Lit')
  t.equal(await asserted('enclosure_identify'), true)
})

t.test('a group that the machine does not have is left out', async (t) => {
  const { lamp, daemons, asserted } = await opened(t)
  await daemons.remove(`${groups}/enclosure_identify_blink`, 'Led.Group')
  // Until the signal is here, the daemon refuses.
  while ((await lamp.set('Blinking').catch(({ code }) => code)) !== undefined);
  t.equal(lamp.state, 'Lit')
  t.equal(await asserted('enclosure_identify'), true)
  await lamp.set('Off')
  t.equal(await asserted('enclosure_identify'), false)
})

t.test('a lamp without a group is a mistake in the board file', async (t) => {
  t.throws(() => indicator({ name: 'indicator-1', groups: {}, socket: '/nowhere', warn: () => undefined }), {
    code: 'EINVAL',
    message: 'indicator-1: it needs a group of LEDs'
  })
})
