// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import type { SharedState } from '#hal/shared-state.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const devices = openbmcDevices()
const config = '/xyz/openbmc_project/network/config'
const eth0 = '/xyz/openbmc_project/network/eth0'
const method = '/xyz/openbmc_project/time/sync_method'

async function opened(t: Test) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus)
  const network = devices.network({ name: 'network-1', socket: bus.socket, warn: () => undefined })
  t.teardown(() => network.close())
  await is(network.names, () => network.names.state !== undefined)
  await is(network.times, () => network.times.state !== undefined)
  const ethernet = (property: string) => daemons.get(eth0, 'Network.EthernetInterface', property)
  return { daemons, ethernet, ...network }
}

function is(state: SharedState<object>, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!condition()) return
      stop()
      resolve()
    }
    const stop = state.on(look)
    look()
  })
}

t.test('the name of the machine is on the bus, with the domain of its port', async (t) => {
  const { daemons, names, ethernet } = await opened(t)
  t.same(names.state, { hostName: 'openbmc', domain: '' })
  await names.set({ hostName: 'bmc-7', domain: 'rack.example' })
  t.same(names.state, { hostName: 'bmc-7', domain: 'rack.example' })
  t.equal(await daemons.get(config, 'Network.SystemConfiguration', 'HostName'), 'bmc-7')
  await daemons.set(eth0, 'Network.EthernetInterface', 'DomainName', ['other.example', 'rack.example'])
  await is(names, () => names.state?.domain === 'other.example')
  await names.set({ domain: 'third.example' })
  t.same(await ethernet('DomainName'), ['third.example', 'rack.example'])
  await names.set({ domain: '' })
  t.same([await ethernet('DomainName'), names.state], [[], { hostName: 'bmc-7', domain: '' }])
  await daemons.set(config, 'Network.SystemConfiguration', 'HostName', 'bmc-8.fourth.example')
  await is(names, () => names.state?.hostName === 'bmc-8')
  t.same(names.state, { hostName: 'bmc-8', domain: 'fourth.example' })
})

t.test('time servers are those of the port, and NTP is a setting of its own', async (t) => {
  const { daemons, times, ethernet, setClock } = await opened(t)
  t.same(times.state, { ntp: true, timeServers: [] })
  await times.set({ timeServers: ['ntp.example', '192.0.2.7'] })
  t.same(await ethernet('StaticNTPServers'), ['ntp.example', '192.0.2.7'])
  await t.rejects(setClock(Date.UTC(2031, 0)), { code: 'EIO', message: /The clock follows a server/ })
  await times.set({ ntp: false })
  t.match(await daemons.get(method, 'Time.Synchronization', 'TimeSyncMethod'), /Manual$/)
  t.same(times.state, { ntp: false, timeServers: ['ntp.example', '192.0.2.7'] })
  await setClock(Date.UTC(2031, 0) + 0.4)
  const set = await daemons.get('/xyz/openbmc_project/time/bmc', 'Time.EpochTime', 'Elapsed')
  t.equal(set, Date.UTC(2031, 0) * 1000)
  await daemons.set(method, 'Time.Synchronization', 'TimeSyncMethod', 'NTP')
  await is(times, () => times.state?.ntp === true)
  await daemons.set(eth0, 'Network.EthernetInterface', 'StaticNTPServers', ['no name', 'two.example'])
  await is(times, () => times.state?.timeServers.join() === 'two.example')
})

t.test('without the daemons all is known as it was last, and cannot be changed', async (t) => {
  const { daemons, names, times, setClock } = await opened(t)
  for (const name of ['Network', 'Settings', 'Time.Manager']) await daemons.kill(name)
  /** Until the device has heard of the end a call fails otherwise. */
  const refused = async (work: () => Promise<void>) => {
    while ((await work().catch(({ code }) => code)) !== 'ENODEV');
  }
  await refused(() => names.set({ hostName: 'bmc-7' }))
  await refused(() => times.set({ ntp: false }))
  await refused(() => setClock(0))
  t.same(
    [names.state, times.state],
    [
      { hostName: 'openbmc', domain: '' },
      { ntp: true, timeServers: [] }
    ]
  )
})

t.test('values of another type are unknown', async (t) => {
  const { daemons, names, times } = await opened(t)
  await daemons.mistype(config, 'Network.SystemConfiguration', 'HostName', 'u', 7)
  await daemons.mistype(method, 'Time.Synchronization', 'TimeSyncMethod', 'd', 7)
  await is(names, () => names.state === undefined)
  await is(times, () => times.state === undefined)
  await t.rejects(names.set({ hostName: 'bmc-7' }), { code: 'ENODEV' })
})
