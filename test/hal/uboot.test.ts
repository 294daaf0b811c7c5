import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { HalError } from '#hal/errors.ts'
import type { Firmware } from '#hal/firmware.ts'
import { type SimFlash, simFlash } from '#hal/sim/flash.ts'
import { Environment } from '#hal/uboot/environment.ts'
import { ubootFirmware } from '#hal/uboot/firmware.ts'
import { isInstalled } from '#test/host/hosts.ts'
import { firmwareContract, image, install } from './contracts/firmware.ts'

const environment = { copies: [0, 4096], size: 512 } as const
const parts = ['part-0', 'part-1']
const limit = 3

/** The flash of a controller: partitions by their names. Version 1.0 is in slot A. */
class Controller {
  readonly chips: ReadonlyMap<string, SimFlash>
  readonly warnings: string[] = []
  /** Where U-Boot says its version. */
  readonly loader: string
  readonly #started: string

  constructor(directory: string) {
    this.#started = `${directory}/started`
    this.loader = `${directory}/loader`
    const names = parts.flatMap((part) => [`${part}-a`, `${part}-b`])
    this.chips = new Map([
      ['u-boot-env', simFlash({ size: 8192 })],
      ...names.map((name) => [name, simFlash({ size: 4096 })] as const)
    ])
    const { bytes, parts: listed } = image('1.0')
    let at = 0
    for (const { name, length } of listed) {
      this.chip(`${name}-a`).contents.set(bytes.subarray(at, at + length))
      at += length
    }
    this.reset()
  }

  chip(name: string): SimFlash {
    const chip = this.chips.get(name)
    if (chip === undefined) throw new HalError('ENODEV', `${name} is not there`)
    return chip
  }

  get environment(): Environment {
    return new Environment(() => this.chip('u-boot-env').open(), environment)
  }

  /** The text of the parts of a slot that are not erased. */
  holds(slot: number): string {
    const texts = parts.map((part) => Buffer.from(this.chip(`${part}-${'ab'[slot]}`).contents).toString('latin1'))
    return texts.map((text) => text.replace(/\xff*$/, '')).join('')
  }

