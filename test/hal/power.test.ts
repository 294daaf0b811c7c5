import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { HalError, halErrorCodes } from '#hal/errors.ts'
import { simPower } from '#hal/sim/power.ts'
import { powerContract, watch } from '#test/hal/contracts/power.ts'
import { held } from './held.ts'

const atOnce = { onTime: 0, offTime: 0, gracefulTime: 0, resetTime: 0, timeout: 0 }

powerContract(t, 'simulator', async (initial) => held((beforeBoot) => simPower({ ...atOnce, initial, beforeBoot })))

t.test('ignoreButton: the operating system keeps running, and the machine returns to On without a boot', async (t) => {
  for (const operation of ['gracefulShutdown', 'gracefulRestart', 'pressButton'] as const) {
    const power = simPower({ ...atOnce, faults: { ignoreButton: true } })
    const { seen, next } = watch(power)
    const on = next('On')
    await power.perform(operation)
    await on
    t.strictSame(seen, ['PoweringOff', 'ignored', 'On'], operation)
    await power.close()
  }
})

t.test('ignoreButton: force still works, and the fault can be mended', async (t) => {
  const power = simPower({ ...atOnce, faults: { ignoreButton: true } })
  const { seen, next } = watch(power)
  let off = next('Off')
  await power.perform('forceOff')
  await off
  const on = next('On')
  await power.perform('on')
  await on
  power.faults.ignoreButton = false
  off = next('Off')
  await power.perform('gracefulShutdown')
  await off
  t.strictSame(seen, ['PoweringOff', 'Off', 'PoweringOn', 'boot powerOn', 'On', 'PoweringOff', 'Off'])
  await power.close()
})

t.test('the simulator reports an interrupted supply once', async (t) => {
  const directory = t.testdir()
  const options = { ...atOnce, directory, initial: 'Off' } as const
  const first = simPower(options)
  t.equal(first.supplyFailed, false)
  await first.perform('auxCycle')
  await first.close()
  const second = simPower(options)
  t.equal(second.supplyFailed, true)
  await second.close()
  t.equal(simPower(options).supplyFailed, false)
})

t.test('stuckOn: nothing takes the power away', async (t) => {
  for (const operation of ['forceOff', 'holdButton', 'coldBoot', 'gracefulShutdown', 'pressButton'] as const) {
    const power = simPower({ ...atOnce, faults: { stuckOn: true } })
    const { seen, next } = watch(power)
    const on = next('On')
    await power.perform(operation)
    await on
    t.strictSame(seen, ['PoweringOff', 'failure', 'On'], operation)
    await power.close()
  }
})

t.test('stuckOn: a machine still boots after each failed attempt to cut its power', async (t) => {
  const power = simPower({ ...atOnce, initial: 'Off', faults: { stuckOn: true } })
  const { seen, next } = watch(power)
  const on = next('On')
  await power.perform('on')
  await power.perform('forceOff')
  await power.perform('forceOff')
  await on
  t.strictSame(seen, ['PoweringOn', 'PoweringOff', 'failure', 'boot powerOn', 'On'])
  await power.close()
})

t.test('slow: a reset takes longer by the given time', async (t) => {
  const power = simPower({ ...atOnce, faults: { slow: 3_600_000 } })
  await power.perform('forceRestart')
  const error: HalError = await power.perform('coldBoot').then(undefined, (error) => error)
  t.equal(error.code, 'EBUSY')
  t.ok(error.left! > 3_000_000, String(error.left))
  await power.close()
  const slower = simPower({ ...atOnce, faults: { slow: 1 } })
  const { seen, next } = watch(slower)
  const off = next('Off')
  await slower.perform('forceOff')
  await off
  t.strictSame(seen, ['PoweringOff', 'Off'])
  await slower.close()
})

