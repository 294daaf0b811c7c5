import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { durablePower } from '#hal/durable-power.ts'
import type { Power, PowerOperation } from '#hal/power.ts'
import { QemuMachine } from '#hal/qemu/machine.ts'
import { QemuPower } from '#hal/qemu/power.ts'
import { simPower } from '#hal/sim/power.ts'
import { powerContract, watch } from '#test/hal/contracts/power.ts'
import { held } from './held.ts'

/** A process of its own stands for the machine, so that it goes on when the controller does not. */
function machineOf(t: Test) {
  const directory = mkdtempSync(join(tmpdir(), 'durable-'))
  for (const name of ['code.fd', 'nvram.fd']) writeFileSync(join(directory, name), '')
  const warnings: string[] = []
  const warn = (text: string) => warnings.push(text)
  const qemu = resolve('test/hal/fixtures/qemu.mjs')
  const base = { name: 'host', directory, warn, qemu, firmware: 'code.fd' }
  t.teardown(async () => {
    const machine = new QemuMachine(base)
    await machine.stop()
    await machine.close()
    rmSync(directory, { recursive: true })
  })
  return {
    warnings,
    /** A controller of it. */
    open(more: object = {}) {
      const options = { offTime: 0, ...base, ...more }
      const machine = new QemuMachine(options)
      return held((beforeBoot) => durablePower(new QemuPower(machine, { ...options, beforeBoot }), options))
    }
  }
}

async function perform(power: Power, operation: PowerOperation, event: string): Promise<void> {
  const next = watch(power).next(event)
  await power.perform(operation)
  await next
}

powerContract(t, 'durable', async (initial) => {
  const options = { name: 'host', directory: mkdtempSync(join(tmpdir(), 'durable-')), warn: t.comment }
  t.teardown(() => rmSync(options.directory, { recursive: true }))
  const times = { onTime: 0, offTime: 0, gracefulTime: 0, resetTime: 0 }
  return held((beforeBoot) => durablePower(simPower({ initial, ...times, beforeBoot }), options))
})

t.test('a process learns that the supply failed since the last one, and not that the last one ended', async (t) => {
  const { open } = machineOf(t)
  const first = open({ bootId: 'a' })
  t.equal(first.supplyFailed, false)
  await first.close()
  const second = open({ bootId: 'b' })
  t.equal(second.supplyFailed, false, 'the last one was closed')
  t.equal(open({ bootId: 'b' }).supplyFailed, false, 'it was killed')
  t.equal(open({ bootId: 'c' }).supplyFailed, true, 'it went with the machine')
  const third = open({ bootId: 'c' })
  t.equal(third.supplyFailed, false, 'that is told once')
  await third.perform('auxCycle')
  await third.close()
  t.equal(open({ bootId: 'c' }).supplyFailed, true)
})

/** Never lets the host boot. */
const never = () => new Promise<void>(() => undefined)

for (const operation of ['forceRestart', 'coldBoot', 'gracefulRestart'] as const) {
  t.test(`${operation} that was cut off before the machine booted is ended by the next process`, async (t) => {
    const { open } = machineOf(t)
    const first = open()
    await perform(first, 'on', 'On')
    const reached = new Promise<void>((resolve) => {
      first.beforeBoot = () => {
        resolve()
        return never()
      }
    })
    await first.perform(operation)
    await reached
    await first.close()
    const next = open()
    const { seen, next: event } = watch(next)
    await event('On')
    t.strictSame(seen, ['PoweringOn', 'boot powerOn', 'On'])
    await next.close()
    const last = open()
    await perform(last, 'forceOff', 'Off')
    await last.close()
    t.equal(open().state, 'Off', 'it is done once')
  })
}

t.test('an interrupted power-on is repeated by the next process, which holds the host before', async (t) => {
  const { open } = machineOf(t)
  const first = open()
  first.beforeBoot = never
  await first.perform('pressButton')
  await first.close()
  const next = open()
  let prepared = false
  next.beforeBoot = async () => {
    prepared = true
  }
  await watch(next).next('On')
  t.ok(prepared)
  await next.close()
})

t.test('a machine that was to be off is switched off by the next process', async (t) => {
  const { open } = machineOf(t)
  const first = open({ timeout: 60_000, arguments: ['deaf'] })
  await perform(first, 'on', 'On')
  await first.perform('forceOff')
  await first.close()
  const next = open({ timeout: 500 })
  t.equal(next.state, 'On')
  await watch(next).next('Off')
  await next.close()
})

t.test('an operating system that was asked to restart, and takes its time, boots again', async (t) => {
  const { open } = machineOf(t)
  const first = open({ arguments: ['slow-button'] })
  await perform(first, 'on', 'On')
  await first.perform('gracefulRestart')
  await first.close()
  const next = open()
  t.equal(next.state, 'On')
  const { seen, next: event } = watch(next)
  await event('On')
  t.strictSame(seen, ['Off', 'PoweringOn', 'boot powerOn', 'On'])
  await next.close()
})

t.test('a host that ignored the shutdown is not booted when it powers off much later', async (t) => {
  const { open } = machineOf(t)
  const first = open({ arguments: ['ignore-button'], gracefulTime: 50 })
  await perform(first, 'on', 'On')
  await first.perform('gracefulRestart')
  await first.close()
  await new Promise((resolve) => setTimeout(resolve, 60))
  const next = open({ gracefulTime: 50 })
  const { seen } = watch(next)
  await perform(next, 'gracefulShutdown', 'On')
  await perform(next, 'forceOff', 'Off')
  await new Promise((resolve) => setImmediate(resolve))
  t.notMatch(seen, ['PoweringOn'])
  await next.close()
})

t.test('one that was asked to restart by a clock that was ahead is not waited for longer than otherwise', async (t) => {
  const directory = t.testdir()
  const until = Date.now() + 86_400_000
  writeFileSync(join(directory, 'host.rest.json'), JSON.stringify({ rest: 'boot once off', until }))
  const machine = simPower({ initial: 'On', offTime: 0 })
  const power = durablePower(machine, { name: 'host', directory, warn: t.comment, gracefulTime: 50 })
  const { seen } = watch(power)
  await new Promise((resolve) => setTimeout(resolve, 500))
  await perform(machine, 'forceOff', 'Off')
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(seen, ['PoweringOff', 'Off'])
  await power.close()
})

t.test('a refused operation does not affect the one in progress', async (t) => {
  const { open } = machineOf(t)
  const first = open()
  first.beforeBoot = never
  await first.perform('on')
  await t.rejects(first.perform('gracefulShutdown'), { code: 'EINVAL' })
  await first.close()
  const next = open()
  await watch(next).next('On')
  await next.close()
})
