import type { Test } from 'tap'
import type { Port, PortSettings } from '#hal/ports.ts'

/** The next change of a port. Watching a port does not keep the process alive; the timer here does. */
export function change(port: Port): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('no change was told')), 60_000)
    port.on(() => {
      clearTimeout(late)
      resolve()
    })
  })
}

export const shared = { hostName: 'controller', domain: '', ntp: true, timeServers: [] }

/** One static address and nothing else. */
export const setUp: PortSettings = {
  enabled: true,
  mtu: 1500,
  vlan: { enabled: false, id: 1, priority: 0 },
  ipv4: [{ address: '198.51.100.9', subnetMask: '255.255.255.0' }],
  gateway: null,
  dhcpv4: { enabled: false, useDns: true, useDomain: true, useGateway: true, useNtp: true },
  ipv6: [],
  ipv6Gateway: null,
  dhcpv6: { enabled: false, useDns: true, useDomain: true, useNtp: true },
  slaac: false,
  nameServers: []
}

/**
 * The contract of every back end of hal/ports.ts.
 *
 * @param open a port with a link, and what pulls its cable out or puts it in
 */
export function portContract(
  t: Test,
  backEnd: string,
  open: (t: Test) => Promise<{ port: Port; plug: (linkUp: boolean) => void }>
) {
  t.test(`${backEnd}: a cable that is unplugged or plugged in is reported`, async (t) => {
    const { port, plug } = await open(t)
    t.teardown(() => port.close())
    t.match(port.state, { mac: /^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/, linkUp: true, fullDuplex: true })
    t.type(port.state.speed, 'number')
    const { mac } = port.state
    let told = change(port)
    plug(false)
    await told
    t.match(port.state, { mac, linkUp: false, speed: undefined, fullDuplex: undefined })
    told = change(port)
    plug(true)
    await told
    t.match(port.state, { mac, linkUp: true, fullDuplex: true })
  })

  t.test(`${backEnd}: it applies settings, or reports that it is read-only`, async (t) => {
    const { port } = await open(t)
    t.teardown(() => port.close())
    const settings = { ...setUp, mtu: 1400 }
    const done = port.configure(settings, shared)
    if (port.state.settings === undefined) {
      await t.rejects(done, { name: 'HalError', code: 'EINVAL' })
      return
    }
    await done
    t.strictSame(port.state.settings, settings)
    t.match(port.state.ipv4, [{ address: '198.51.100.9', subnetMask: '255.255.255.0', origin: 'Static' }])
  })

  t.test(`${backEnd}: a removed listener is not called`, async (t) => {
    const { port, plug } = await open(t)
    t.teardown(() => port.close())
    port.on(() => t.fail('it was taken away'))()
    const told = change(port)
    plug(false)
    await told
  })
}