  /** A reset by U-Boot. @param refused the slot whose image it rejects */
  reset(refused?: string): void {
    const { environment } = this
    const { slot = 'a', upgrade_available: trial = '0', bootcount = '0' } = Object.fromEntries(environment.variables)
    let next = slot
    if (Number(trial) > 0) environment.change({ bootcount: String(Number(bootcount) + 1) })
    if (Number(trial) > 0 && Number(bootcount) + 1 > limit) {
      next = other(slot)
      environment.change({ slot: next, upgrade_available: '0' })
    }
    writeFileSync(this.#started, `${next === refused ? other(next) : next}\0`)
  }

  open(): Firmware {
    return ubootFirmware((path) => this.chip(path.replace(/.*\//, '')).open(), {
      name: 'firmware',
      parts,
      environment,
      version: '1.0',
      started: this.#started,
      loader: this.loader,
      warn: (text) => this.warnings.push(text)
    })
  }
}

const other = (slot: string) => (slot === 'a' ? 'b' : 'a')

const controllers = new Map<string, Controller>()

firmwareContract(t, 'uboot', (directory) => {
  const controller = controllers.get(directory) ?? new Controller(directory)
  controllers.set(directory, controller)
  controller.reset()
  return controller.open()
})

t.test('it has the version of the boot loader, if that reports one', async (t) => {
  const controller = new Controller(t.testdir())
  t.equal(controller.open().state.loader, undefined)
  writeFileSync(controller.loader, '2025.01-3\0')
  t.equal(controller.open().state.loader, '2025.01-3')
})

/** A controller with version 1.1 in slot B, made the next one. */
async function activated(t: Test): Promise<Controller> {
  const controller = new Controller(t.testdir())
  const firmware = controller.open()
  await install(firmware, '1.1')
  await firmware.activate(1)
  return controller
}

t.test('a version that was started three times and not committed gives way to the one before', async (t) => {
  const controller = await activated(t)
  for (let start = 1; start <= limit; start += 1) {
    controller.reset()
    t.match(controller.open().state, { running: 1, next: 1, committed: false }, `start ${start}`)
    t.strictSame(controller.warnings, [])
  }
  controller.reset()
  t.match(controller.open().state, {
    running: 0,
    next: 0,
    committed: true,
    slots: [{ version: '1.0' }, { version: '1.1' }]
  })
  t.strictSame(controller.warnings, ['firmware: slot B did not come up in 3 starts, so that the other one runs'])
  controller.open()
  t.equal(controller.warnings.length, 1, 'it is told once')
})

t.test('a new version that does not boot is reported as not sound, and the other one runs', async (t) => {
  const controller = await activated(t)
  controller.reset('b')
  t.match(controller.open().state, { running: 0, next: 0, slots: [{ version: '1.0' }, { version: undefined }] })
  t.strictSame(controller.warnings, ['firmware: slot B is not sound, so that the other one runs'])
})

t.test('a service that starts again before the reset keeps the slot to start next', async (t) => {
  const controller = await activated(t)
  t.match(controller.open().state, { running: 0, next: 1, committed: true })
  t.strictSame(controller.warnings, [])
})

t.test('while a version is on trial, the one before is kept', async (t) => {
  const controller = await activated(t)
  controller.reset()
  const firmware = controller.open()
  await t.rejects(firmware.write(image('1.2')), { code: 'EBUSY' })
  await firmware.activate(1)
  t.equal(firmware.state.committed, false)
  await firmware.commit()
  await install(firmware, '1.2')
  t.equal(controller.holds(0), Buffer.from(image('1.2').bytes).toString())
})

t.test('an image with other parts, or one that does not fit, is refused', async (t) => {
  const firmware = new Controller(t.testdir()).open()
  const [first, second] = image('1.1').parts
  for (const parts of [[first!], [second!, first!], [first!, { ...second!, length: 9000 }]]) {
    await t.rejects(firmware.write({ version: '1.1', parts }), { code: 'EINVAL' })
  }
  t.equal(firmware.state.next, 0)
})

t.test('blocks that have their contents already are left alone', async (t) => {
  const controller = await activated(t)
  controller.reset()
  await controller.open().commit()
  controller.reset()
  const firmware = controller.open()
  await install(firmware, '1.0')
  t.equal(controller.holds(0), Buffer.from(image('1.0').bytes).toString())
  // Any change would fail.
  for (const part of parts) controller.chip(`${part}-a`).faults.badBlocks = [0]
  await install(firmware, '1.0')
})

t.test('with a damaged environment the built-in values apply', async (t) => {
  const controller = await activated(t)
  controller.chip('u-boot-env').contents.fill(0)
  controller.reset()
  const firmware = controller.open()
  t.match(firmware.state, { running: 0, next: 0, slots: [{ version: '1.0' }, { version: undefined }] })
  await install(firmware, '1.2')
})

t.test('an environment without room for a change stays as it is', async (t) => {
  const { environment } = new Controller(t.testdir())
  environment.change({ slot: 'b' })
  t.throws(() => environment.change({ long: 'x'.repeat(512) }), { code: 'EINVAL' })
  t.equal(environment.variables.get('slot'), 'b')
})

for (const flags of [
  [1, 0, 'first'],
  [0, 1, 'second'],
  [1, 1, 'first'],
  [0, 255, 'first'],
  [255, 0, 'second']
] as const) {
  t.test(`of two valid copies with the flags ${flags[0]} and ${flags[1]} the ${flags[2]} is used`, async (t) => {
    const chip = simFlash({ size: 8192 })
    const wanted = new Environment(() => chip.open(), environment)
    wanted.change({ slot: 'first' })
    wanted.change({ slot: 'second' })
    for (const [index, at] of environment.copies.entries()) chip.contents[at + 4] = flags[index] as number
    t.equal(new Environment(() => chip.open(), environment).variables.get('slot'), flags[2])
  })
}

t.test('it reads environments of mkenvimage', { skip: !isInstalled('mkenvimage') && 'u-boot-tools' }, async (t) => {
  const folder = t.testdir({ text: 'slot=b\nversion_b=1.62\n' })
  const size = String(environment.size)
  execFileSync('mkenvimage', ['-r', '-s', size, '-o', `${folder}/environment`, `${folder}/text`])
  const controller = new Controller(folder)
  controller.chip('u-boot-env').contents.set(readFileSync(`${folder}/environment`))
  t.strictSame(
    [...controller.environment.variables],
    [
      ['slot', 'b'],
      ['version_b', '1.62']
    ]
  )
})

t.test('a power cut at any point of an update leaves one of the two versions, whole', async (t) => {
  const [before, after] = ['1.0', '1.1'].map((version) => Buffer.from(image(version).bytes).toString())
  const reached = { before: 0, after: 0 }
  for (const chip of ['u-boot-env', 'part-0-b', 'part-1-b']) {
    for (const [torn, tornErase] of [
      [0, 'kept'],
      [1, 'kept'],
      [5, 'kept'],
      [20, 'zeros'],
      [511, 'kept']
    ] as const) {
      for (let cutAfter = 0, isCut = true; isCut; cutAfter += 1) {
        const controller = new Controller(t.testdir())
        // The other slot holds something already.
        for (const part of parts) controller.chip(`${part}-b`).contents.fill(0x33)
        const point = `${chip}: cut after ${cutAfter}, ${torn} bytes, ${tornErase}`
        controller.environment.change({ slot: 'a', upgrade_available: '0', version_a: '1.0', version_b: '0.9' })
        Object.assign(controller.chip(chip).faults, { cutAfter, torn, tornErase })
        const firmware = controller.open()
        isCut = await install(firmware, '1.1')
          .then(() => firmware.activate(1))
          .then(
            () => false,
            () => true
          )
        delete controller.chip(chip).faults.cutAfter
        controller.reset()
        const again = controller.open()
        const { running, slots, committed } = again.state
        reached[running === 0 ? 'before' : 'after'] += 1
        if (controller.holds(running) !== (running === 0 ? before : after)) t.fail(`${point}: slot ${running}`)
        if (slots[running]?.version !== ['1.0', '1.1'][running]) t.fail(`${point}: ${slots[running]?.version}`)
        if (slots[1]?.version === '1.1' && controller.holds(1) !== after) t.fail(`${point}: 1.1 is not whole`)
        if (committed !== (running === 0)) t.fail(`${point}: committed ${committed}`)
        if (!isCut && running === 0) t.fail(`${point}: it was done`)
        await again.commit()
        await install(again, '1.2').catch((error) => t.fail(`${point}: the next update: ${error.message}`))
      }
    }
  }
  t.comment(`${reached.before} cuts left the version before, ${reached.after} the new one`)
  t.ok(reached.before > 50 && reached.after > 10)
})
