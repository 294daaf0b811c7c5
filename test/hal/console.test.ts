// own process: it loads an addon, and starts programs
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { openTty } from '#hal/native'
import { qemuMachines } from '#hal/qemu/machines.ts'
import { simConsole } from '#hal/sim/console.ts'
import { simPower } from '#hal/sim/power.ts'
import { ttyConsole } from '#hal/tty/console.ts'
import { consoleContract, Screen } from '#test/hal/contracts/console.ts'
import { watch } from '#test/hal/contracts/power.ts'
import { missing, openPty } from '#test/hal/pty.ts'

process.env.MINNOW_NATIVE = resolve('dist/native')

const name = 'console-1'
const skip = missing !== undefined && process.env.CI !== 'true' && `it needs ${missing}`

consoleContract(t, 'simulator', async (t) => {
  const host = simPower()
  t.teardown(() => host.close())
  return simConsole({ host, name })
})

t.test('simulator: the firmware prints its start, and a host that is off receives nothing', async (t) => {
  const host = simPower({ initial: 'Off', onTime: 0 })
  t.teardown(() => host.close())
  const console = simConsole({ host, name })
  t.throws(() => console.write(Buffer.from('x')), { code: 'ENODEV' })
  const screen = new Screen(console)
  await host.perform('on')
  await screen.until('The firmware starts (powerOn).')
  await screen.until('login: ')
  console.write(Buffer.from('root\r'))
  await screen.until('root\r\r\nlogin: ')
  await console.close()
})

const warn = (text: string) => t.fail(text)

t.test('serial line', { skip }, async (t) => {
  consoleContract(t, 'tty', async (t) => ttyConsole(openTty, { name, path: (await openPty(t)).path, warn }))

  t.test('what the other side does not take at once waits within a bound', async (t) => {
    const { path } = await openPty(t)
    const console = ttyConsole(openTty, { name, path, warn })
    t.teardown(() => console.close())
    const screen = new Screen(console)
    const much = Buffer.alloc(65_000, 'x')
    much.write('end', much.length - 3)
    console.write(much)
    t.throws(() => console.write(much), { code: 'EBUSY' })
    t.equal((await screen.until('end')).length, much.length)
  })

  t.test('a lost line is a warning, and then writing fails', async (t) => {
    const { path, hangUp } = await openPty(t)
    const warned = new Promise<string>((resolve) => {
      const console = ttyConsole(openTty, {
        name,
        path,
        warn: (text) => {
          t.throws(() => console.write(Buffer.from('x')), { code: 'ENODEV' })
          resolve(text)
        }
      })
    })
    await hangUp()
    t.match(await warned, /^console-1: \/dev\/pts\/\d+: read: /)
  })
})

t.test('what is no line, or has no such speed, is a warning', { skip }, async (t) => {
  for (const [path, speed, expected] of [
    ['/dev/no-such-line', 115_200, /^console-1: \/dev\/no-such-line: open: No such file/],
    ['/dev/null', 115_200, /^console-1: \/dev\/null: open: No such device/],
    ['/dev/null', 12, /^console-1: \/dev\/null: open: Invalid argument/]
  ] as const) {
    const warnings: string[] = []
    const console = ttyConsole(openTty, { name, path, speed, warn: (text) => warnings.push(text) })
    t.match(warnings, [expected])
    t.throws(() => console.write(Buffer.from('x')), { code: 'ENODEV' })
    await console.close()
  }
})

/** A virtual machine, which is on, and its console. */
async function open() {
  const directory = mkdtempSync(join(tmpdir(), 'qemu-'))
  for (const file of ['code.fd', 'nvram.fd']) writeFileSync(join(directory, file), '')
  const options = { name: 'host', directory, warn, qemu: resolve('test/hal/fixtures/qemu.mjs'), firmware: 'code.fd' }
  const machines = qemuMachines()
  const power = machines.power(options)
  const console = machines.console({ name, directory, machine: 'host' })
  const screen = new Screen(console)
  const end = async (last = power) => {
    const off = watch(last).next('Off')
    await last.perform('forceOff')
    await off
    await last.close()
    rmSync(directory, { recursive: true })
  }
  const on = watch(power).next('On')
  await power.perform('on')
  await on
  await screen.until('hello ')
  return { options, console, power, end }
}

consoleContract(t, 'QEMU', async (t) => {
  const { console, end } = await open()
  t.teardown(() => end())
  return console
})

t.test('QEMU: the next service finds the console of a machine that runs', async (t) => {
  const { options, console, power, end } = await open()
  await console.close()
  await power.close()
  const machines = qemuMachines()
  const again = machines.power(options)
  const next = machines.console({ name, directory: options.directory, machine: 'host' })
  await new Screen(next).until('hello ')
  await end(again)
  t.throws(() => next.write(Buffer.from('x')), { code: 'ENODEV' })
})