t.test('failNext: one operation fails with the code and does nothing, the next one works', async (t) => {
  for (const code of halErrorCodes) {
    const power = simPower(atOnce)
    power.faults.failNext = code
    await t.rejects(power.perform('forceOff'), { name: 'HalError', code })
    t.equal(power.state, 'On')
    await power.perform('forceOff')
    t.equal(power.state, 'PoweringOff')
    await power.close()
  }
})

t.test('a reset that is under way says how long it will be', async (t) => {
  const power = simPower({ ...atOnce, resetTime: 60_000 })
  await power.perform('forceRestart')
  const busy: unknown = await power.perform('nmi').catch((error) => error)
  t.ok(busy instanceof HalError && busy.code === 'EBUSY')
  const { left = 0 } = busy as HalError
  t.ok(left > 30_000 && left <= 60_000, `${left} ms`)
  await power.close()
})

t.test('busyFor: the given number of operations are EBUSY', async (t) => {
  const power = simPower({ ...atOnce, faults: { busyFor: 2 } })
  await t.rejects(power.perform('nmi'), { code: 'EBUSY' })
  await t.rejects(power.perform('nmi'), { code: 'EBUSY' })
  await power.perform('nmi')
  t.equal(power.faults.busyFor, 0)
  await power.close()
})

t.test('hang: an operation ends as ETIMEDOUT and does nothing; mended, it works', async (t) => {
  const power = simPower({ ...atOnce, faults: { hang: true } })
  await t.rejects(power.perform('forceOff'), { code: 'ETIMEDOUT' })
  t.equal(power.state, 'On')
  power.faults.hang = false
  await power.perform('forceOff')
  t.equal(power.state, 'PoweringOff')
  await power.close()
})

t.test('close does not wait for hardware that hangs', async (t) => {
  const power = simPower({ timeout: 1e9, faults: { hang: true } })
  const hanging = t.rejects(power.perform('nmi'), { code: 'ENODEV' })
  await power.close()
  await hanging
})

t.test('the state belongs to the machine and survives a restart of the service', async (t) => {
  const directory = t.testdir()
  const power = simPower({ ...atOnce, directory })
  const off = watch(power).next('Off')
  await power.perform('forceOff')
  await off
  await power.close()
  const again = simPower({ ...atOnce, directory })
  t.equal(again.state, 'Off')
  await again.close()
})

t.test('two machines in one directory have a file each', async (t) => {
  const directory = t.testdir()
  const one = simPower({ ...atOnce, directory, name: 'one' })
  await one.perform('forceOff')
  await one.close()
  const other = simPower({ ...atOnce, directory, name: 'other' })
  t.equal(other.state, 'On')
  await other.close()
})

t.test('an operation that a restart of the service interrupted continues, with its boot', async (t) => {
  const expected = {
    on: ['boot powerOn', 'On'],
    forceOff: ['Off'],
    coldBoot: ['Off', 'PoweringOn', 'boot powerOn', 'On'],
    gracefulShutdown: ['Off'],
    gracefulRestart: ['boot reset', 'On'],
    forceRestart: ['boot reset']
  } as const
  for (const [operation, events] of Object.entries(expected) as [keyof typeof expected, readonly string[]][]) {
    const directory = t.testdir()
    const options = { ...atOnce, directory, initial: operation === 'on' ? 'Off' : 'On' } as const
    const power = simPower(options)
    await power.perform(operation)
    await power.close()
    const again = simPower(options)
    const { seen, next } = watch(again)
    await next(events.at(-1)!)
    t.strictSame(seen, events, operation)
    await again.close()
  }
})

