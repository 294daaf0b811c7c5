// own process: it takes as long as the rest of the ring
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { QemuMachine } from '#hal/qemu/machine.ts'
import { QemuPower } from '#hal/qemu/power.ts'
import { powerContract, watch } from '#test/hal/contracts/power.ts'
import { type Held, held } from './held.ts'

const program = resolve('test/hal/fixtures/qemu.mjs')

function machineIn(directory: string, more: object = {}) {
  const warnings: string[] = []
  const warn = (text: string) => warnings.push(text)
  for (const name of ['code.fd', 'nvram.fd']) writeFileSync(join(directory, name), '')
  const options = { name: 'host', directory, warn, qemu: program, firmware: 'code.fd', ...more }
  const machine = new QemuMachine(options)
  const power = held((beforeBoot) => new QemuPower(machine, { offTime: 0, warn, beforeBoot, ...more }))
  return { machine, power, warnings }
}

/** A machine in a directory of its own, which ends with the test. */
function open(more: object = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'qemu-'))
  const opened = machineIn(directory, more)
  const end = async () => {
    const last = machineIn(directory).machine
    await last.stop()
    await last.close()
    rmSync(directory, { recursive: true })
  }
  return { ...opened, directory, end }
}

async function switchedOn(power: Held<QemuPower>): Promise<Held<QemuPower>> {
  const on = watch(power).next('On')
  await power.perform('on')
  await on
  return power
}

powerContract(t, 'QEMU', async (state) => {
  const { power, end } = open()
  t.teardown(end)
  return state === 'On' ? switchedOn(power) : power
})

t.test('the machine outlives the service, and the next one finds it again', async (t) => {
  const { power, directory, end } = open()
  t.teardown(end)
  await switchedOn(power)
  await power.close()
  const { power: next, machine } = machineIn(directory)
  t.equal(next.state, 'On')
  t.ok(machine.running)
  const off = watch(next).next('Off')
  await next.perform('forceOff')
  await off
  t.notOk(machine.running)
  await next.close()
})

t.test('a machine that ends while the next service connects with it is off', async (t) => {
  const { power, directory, end } = open()
  t.teardown(end)
  await switchedOn(power)
  await power.close()
  const pid = Number(readFileSync(join(directory, 'host.pid'), 'utf8'))
  process.kill(pid, 'SIGSTOP')
  const { power: next, warnings } = machineIn(directory)
  t.equal(next.state, 'On')
  const off = watch(next).next('Off')
  process.kill(pid, 'SIGKILL')
  await off
  // Of the two, whichever the kernel does first: connect the socket, or close it.
  t.match(warnings[0], /the machine ended before it answered|nothing listens on/)
  await next.close()
})

t.test('a number that is another process’s now is no machine', async (t) => {
  const { directory, end } = open()
  t.teardown(end)
  writeFileSync(join(directory, 'host.pid'), `${process.pid}\n`)
  t.equal(machineIn(directory).power.state, 'Off')
})

t.test('a machine that ends by itself, or is killed, is off', async (t) => {
  const { power, machine, directory, end } = open()
  t.teardown(end)
  await switchedOn(power)
  let off = watch(power).next('Off')
  await t.rejects(machine.execute('panic'), { code: 'ENODEV' })
  await off
  await switchedOn(power)
  off = watch(power).next('Off')
  process.kill(Number(readFileSync(join(directory, 'host.pid'), 'utf8')), 'SIGKILL')
  await off
  t.equal(power.state, 'Off')
})

t.test('a reset by the guest is a boot before which the flash can be written, and its power-off is one', async (t) => {
  const { power, machine, directory, end } = open()
  t.teardown(end)
  await switchedOn(power)
  const { seen, next } = watch(power)
  let running: boolean | undefined
  power.beforeBoot = async () => {
    running = machine.running
  }
  const pid = () => readFileSync(join(directory, 'host.pid'), 'utf8')
  const first = pid()
  const boot = next('boot reset')
  await machine.execute('guest-reset').catch(() => undefined)
  await boot
  t.equal(running, false)
  t.not(pid(), first)
  t.strictSame([power.state, ...seen], ['On', 'boot reset'])
  const watchdog = next('watchdog')
  await machine.execute('guest-hangs').catch(() => undefined)
  await watchdog
  const panic = next('panic')
  await machine.execute('guest-panics').catch(() => undefined)
  await panic
  t.equal(power.state, 'On', 'what is done about it is for the caller to say')
  const off = next('Off')
  await machine.execute('guest-shutdown').catch(() => undefined)
  await off
  await power.close()
})

t.test(
  'an operating system that ignores the button leaves it On, and it can be asked to restart in vain',
  async (t) => {
    for (const operation of ['gracefulShutdown', 'gracefulRestart'] as const) {
      const { power, end } = open({ arguments: ['ignore-button'], gracefulTime: 50 })
      t.teardown(end)
      await switchedOn(power)
      const { seen, next } = watch(power)
      const on = next('On')
      await power.perform(operation)
      await on
      t.strictSame(seen, ['PoweringOff', 'ignored', 'On'], operation)
      await power.close()
    }
  }
)

