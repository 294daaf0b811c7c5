import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { qemuMachines } from '#hal/qemu/machines.ts'
import { simConsole } from '#hal/sim/console.ts'
import { simPower } from '#hal/sim/power.ts'
import { consoleContract, Screen } from '#test/hal/contracts/console.ts'
import { watch } from '#test/hal/contracts/power.ts'

const name = 'console-1'

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

t.test('simulator: the byte after a break is a command of SysRq', async (t) => {
  const host = simPower()
  t.teardown(() => host.close())
  const console = simConsole({ host, name })
  const screen = new Screen(console)
  await console.sendBreak?.()
  console.write(Buffer.from('h'))
  await screen.until('sysrq: h\r\nh')
  console.write(Buffer.from('h'))
  t.equal(await screen.until('h'), 'h')
  await console.close()
  await t.rejects(console.sendBreak!(), { code: 'ENODEV' })
})

t.test('QEMU: a break reaches the port of a machine that runs', async (t) => {
  const { console, power, end } = await open()
  const screen = new Screen(console)
  await console.sendBreak?.()
  await screen.until('a break ')
  await end(power)
  await t.rejects(console.sendBreak!(), { code: 'ENODEV' })
})

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

t.test('QEMU: a console is of a machine that is there, whose name is one', async (t) => {
  const machines = qemuMachines()
  const part = { name, directory: t.testdir() }
  for (const [machine, message] of [
    ['host', 'qemu: console-1: there is no machine host'],
    ['1x', 'qemu: 1x cannot be the name of a machine'],
    [undefined, 'qemu: undefined cannot be the name of a machine'],
    [7, 'qemu: 7 cannot be the name of a machine']
  ] as const)
    t.throws(() => machines.console({ ...part, machine }), { code: 'EINVAL', message })
})

t.test("QEMU: a missing part of a machine is a warning, and parts are found by the machine's name", async (t) => {
  const machines = qemuMachines()
  const directory = mkdtempSync(join(tmpdir(), 'qemu-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  const warnings: string[] = []
  const options = { directory, warn: (text: string) => warnings.push(text), qemu: '/no/qemu' }
  const power = machines.power({ ...options, name: 'power-1', machine: 'host' })
  t.teardown(() => power.close())
  t.same(warnings, ['qemu: there is no program /no/qemu'])
  const console = machines.console({ name, directory, machine: 'host' })
  t.throws(() => console.write(Buffer.from('x')), { code: 'ENODEV' })
  t.throws(() => machines.console({ name, directory, machine: 'power-1' }), { code: 'EINVAL' })
  t.throws(() => machines.console({ name, directory: '/other', machine: 'host' }), { code: 'EINVAL' })
})
