// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import type { WatchdogSettings } from '#hal/watchdog.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const { watchdog } = openbmcDevices()
const path = '/xyz/openbmc_project/watchdog/host0'

async function opened(t: Test, options: Parameters<typeof OpenbmcSimulator.start>[2] = {}) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus, options)
  const timer = watchdog({ name: 'watchdog-1', socket: bus.socket, warn: () => undefined })
  t.teardown(() => timer.close())
  const is = (condition: (state: WatchdogSettings | undefined) => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!condition(timer.state)) return
        stop()
        resolve()
      }
      const stop = timer.on(look)
      look()
    })
  const get = (name: string) => daemons.get(path, 'State.Watchdog', name)
  const set = (name: string, value: boolean | number | string) => daemons.set(path, 'State.Watchdog', name, value)
  return { daemons, timer, is, get, set }
}

t.test('what is set is that of the daemon, and what other programs set is heard', async (t) => {
  const { timer, is, get, set } = await opened(t)
  await is((state) => state !== undefined)
  t.same(timer.state, { enabled: false, action: 'ResetSystem' })
  for (const [action, word] of [
    ['None', 'None'],
    ['PowerCycle', 'PowerCycle'],
    ['PowerDown', 'PowerOff'],
    ['ResetSystem', 'HardReset']
  ] as const) {
    await timer.set({ action })
    t.equal(await get('ExpireAction'), word)
    t.same(timer.state, { enabled: false, action })
  }
  await timer.set({ enabled: true, action: 'None' })
  t.same([await get('Enabled'), await get('ExpireAction')], [true, 'None'])
  t.same(timer.state, { enabled: true, action: 'None' })
  await set('ExpireAction', 'PowerOff')
  await is((state) => state?.action === 'PowerDown')
})

t.test('a timer that expires is no longer enabled', async (t) => {
  const { timer, is, set } = await opened(t)
  await is((state) => state !== undefined)
  await timer.set({ action: 'None' })
  await set('Interval', 500)
  await timer.set({ enabled: true })
  await is((state) => state?.enabled === false)
})

t.test('without its daemon, or with values of other types, the timer is unknown and cannot be set', async (t) => {
  const { daemons, timer, is } = await opened(t, { without: ['Watchdog'] })
  const message = 'watchdog-1: the bus does not tell the state'
  await t.rejects(timer.set({ enabled: true }), { code: 'ENODEV', message })
  await daemons.start('Watchdog')
  await is((state) => state !== undefined)
  await daemons.mistype(path, 'State.Watchdog', 'ExpireAction', 's', 'example.Action.Explode')
  await is((state) => state === undefined)
  await daemons.set(path, 'State.Watchdog', 'ExpireAction', 'PowerCycle')
  await is((state) => state?.action === 'PowerCycle')
  await daemons.mistype(path, 'State.Watchdog', 'Enabled', 'd', 7)
  await is((state) => state === undefined)
  await daemons.set(path, 'State.Watchdog', 'Enabled', true)
  await is((state) => state?.enabled === true)
  await daemons.kill('Watchdog')
  await is((state) => state === undefined)
  await t.rejects(timer.set({ enabled: true }), { code: 'ENODEV', message })
})
