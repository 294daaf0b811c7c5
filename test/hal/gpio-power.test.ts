// own process: it starts itself once more under sanitizers
/**
 * The back end on the lines of a simulated board. The board and its lines live in this process, which starts itself once
 * more as the process that uses them.
 */

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { HalError } from '#hal/errors.ts'
import type { GpioPowerOptions } from '#hal/gpio/options.ts'
import { gpioPower } from '#hal/gpio/power.ts'
import { openGpio } from '#hal/native'
import { powerContract, watch } from '#test/hal/contracts/power.ts'
import { Board } from './board.ts'
import { missing, nodeOn } from './gpio-kernel.ts'
import { type Held, held } from './held.ts'

const folder = process.env.MINNOW_GPIO_BOARD
if (folder === undefined) await runOnBoard()
else await use(folder)

/** The board's side. */
async function runOnBoard(): Promise<void> {
  const skip = missing()
  for (const sanitized of [false, true]) {
    const title = sanitized ? 'all of this holds under AddressSanitizer and UBSan' : 'power over GPIO lines'
    t.test(title, { skip }, async (t) => {
      const board = new Board(mkdtempSync(join(tmpdir(), 'minnow-gpio-')))
      await board.start()
      const hand = createServer((socket) => {
        createInterface({ input: socket }).on('line', async (line) => {
          const [id, method, ...values] = JSON.parse(line) as [number, keyof Board, ...unknown[]]
          const member = board[method] as unknown
          const result = typeof member === 'function' ? await member.apply(board, values) : plain(member)
          socket.write(`${JSON.stringify([id, result ?? null])}\n`)
        })
      })
      await new Promise<void>((resolve) => hand.listen(`${board.folder}/hand`, resolve))
      const child = nodeOn(board, [fileURLToPath(import.meta.url)], { sanitized })
      let output = ''
      for (const stream of [child.stdout!, child.stderr!]) {
        stream.on('data', (data) => {
          output += data
        })
      }
      const [status] = await once(child, 'close')
      hand.close()
      await board.stop()
      rmSync(board.folder, { recursive: true })
      for (const [, ok, what] of output.matchAll(/^(ok|not ok) \d+ - (.*?)(?: # time.*)?$/gm))
        t.equal(ok, 'ok', what ?? '')
      if (status !== 0) t.comment(output)
      t.equal(status, 0, 'and it ended well')
      t.match(output, /ok \d+ - the last test/, 'and it did run')
    })
  }
}

function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(value)
  return value instanceof Set ? [...value] : value
}

/** The side of the process that uses the lines. */
async function use(devices: string): Promise<void> {
  let last = 0
  const waiting = new Map<number, (result: unknown) => void>()
  const hand = connect(`${devices}/hand`)
  createInterface({ input: hand }).on('line', (line) => {
    const [id, result] = JSON.parse(line) as [number, unknown]
    waiting.get(id)?.(result)
    waiting.delete(id)
  })
  const ask = <Result>(method: string, ...values: unknown[]) =>
    new Promise<Result>((resolve) => {
      last += 1
      waiting.set(last, resolve as (result: unknown) => void)
      hand.write(`${JSON.stringify([last, method, ...values])}\n`)
    })
  const board = {
    reset: (power: boolean) => ask('reset', power),
    supply: (power: boolean) => ask('supply', power),
    restart: () => ask('restart'),
    hang: () => ask('hang'),
    next: (what: string) => ask('next', what),
    set: (name: string, value: unknown) => ask('set', name, value),
    isHeld: (name: string) => ask<boolean>('isHeld', name),
    seen: () => ask<string[]>('seen'),
    pressed: () => ask<Record<string, number>>('pressed')
  }
  const warnings: string[] = []
  const low = (name: string) => ({ name, activeLow: true })
  const options: GpioPowerOptions = {
    name: 'power-1',
    warn: (text) => warnings.push(text),
    devices,
    powerButton: low('POWER_OUT'),
    powerGood: { name: 'PS_PWROK' },
    reset: low('RESET_OUT'),
    platformReset: low('PLTRST'),
    watchdog: { name: 'WDT_OUT' },
    nmi: low('NMI_OUT'),
    auxCycle: low('AUX_CUT'),
    pressTime: 100,
    holdTime: 5000,
    resetTime: 60,
    cycleTime: 50,
    onTime: 400,
    gracefulTime: 400,
    auxTime: 40
  }
  const open = async (state: 'On' | 'Off', more: Partial<GpioPowerOptions> = {}) => {
    warnings.length = 0
    await board.reset(state === 'On')
    return held((beforeBoot) => gpioPower(openGpio(), { ...options, beforeBoot, ...more }))
  }
  const test = (title: string, state: 'On' | 'Off', body: (t: Test, power: Held) => Promise<void>) =>
    t.test(title, async (t) => {
      const power = await open(state)
      t.teardown(() => power.close())
      await body(t, power)
    })

  powerContract(t, 'GPIO', open)

  test('a press has its exact length, and ends before the state that it causes', 'Off', async (t, power) => {
    const on = watch(power).next('On')
    await power.perform('on')
    await on
    t.strictSame(await board.seen(), ['POWER_OUT pressed', 'power', 'POWER_OUT released'])
    const { POWER_OUT = 0 } = await board.pressed()
    t.ok(POWER_OUT >= 99, `${POWER_OUT} ms`)
  })

  test('the button is held until the power is off, and no longer', 'On', async (t, power) => {
    await board.set('ignoresButton', true)
    const off = watch(power).next('Off')
    await power.perform('forceOff')
    await off
    t.strictSame(await board.seen(), ['POWER_OUT pressed', 'no power', 'POWER_OUT released'])
    t.strictSame(warnings, [])
  })

  t.test('power that is being switched on is cut once it is on', async (t) => {
    const power = await open('Off', { onTime: 60_000 })
    t.teardown(() => power.close())
    const off = watch(power).next('Off')
    // The power comes when the test says so, however slow the machine is.
    await board.set('stuck', true)
    const pressed = board.next('POWER_OUT pressed')
    // Answered in order: from here on the board looks out for it.
    await board.seen()
    await power.perform('on')
    await pressed
    await power.perform('forceOff')
    await board.supply(true)
    t.ok(await board.isHeld('POWER_OUT'), 'the button is held while the power comes')
    await board.supply(false)
    await off
    t.strictSame((await board.seen()).slice(-3), ['power', 'no power', 'POWER_OUT released'])
    const { POWER_OUT = Infinity } = await board.pressed()
    t.ok(POWER_OUT < 5000, `let go when it has gone, after ${POWER_OUT} ms`)
  })

  t.test('a supply that cannot be switched off is a warning, and the machine is On', async (t) => {
    const power = await open('On', { holdTime: 150 })
    t.teardown(() => power.close())
    await board.set('stuck', true)
    const { seen, next } = watch(power)
    const on = next('On')
    await power.perform('forceOff')
    await on
    t.strictSame(seen, ['PoweringOff', 'failure', 'On'])
    t.strictSame(await board.seen(), ['POWER_OUT pressed', 'POWER_OUT released'])
    t.match(warnings, [/^power-1: the power is still on/])
  })

  test('an operating system that ignores the button leaves the machine On, without a boot', 'On', async (t, power) => {
    await board.set('ignoresButton', true)
    for (const operation of ['gracefulShutdown', 'gracefulRestart', 'pressButton'] as const) {
      const { seen, next } = watch(power)
      const on = next('On')
      await power.perform(operation)
      await on
      t.strictSame(seen, ['PoweringOff', 'ignored', 'On'], operation)
    }
  })

  test('a supply that does not start is a warning, and the machine is Off', 'Off', async (t, power) => {
    await board.set('stuck', true)
    const { seen, next } = watch(power)
    const off = next('Off')
    await power.perform('on')
    await off
    t.strictSame(seen, ['PoweringOn', 'failure', 'Off'])
    t.match(warnings, [/^power-1: no power 400 ms after the button was pressed/])
  })

  test('power that fails, and a hand at the front of the machine, are seen', 'On', async (t, power) => {
    const { seen, next } = watch(power)
    const off = next('Off')
    await board.supply(false)
    await off
    const on = next('On')
    await board.supply(true)
    await on
    t.strictSame(seen, ['Off', 'boot powerOn', 'On'])
  })

  test('a host is held in reset until the work before the boot is done', 'On', async (t, power) => {
    const boot = watch(power).next('boot reset')
    const held: boolean[] = []
    power.beforeBoot = async () => {
      held.push(await board.isHeld('RESET_OUT'))
      await new Promise((resolve) => setTimeout(resolve, 120))
      held.push(await board.isHeld('RESET_OUT'))
    }
    await power.perform('forceRestart')
    await boot
    t.strictSame(held, [true, true])
    t.equal(await board.isHeld('RESET_OUT'), false)
    const { RESET_OUT = 0 } = await board.pressed()
    t.ok(RESET_OUT >= 120, `${RESET_OUT} ms`)
  })

  test('a host that resets itself is held in reset, as for a reset from here', 'On', async (t, power) => {
    const { seen, next } = watch(power)
    const boot = next('boot reset')
    power.beforeBoot = async () => {
      seen.push(`held ${await board.isHeld('RESET_OUT')}`)
    }
    await board.restart()
    await boot
    t.strictSame(seen, ['held true', 'boot reset'])
    t.strictSame(await board.seen(), ['RESET_OUT pressed', 'RESET_OUT released'])
    t.equal(power.state, 'On')
    const again = next('boot reset')
    await board.restart()
    await again
    t.strictSame(seen, ['held true', 'boot reset', 'held true', 'boot reset'], 'and so it is once more')
  })

  test('a host that switches itself off is in reset, and is not held for a boot', 'On', async (t, power) => {
    const { seen, next } = watch(power)
    const off = next('Off')
    power.beforeBoot = async () => {
      seen.push('held')
    }
    await board.supply(false)
    await off
    const on = next('On')
    await board.supply(true)
    await on
    t.strictSame(seen, ['Off', 'boot powerOn', 'On'])
    t.strictSame(await board.seen(), ['no power', 'power'], 'nor is it reset')
  })

  test('a host that restarts when it is asked to shut down boots once, held', 'On', async (t, power) => {
    await board.set('ignoresButton', true)
    const { seen, next } = watch(power)
    const on = next('On')
    power.beforeBoot = async () => {
      seen.push(`held ${await board.isHeld('RESET_OUT')}`)
    }
    await power.perform('gracefulShutdown')
    await board.restart()
    await on
    t.strictSame(seen, ['PoweringOff', 'held true', 'boot reset', 'On'])
  })

  test('a reset from here that is seen late is not one of the host’s own', 'On', async (t, power) => {
    const { next } = watch(power)
    const [boot, off] = [next('boot reset'), next('Off')]
    await power.perform('forceRestart')
    // The edges wait until after the reset is over.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
    await boot
    await power.perform('gracefulShutdown')
    await off
    const resets = (await board.seen()).filter((what) => what.startsWith('RESET_OUT'))
    t.strictSame(resets, ['RESET_OUT pressed', 'RESET_OUT released'])
  })

  t.test('without a reset line, or with one that fails, a host that resets itself is seen, and not held', async (t) => {
    for (const line of ['none', 'broken']) {
      const power = await open('On', line === 'none' ? { reset: undefined } : {})
      if (line === 'broken') await board.set('broken', ['RESET_OUT'])
      const { seen, next } = watch(power)
      const boot = next('boot reset')
      power.beforeBoot = async () => {
        seen.push('held')
      }
      await board.restart()
      await boot
      t.strictSame(seen, ['boot reset'], line)
      t.equal(warnings.length, line === 'none' ? 0 : 1)
      await power.close()
    }
  })

  t.test("without a line for resets, the host's own resets are not reported", async (t) => {
    const power = await open('On', { platformReset: undefined, watchdog: undefined })
    t.teardown(() => power.close())
    t.equal(power.hasWatchdog, false)
    const { seen, next } = watch(power)
    const off = next('Off')
    await board.restart()
    await board.hang()
    await board.supply(false)
    await off
    t.strictSame(seen, ['Off'])
  })

  test("the end of a host's watchdog timer is reported, and nothing else happens", 'On', async (t, power) => {
    t.equal(power.hasWatchdog, true)
    const { seen, next } = watch(power)
    const watchdog = next('watchdog')
    await board.hang()
    await watchdog
    t.strictSame(seen, ['watchdog'])
    t.strictSame(await board.seen(), [])
  })

  test('power that fails during a reset ends it', 'On', async (t, power) => {
    const { seen, next } = watch(power)
    const off = next('Off')
    power.beforeBoot = () => new Promise(() => undefined)
    await power.perform('forceRestart')
    await board.supply(false)
    await off
    t.strictSame(seen, ['Off'])
    t.equal(await board.isHeld('RESET_OUT'), false)
  })

  test('a host in reset whose power is cut stays in reset until it is off', 'On', async (t, power) => {
    const { seen, next } = watch(power)
    const off = next('Off')
    power.beforeBoot = () => new Promise(() => undefined)
    await power.perform('forceRestart')
    await power.perform('forceOff')
    await off
    t.strictSame(seen, ['PoweringOff', 'Off'])
    const lines = (await board.seen()).filter((what) => what !== 'POWER_OUT released')
    t.strictSame(lines, ['RESET_OUT pressed', 'POWER_OUT pressed', 'no power', 'RESET_OUT released'])
  })

  t.test('a host in reset whose power cannot be cut boots, held once more', async (t) => {
    const power = await open('On', { holdTime: 150 })
    t.teardown(() => power.close())
    await board.set('stuck', true)
    const { seen, next } = watch(power)
    const on = next('On')
    power.beforeBoot = () => new Promise(() => undefined)
    await power.perform('forceRestart')
    power.beforeBoot = async () => {
      seen.push(`held ${await board.isHeld('RESET_OUT')}`)
    }
    await power.perform('forceOff')
    await on
    t.strictSame(seen, ['PoweringOff', 'failure', 'held true', 'boot reset', 'On'])
    t.equal(await board.isHeld('RESET_OUT'), false)
  })

  test('a chip that fails is EIO, and nothing has changed', 'On', async (t, power) => {
    await board.set('broken', ['POWER_OUT', 'RESET_OUT', 'NMI_OUT'])
    const { seen } = watch(power)
    for (const operation of ['forceOff', 'gracefulShutdown', 'forceRestart', 'nmi', 'coldBoot'] as const) {
      const message = /^\S+gpiochip0 line \d: press: Input\/output error/
      await t.rejects(power.perform(operation), { name: 'HalError', code: 'EIO', message }, operation)
    }
    t.equal(power.state, 'On')
    t.strictSame(seen, [])
    await board.set('broken', [])
    await power.perform('nmi')
  })

  test('a chip that fails after the operation was accepted is a warning', 'Off', async (t, power) => {
    await board.set('broken', ['POWER_OUT'])
    const off = watch(power).next('Off')
    await power.perform('on')
    await off
    t.match(warnings, [/gpiochip0 line 1: press: Input\/output error/])
  })

  test('a line that is pressed is busy', 'On', async (t, power) => {
    const first = power.perform('nmi')
    await t.rejects(power.perform('nmi'), { name: 'HalError', code: 'EBUSY' })
    await first
  })

  test('closing ends the operation in progress, and no button stays pressed', 'On', async (t, power) => {
    power.beforeBoot = () => new Promise(() => undefined)
    await power.perform('forceRestart')
    t.equal(await board.isHeld('RESET_OUT'), true)
    await power.close()
    t.equal(await board.isHeld('RESET_OUT'), false)
    const again = await open('On')
    await again.perform('forceOff')
    t.equal(await board.isHeld('POWER_OUT'), true)
    await again.close()
    t.equal(await board.isHeld('POWER_OUT'), false)
  })

  t.test('lines are found by name, by name and chip, and by chip and offset; an input may be active low', async (t) => {
    await board.reset(true)
    const inverted = { powerGood: { name: 'PS_PWROK', chip: `${devices}/gpiochip0`, activeLow: true } }
    const nmi = { name: 'FAN_FAIL', chip: 'soc-gpio', openDrain: true }
    const powerButton = { chip: 'gpiochip0', offset: 1, activeLow: true }
    const power = gpioPower(openGpio(), { ...options, ...inverted, nmi, powerButton })
    t.teardown(() => power.close())
    t.equal(power.state, 'Off')
    const { next } = watch(power)
    const on = next('On')
    await board.supply(false)
    await on
    await power.perform('nmi')
    t.strictSame(await board.seen(), ['no power', 'FAN_FAIL released', 'FAN_FAIL pressed'])
    const off = next('Off')
    await board.supply(true)
    await off
    const again = next('On')
    await power.perform('pressButton')
    await again
    t.match(await board.seen(), [/./, /./, /./, 'power', 'POWER_OUT pressed', 'no power', 'POWER_OUT released'])
  })

  t.test("edges are reported in order, with the kernel's times", async (t) => {
    await board.reset(false)
    const edges: { active: boolean; nanoseconds: bigint }[] = []
    let seen = () => {}
    const two = new Promise<void>((resolve) => {
      seen = resolve
    })
    const place = { path: `${devices}/gpiochip0`, offset: 3, activeLow: false }
    const line = openGpio().input(place, (edge) => {
      if (edge instanceof Error) throw edge
      if (edges.push(edge) === 2) seen()
    })
    await board.supply(true)
    await board.supply(false)
    await two
    t.strictSame(
      edges.map(({ active }) => active),
      [true, false]
    )
    t.ok(edges[0]!.nanoseconds < edges[1]!.nanoseconds && edges[1]!.nanoseconds < process.hrtime.bigint())
    line.close()
    t.throws(() => line.active(), { name: 'HalError', code: 'ENODEV' })
  })

  t.test('the binding refuses arguments of other types', async (t) => {
    const binding = createRequire(import.meta.url)(`${process.env.MINNOW_NATIVE}/gpio.node`)
    const path = `${devices}/gpiochip0`
    const input = binding.input(path, 3, false, () => undefined)
    const output = binding.output(path, 1, true, false)
    const wrong: [name: string, code: string, ...values: unknown[]][] = [
      ['describe', 'EINVAL'],
      ['describe', 'EINVAL', 7],
      ['describe', 'EINVAL', `${path}\0`],
      ['describe', 'ENODEV', '/dev/null'],
      ['describe', 'ENODEV', `${path}9`],
      ['input', 'EINVAL', path, 4, false],
      ['input', 'EINVAL', path, 4, false, 'listener'],
      ['input', 'EINVAL', path, -1, false, () => undefined],
      ['input', 'EINVAL', path, 0.5, false, () => undefined],
      ['input', 'EINVAL', path, 8, false, () => undefined],
      ['input', 'EBUSY', path, 3, false, () => undefined],
      ['output', 'EINVAL', path, 4, 0, false],
      ['output', 'EINVAL', path, 4, false],
      ['get', 'EINVAL', {}],
      ['press', 'EINVAL', output, 5],
      ['press', 'EINVAL', output, 5, 'listener'],
      ['press', 'EINVAL', output, -2, () => undefined],
      ['press', 'EINVAL', output, 2 ** 31, () => undefined],
      ['press', 'EINVAL', input, 5, () => undefined],
      ['release', 'EINVAL', input],
      ['close', 'EINVAL', 'handle']
    ]
    for (const [name, code, ...values] of wrong) {
      t.throws(() => binding[name](...values), { code }, `${name} of ${values.length} arguments`)
    }
    binding.close(input)
    binding.close(output)
    t.throws(() => binding.get(input), { code: 'ENODEV' })
    t.equal(await board.isHeld('POWER_OUT'), false)
  })

  t.test('an operation that needs a line that the board does not have is EINVAL', async (t) => {
    const { reset, nmi, auxCycle, ...few } = options
    await board.reset(true)
    const power = gpioPower(openGpio(), few)
    t.teardown(() => power.close())
    for (const operation of ['forceRestart', 'nmi'] as const) {
      const message = `power-1: ${operation}: this board has no line for it`
      await t.rejects(power.perform(operation), { name: 'HalError', code: 'EINVAL', message })
    }
  })

  t.test('a chip that this process may not look at is not for it, unless there is no other', async (t) => {
    await board.reset(true)
    const gpio = openGpio()
    const denying = (denied: RegExp) => ({
      ...gpio,
      describe(path: string) {
        if (denied.test(path)) throw new HalError('EACCES', `${path}: open: EACCES`)
        return gpio.describe(path)
      }
    })
    await gpioPower(denying(/gpiochip1$/), options).close()
    t.throws(() => gpioPower(denying(/gpiochip/), options), { code: 'EACCES' })
  })

  t.test('options that are wrong are one sentence, and leave no line requested', async (t) => {
    const wrong: [Partial<GpioPowerOptions>, RegExp][] = [
      [{ powerButton: undefined }, /^power-1: the line powerButton is missing$/],
      [{ powerGood: undefined }, /^power-1: the line powerGood is missing$/],
      [{ pressTime: '200' }, /^power-1: pressTime must be 1 to 86400000 ms$/],
      [{ gracefulTime: 0 }, /^power-1: gracefulTime must be/],
      [{ reset: low('RESET') }, /^power-1: reset: no GPIO line is named RESET: .*gpiochip0 \(soc-gpio, 8 lines\)/],
      [{ reset: { name: 'FAN_FAIL' } }, /^power-1: reset: several lines are named FAN_FAIL: \S+gpiochip0 line 6, /],
      [{ reset: { name: 'TAKEN' } }, /^power-1: reset: \S+gpiochip0 line 7 \(TAKEN\) is in use by sysfs$/],
      [{ reset: low('POWER_OUT') }, /^power-1: reset: \S+ line 1 \(POWER_OUT\) is powerButton already$/],
      [{ reset: { chip: 'expander', offset: 0 } }, /^power-1: reset: expander names several GPIO chips/],
      [{ reset: { chip: 'soc-gpio', offset: 8 } }, /^power-1: reset: soc-gpio has no line 8, only 0 to 7$/],
      [{ reset: { chip: 'pca9555', offset: 0 } }, /^power-1: reset: there is no GPIO chip pca9555: there is gpiochip0/],
      [{ reset: { name: 'RESET_OUT', activelow: true } }, /^power-1: reset: a line has no option activelow/],
      [{ reset: { name: 'RESET_OUT', activeLow: 1 } }, /^power-1: reset: activeLow must be a boolean$/],
      [{ reset: { chip: 'soc-gpio' } }, /^power-1: reset: a line is \{"name"\} or/],
      [{ reset: 'RESET_OUT' }, /^power-1: reset: a line is \{"name"\} or/],
      [{ devices: `${devices}/none` }, /^power-1: there are no GPIO chips: ENOENT/],
      [{ devices: '/' }, /^power-1: there is no GPIO chip/]
    ]
    for (const [change, message] of wrong) {
      t.throws(() => gpioPower(openGpio(), { ...options, ...change }), { name: 'HalError', message }, message.source)
    }
    const { powerGood, ...others } = options
    const clash = { ...others, powerGood: { name: 'PS_PWROK' } }
    const first = gpioPower(openGpio(), clash)
    const inUse = /^power-1: powerButton: \S+ line 1 \(POWER_OUT\) is in use by minnow$/
    t.throws(() => gpioPower(openGpio(), clash), { code: 'EBUSY', message: inUse })
    await first.close()
    await gpioPower(openGpio(), clash).close()
  })

  test('the last test: closed twice is closed', 'Off', async (_t, power) => {
    await power.close()
    await power.close()
  })
  t.teardown(() => hand.destroy())
}
