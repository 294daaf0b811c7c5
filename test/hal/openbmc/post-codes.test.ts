// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import { postCodesContract } from '#test/hal/contracts/post-codes.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const { inventory, power, postCodes } = openbmcDevices()
const raw = '/xyz/openbmc_project/state/boot/raw0'

/** The POST codes of a host that is on. */
async function opened(t: Test) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus)
  const options = { socket: bus.socket, warn: () => undefined }
  const host = power({ name: 'power-1', ...options })
  const port = postCodes({ name: 'postCodes-1', ...options })
  t.teardown(() => Promise.all([host.close(), port.close()]))
  // Devices of one bus share what is read of it: also the object of the codes has been read then.
  const parts = inventory({ name: 'inventory', ...options })
  await parts.settled
  await parts.close()
  while (host.state !== 'On') await new Promise((next) => setTimeout(next, 20))
  const boot = async () => {
    const booted = new Promise<void>((resolve) => host.on(({ type }) => type === 'boot' && resolve()))
    await host.perform('forceRestart')
    await booted
  }
  return { daemons, port, boot }
}

postCodesContract(t, 'openbmc', opened)

t.test('codes that follow at once all arrive, in each form of the interface', async (t) => {
  const { daemons, port } = await opened(t)
  const heard: number[][] = []
  const last = new Promise<void>((resolve) => {
    port.on((codes) => {
      heard.push([...codes])
      if (codes.at(-1) === 0xaa) resolve()
    })
  })
  const tell = (signature: string, value: Parameters<typeof daemons.mistype>[4]) =>
    daemons.mistype(raw, 'State.Boot.Raw', 'Value', signature, value)
  await Promise.all([
    ...[1, 2, 0x2b].map((code) => tell('(ayay)', [[code], []])),
    tell('(ayay)', [[1, 2, 0xe0], [9]]),
    tell('(tay)', [0xb1, []]),
    tell('t', 0x1_92),
    tell('s', 'no code'),
    tell('t', 0xaa)
  ])
  await last
  t.same(heard, [[1], [2], [0x2b], [1, 2, 0xe0], [0xb1], [0x92, 1], [0xaa]])
})