t.test('a monitor that answers nothing is a failure, and the power can be cut all the same', async (t) => {
  const { power: first, directory, end } = open({ arguments: ['deaf'] })
  t.teardown(end)
  await switchedOn(first)
  await first.close()
  const { power, warnings } = machineIn(directory, { timeout: 1000 })
  await t.rejects(power.perform('nmi'), { code: 'ETIMEDOUT' })
  const off = watch(power).next('Off')
  await power.perform('forceOff')
  await off
  t.match(warnings, [/it is killed/])
})

t.test('a socket that is not a QEMU monitor is a failure, and the machine is On until its power is cut', async (t) => {
  for (const [way, reason] of [
    ['unwilling', 'qemu: not to you'],
    ['babbling', 'qemu: the monitor speaks no QMP']
  ] as const) {
    const { power, end, warnings } = open({ arguments: [way] })
    t.teardown(end)
    const { seen, next } = watch(power)
    const on = next('On')
    await power.perform('on')
    await on
    t.equal(warnings[0], reason)
    t.strictSame(seen.slice(0, 2), ['PoweringOn', 'failure'])
    await t.rejects(power.perform('nmi'), { name: 'HalError' })
    const off = next('Off')
    await power.perform('forceOff')
    await off
    await power.close()
  }
})

t.test('a missing program or file is named before anything changes', async (t) => {
  for (const [more, message] of [
    [{ qemu: 'no-such-qemu' }, 'qemu: there is no program no-such-qemu'],
    [{ firmware: '/no/firmware.fd' }, 'qemu: there is no file /no/firmware.fd'],
    [{ disk: 'disk.img' }, /there is no file .*\/disk\.img$/]
  ] as const) {
    const { power, end } = open(more)
    t.teardown(end)
    await t.rejects(power.perform('on'), { code: 'ENODEV', message })
    t.equal(power.state, 'Off')
  }
})

t.test('a machine that does not start is Off again, and the message of QEMU is reported', async (t) => {
  const { power, end, warnings } = open({ arguments: ['refuse'] })
  t.teardown(end)
  const { seen, next } = watch(power)
  const off = next('Off')
  await power.perform('on')
  await off
  t.strictSame(seen, ['PoweringOn', 'failure', 'Off'])
  t.strictSame(warnings, ['qemu: the machine does not start: qemu: refused as it was told'])
})

t.test('a name that makes the path of the monitor too long is refused in words', async (t) => {
  const { power, end } = open({ name: 'n'.repeat(100) })
  t.teardown(end)
  await t.rejects(power.perform('on'), { code: 'EIO', message: /no socket can have a path of more than 107 bytes/ })
  t.equal(power.state, 'Off')
})

t.test('the log of the serial port is emptied, after a copy, when it has grown too large', async (t) => {
  const { power, directory, end } = open({ serialLog: 10 })
  t.teardown(end)
  const log = join(directory, 'host.serial.log')
  const becomes = async (content: string) => {
    while (!existsSync(log) || readFileSync(log, 'utf8') !== content) await new Promise((done) => setTimeout(done, 20))
  }
  await switchedOn(power)
  writeFileSync(log, 'ten bytes.')
  await new Promise((done) => setTimeout(done, 1100))
  t.notOk(existsSync(`${log}.1`))
  writeFileSync(log, 'ten bytes and more')
  await becomes('')
  t.equal(readFileSync(`${log}.1`, 'utf8'), 'ten bytes and more')
  const off = watch(power).next('Off')
  await power.perform('forceOff')
  await off
  await power.close()
  writeFileSync(log, 'left by another process')
  const { power: next } = machineIn(directory, { serialLog: 10 })
  await switchedOn(next)
  t.equal(readFileSync(`${log}.1`, 'utf8'), 'left by another process')
  await next.close()
})

t.test('a log without a bound is reported once, and the machine is On all the same', async (t) => {
  const { power, directory, end, warnings } = open({ serialLog: 10 })
  t.teardown(end)
  const log = join(directory, 'host.serial.log')
  mkdirSync(`${log}.1/taken`, { recursive: true })
  writeFileSync(log, 'ten bytes and more')
  await switchedOn(power)
  await new Promise((done) => setTimeout(done, 2100))
  t.match(warnings, [/^qemu: the log of the serial port has no bound: EISDIR/])
  t.equal(warnings.length, 1)
  rmSync(`${log}.1`, { recursive: true })
  while (!existsSync(`${log}.1`)) await new Promise((done) => setTimeout(done, 20))
  t.equal(power.state, 'On')
  await power.close()
})

t.test('an invalid limit is refused', async (t) => {
  t.throws(() => open({ serialLog: 'large' }), {
    code: 'EINVAL',
    message: 'qemu: serialLog must be a whole number above 0'
  })
})