t.test('a process that ends while the host is held leaves the boot to the next one, which holds it too', async (t) => {
  const directory = t.testdir()
  const options = { ...atOnce, directory, initial: 'Off' } as const
  const power = held((beforeBoot) => simPower({ ...options, beforeBoot }))
  const { seen } = watch(power)
  const reached = new Promise<void>((resolve) => {
    power.beforeBoot = async () => resolve()
  })
  await power.perform('on')
  const closed = reached.then(() => power.close())
  await closed
  t.strictSame(seen, ['PoweringOn'])
  const again = held((beforeBoot) => simPower({ ...options, beforeBoot }))
  const { seen: then, next } = watch(again)
  const on = next('On')
  again.beforeBoot = async () => {
    then.push('held')
  }
  await on
  t.strictSame(then, ['held', 'boot powerOn', 'On'])
  await again.close()
})

t.test('stuckOn: an operation that would cut the power does not lose a held boot', async (t) => {
  const power = held((beforeBoot) => simPower({ ...atOnce, initial: 'Off', faults: { stuckOn: true }, beforeBoot }))
  const { seen, next } = watch(power)
  const on = next('On')
  let times = 0
  const reached = new Promise<void>((resolve) => {
    power.beforeBoot = () => {
      times += 1
      resolve()
      return times === 1 ? new Promise(() => {}) : Promise.resolve()
    }
  })
  await power.perform('on')
  await reached
  await power.perform('forceOff')
  await on
  t.strictSame(seen, ['PoweringOn', 'PoweringOff', 'failure', 'boot powerOn', 'On'])
  t.equal(times, 2)
  await power.close()
})

t.test('an auxiliary cycle is not repeated when the controller restarts', async (t) => {
  const directory = t.testdir()
  const power = simPower({ ...atOnce, directory, initial: 'Off' })
  const off = watch(power).next('auxCycle')
  await power.perform('auxCycle')
  await off
  await power.close()
  const again = simPower({ ...atOnce, directory, initial: 'Off' })
  const { seen, next } = watch(again)
  const on = next('On')
  await again.perform('on')
  await on
  t.strictSame(seen, ['PoweringOn', 'boot powerOn', 'On'])
  await again.close()
})

t.test('a damaged state file is a warning, and the machine starts in its initial state', async (t) => {
  const damaged = [
    '',
    '{"state":',
    'null',
    '"On"',
    '{"state":"Melted"}',
    '{"state":"PoweringOn"}',
    '{"state":"On","operation":"nmi"}',
    '{"state":"On","operation":"toString"}'
  ]
  for (const text of damaged) {
    const directory = t.testdir({ 'power.json': text })
    const warnings: string[] = []
    const power = simPower({ ...atOnce, directory, initial: 'Off', warn: (message) => warnings.push(message) })
    t.equal(power.state, 'Off', text)
    t.match(warnings, [/power\.json/], text)
    t.equal(warnings.length, 1, text)
    await power.perform('on')
    await power.close()
    t.match(readFileSync(`${directory}/power.json`, 'utf8'), /"PoweringOn"/, 'and the next change mends the file')
  }
})

t.test('a directory that cannot be written is a warning; the machine works from memory', async (t) => {
  const directory = `${t.testdir()}/none`
  const warnings: string[] = []
  const power = simPower({ ...atOnce, directory, warn: (message) => warnings.push(message) })
  await power.perform('forceOff')
  t.equal(power.state, 'PoweringOff')
  t.match(warnings, [/power\.json.*ENOENT/])
  await power.close()
})

t.test('a first start warns of nothing', async (t) => {
  const warnings: string[] = []
  const power = simPower({ directory: t.testdir(), warn: (message) => warnings.push(message) })
  t.strictSame(warnings, [])
  t.equal(power.state, 'On')
  await power.close()
})

t.test('the rest of a file half written by a killed process is of no consequence', async (t) => {
  const directory = t.testdir({ 'power.json': '{"state":"Off"}' })
  writeFileSync(`${directory}/power.json.tmp`, '{"sta')
  const power = simPower({ ...atOnce, directory })
  t.equal(power.state, 'Off')
  await power.perform('on')
  t.equal(JSON.parse(readFileSync(`${directory}/power.json`, 'utf8')).state, 'PoweringOn')
  await power.close()
})
