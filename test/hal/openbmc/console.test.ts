// own process: it starts message buses and services on them, and loads addons

import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import t, { type Test } from 'tap'
import { consoleQueue } from '#hal/console.ts'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import { consoleContract, Screen } from '#test/hal/contracts/console.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

process.env.MINNOW_NATIVE = resolve('dist/native')

t.setTimeout(900_000)

const { console: openConsole } = openbmcDevices()
const path = '/xyz/openbmc_project/console/default'
const greeting = 'openbmc-sim login: '

async function opened(t: Test, options: Parameters<typeof OpenbmcSimulator.start>[2] = {}) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus, options)
  let warned: (text: string) => void = () => undefined
  const warning = new Promise<string>((resolve) => {
    warned = resolve
  })
  const console = openConsole({ name: 'console-1', socket: bus.socket, warn: (text) => warned(text) })
  t.teardown(() => console.close())
  return { bus, daemons, console, screen: new Screen(console), warning }
}

const sockets = () => readdirSync('/proc/self/fd').length

consoleContract(t, 'openbmc', async (t) => {
  const { console, screen } = await opened(t)
  await screen.until(greeting)
  return console
})

t.test('the console is connected again when its daemon is back, and silent until then', async (t) => {
  const { daemons, console, screen } = await opened(t, { without: ['Console.default'] })
  t.throws(() => console.write(Buffer.from('x')), { code: 'ENODEV', message: 'console-1: nothing listens' })
  await daemons.start('Console.default')
  await screen.until(greeting)
  const open = sockets()
  for (let times = 0; times < 3; times++) {
    await daemons.kill('Console.default')
    await daemons.start('Console.default')
    await screen.until(greeting)
    console.write(Buffer.from('again'))
    await screen.until('again')
  }
  t.equal(sockets(), open, 'nothing is left open')
})

t.test('a host that reads nothing does not fill memory', async (t) => {
  const { daemons, console, screen } = await opened(t)
  await screen.until(greeting)
  await daemons.silence('Console.default')
  const piece = Buffer.alloc(consoleQueue / 4, 'x')
  let count = 0
  const fill = () => {
    for (; count < 1000; count++) console.write(piece)
  }
  t.throws(fill, { code: 'EBUSY', message: 'console-1: the line accepts no more bytes' })
  t.ok(count >= 3, 'as much as there is room for was taken')
})

t.test('a daemon that cannot connect is a warning, and is asked again', async (t) => {
  const { daemons, screen, warning } = await opened(t, { without: ['Console.default'] })
  await daemons.fail(path, 'Console.Access', 'Connect', 'Common.Error.InternalFailure')
  await daemons.start('Console.default')
  t.match(await warning, /Connect: .*InternalFailure: Connect was to fail/)
  await daemons.fail(path, 'Console.Access', 'Connect', null)
  await screen.until(greeting)
})
