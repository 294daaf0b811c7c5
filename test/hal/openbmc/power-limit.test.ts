// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import { powerLimitContract } from '#test/hal/contracts/power-limit.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { until } from '#test/hal/until.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const { powerLimit } = openbmcDevices()
const cap = '/xyz/openbmc_project/control/host0/power_cap'

async function opened(t: Test) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus)
  const get = (name: string) => daemons.get(cap, 'Control.Power.Cap', name)
  const set = (name: string, value: number | boolean) => daemons.set(cap, 'Control.Power.Cap', name, value)
  await set('MinPowerCapValue', 150)
  await set('MaxPowerCapValue', 800)
  await set('PowerCap', 800)
  const limit = powerLimit({ name: 'powerLimit-1', socket: bus.socket, warn: () => undefined })
  t.teardown(() => limit.close())
  const is = (condition: () => boolean) => until((look) => limit.shared!.on(look), condition)
  await is(() => limit.shared?.state !== undefined)
  return {
    daemons,
    limit,
    get,
    set,
    is,
    held: async () => ((await get('PowerCapEnable')) ? Number(await get('PowerCap')) : 800)
  }
}

powerLimitContract(t, 'openbmc', async (t) => ({ ...(await opened(t)), step: 1 }))

t.test('a limit is kept while it is not in effect, and what other programs set is heard', async (t) => {
  const { limit, get, set, is } = await opened(t)
  await limit.shared?.set({ watts: 400.4 })
  t.same([await get('PowerCap'), await get('PowerCapEnable')], [400, false])
  t.same([limit.shared?.state, limit.watts], [{ watts: 400, enabled: false }, undefined])
  const enabled = is(() => limit.watts === 400)
  await set('PowerCapEnable', true)
  await enabled
  const lowered = is(() => limit.watts === 350)
  await set('PowerCap', 350)
  await lowered
  t.same(limit.shared?.state, { watts: 350, enabled: true })
})

t.test('without its daemon the limit is unknown and cannot be set, while its range stays known', async (t) => {
  const { daemons, limit, is } = await opened(t)
  await daemons.kill('Settings')
  await is(() => limit.shared?.state === undefined)
  t.same([limit.range, limit.watts], [{ minimum: 150, maximum: 800 }, undefined])
  await t.rejects(limit.set(400), { code: 'ENODEV', message: 'powerLimit-1: the bus does not tell the state' })
  await daemons.start('Settings')
  await is(() => limit.shared?.state !== undefined)
  await limit.set(400)
  t.equal(limit.watts, 400)
})
