import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { type BiosPending, defaults } from '#data/bios'
import { configuration } from '#data/configuration'
import { ordinaryAttributes, variablePath, vendorVariables } from '#data/variables'
import { createStore } from '#hal/edk2/create.ts'
import { simStore } from '#hal/edk2/devices.ts'
import { edk2Layouts, layoutEnd } from '#hal/edk2/layout.ts'
import { openStore } from '#hal/edk2/store.ts'
import type { Nvram, VariableChange } from '#hal/nvram.ts'
import { simFlash } from '#hal/sim/flash.ts'
import { simPower } from '#hal/sim/power.ts'
import { bootAttribute, readBootNumbers, readBootOption, writeBootOption } from '#hal/uefi/boot.ts'
import { devicePathText } from '#hal/uefi/device-path.ts'
import { devicePathFromText } from '#hal/uefi/device-path-from-text.ts'
import { globalGuid } from '#hal/uefi/variables.ts'
import { readBoard } from '#runtime/command/board-file.ts'
import { Events } from '#runtime/service/events/events.ts'
import { FirmwareVariables } from '#runtime/service/firmware/firmware-variables.ts'
import { Hardware } from '#runtime/service/machine/machine.ts'
import { BootHold } from '#runtime/service/power/boot-hold.ts'
import { openDocuments } from '#runtime/store/documents.ts'
import { Store } from '#runtime/store/store.ts'
import { watch } from '#test/hal/contracts/power.ts'
import { faultyNvram, type NvramFaults } from '#test/hal/faulty-nvram.ts'

const documents = openDocuments(readFileSync('dist/documents.bin'))
const board = readBoard('sim', documents)
const time = '2025-06-01T12:00:00.000Z'
const atOnce = { onTime: 0, offTime: 0, gracefulTime: 0, resetTime: 0 }
const success = { key: 'Base.Success', args: [] }
const pending = (attributes: BiosPending['attributes'], more: Partial<BiosPending> = {}): BiosPending => ({
  attributes,
  reset: false,
  passwords: {},
  ...more
})

/** A store with room for 2,000 bytes. */
function tinyStore(): Nvram {
  const parts = { offset: 0, storeSize: 0x1000, workOffset: 0x1000, workSize: 0x1000, spareOffset: 0x2000 }
  const layout = { ...parts, spareSize: 0x1000, blockSize: 0x1000, largestVariable: 1900 }
  const flash = simFlash({ size: layoutEnd(layout) }).open()
  createStore(flash, layout)
  return openStore(flash, { layout, reserve: 2000 })
}

/** One whose header is torn. */
function damagedStore(): Nvram {
  const layout = edk2Layouts['4M']
  const chip = simFlash({ size: layoutEnd(layout) })
  const flash = chip.open()
  createStore(flash, layout)
  flash.close()
  chip.contents.fill(0, 0x48, 0x60)
  return openStore(chip.open())
}

interface Options {
  /** The store of the variables; the simulated machine's by default. */
  readonly variables?: Nvram
  readonly faults?: NvramFaults
  readonly initial?: 'On' | 'Off'
  /** Sees each operation on the variables before it is done, by its number from 1. True has it hang. */
  readonly operation?: (number: number) => boolean
  /** Each boot waits for it first. */
  readonly ready?: (system: string) => Promise<void>
}

/** The parts of a controller that firmware depends on; everything that outlives it is in the directory. */
async function controller(
  directory: string,
  { initial = 'On', operation = () => false, ready = async () => undefined, variables, faults = {} }: Options = {}
) {
  const store = await Store.open(`${directory}/store`, configuration.store)
  const hold = new BootHold()
  const power = simPower({ ...atOnce, directory, initial, beforeBoot: () => hold.beforeBoot('1') })
  const nvram = faultyNvram(variables ?? simStore({ directory, name: 'nvram' }), faults, 20)
  let operations = 0
  const hangs = () => {
    operations += 1
    return operation(operations)
  }
  Object.defineProperty(faults, 'hang', { get: hangs })
  const devices = {
    power: new Map([['1', power]]),
    indicators: new Map(),
    ports: new Map(),
    sensors: new Map(),
    powerLimits: new Map(),
    eventLogs: new Map(),
    media: new Map(),
    consoles: new Map(),
    postCodes: new Map(),
    bios: new Map(),
    bootOverrides: new Map(),
    networks: new Map(),
    watchdogs: new Map(),
    dumps: new Map(),
    drives: new Map(),
    firmware: new Map(),
    nvram: new Map([['1', nvram]]),
    async close() {
      await power.close()
      await nvram.close()
    }
  }
  const machine = new Hardware(board, devices, store, documents)
  const now = () => Date.parse(time)
  const firmware = new FirmwareVariables(store, machine, devices, new Events(store, board, configuration, now), now)
  hold.open(ready, (system) => firmware.beforeBoot(system))
  const events = watch(power)
  await firmware.open()
  return {
    store,
    power,
    nvram,
    faults,
    firmware,
    hold,
    /** Restarts the host, and waits for its boot. */
    async restart() {
      const boot = events.next('boot reset')
      await power.perform('forceRestart')
      await boot
    },
    async switchOn() {
      const on = events.next('On')
      await power.perform('on')
      await on
    },
    async switchOff() {
      const off = events.next('Off')
      await power.perform('forceOff')
      await off
      await firmware.idle()
    },
    text(name: string) {
      const found = nvram.get(name, vendorVariables)
      return found && new TextDecoder().decode(found.data)
    },
    json(name: string) {
      return JSON.parse(this.text(name) ?? 'null')
    },
    get current() {
      return store.get('biosCurrent', '1')
    },
    /** As a power cut does: nothing more is written. */
    async cut() {
      await power.close()
      await store.close()
    },
    async close() {
      hold.close()
      await firmware.close()
      await devices.close()
      await store.close()
    }
  }
}

async function withController(t: Test, options: Options = {}) {
  const opened = await controller(t.testdir(), options)
  t.teardown(() => opened.close())
  return opened
}

t.test('a first start gives the BIOS the defaults of its registry', async (t) => {
  const { current, store } = await withController(t)
  t.match(current, { passwords: {}, transferredAt: time, messages: [] })
  t.equal(Object.keys(current?.attributes ?? {}).length, 280)
  t.equal(current?.attributes.QuietBoot, true)
  t.equal(current?.attributes.AdministratorPassword, null)
  t.equal(store.get('biosPending', '1'), undefined)
})

t.test('a later start changes nothing', async (t) => {
  const directory = t.testdir()
  const first = await controller(directory)
  await first.store.commit({ biosCurrent: { 1: { attributes: { QuietBoot: false } } } })
  await first.close()
  const second = await controller(directory)
  t.same(second.current?.attributes, { QuietBoot: false })
  await second.close()
})

t.test('pending settings are transferred at a reset, and failures are named', async (t) => {
  const host = await withController(t)
  await host.store.commit({
    biosPending: { 1: pending({ BootPromptSeconds: 9, QuietBoot: 'no', Flux: 1, ServerName: 'db7' }) }
  })
  t.equal(host.current?.attributes.BootPromptSeconds === 9, false, 'not before')
  await host.restart()
  t.match(host.current, {
    attributes: { BootPromptSeconds: 9, QuietBoot: true, ServerName: 'db7' },
    transferredAt: time,
    messages: [
      success,
      { key: 'Base.PropertyValueTypeError', args: ['no', 'QuietBoot'], related: ['#/Attributes/QuietBoot'] },
      { key: 'Base.PropertyUnknown', args: ['Flux'], related: ['#/Attributes/Flux'] }
    ]
  })
  t.equal(host.store.get('biosPending', '1'), undefined)
})

t.test('each operation that boots transfers', async (t) => {
  const host = await withController(t)
  const { next } = watch(host.power)
  let seconds = 5
  for (const [operation, event] of [
    ['forceRestart', 'boot reset'],
    ['gracefulRestart', 'On'],
    ['coldBoot', 'On'],
    ['forceOff', 'Off'],
    ['on', 'On'],
    ['pressButton', 'Off'],
    ['pressButton', 'On']
  ] as const) {
    seconds += 1
    await host.store.commit({ biosPending: { 1: pending({ BootPromptSeconds: seconds }) } })
    const there = next(event)
    await host.power.perform(operation)
    await there
    const boots = event !== 'Off'
    t.equal(host.current?.attributes.BootPromptSeconds === seconds, boots, operation)
    t.equal(host.store.get('biosPending', '1') === undefined, boots)
  }
})

t.test('a reset without pending settings keeps the messages of the last transfer', async (t) => {
  const host = await withController(t)
  await host.store.commit({ biosPending: { 1: pending({ Flux: 1 }) } })
  await host.restart()
  const { revisions } = host.store
  const before = revisions.of('biosCurrent/1')
  await host.restart()
  t.equal(revisions.of('biosCurrent/1'), before)
  t.equal(host.current?.messages.length, 2)
})

t.test('the first boot of all says that a transfer ran', async (t) => {
  const host = await withController(t)
  await host.restart()
  t.same(host.current?.messages, [success])
})

t.test('a reset to the defaults is applied first, and later changes after it', async (t) => {
  const host = await withController(t)
  await host.store.commit({ biosPending: { 1: pending({ BootPromptSeconds: 9, ServerName: 'db7' }) } })
  await host.restart()
  await host.store.commit({ biosPending: { 1: pending({ ServerName: 'db8' }, { reset: true }) } })
  await host.restart()
  const registry = JSON.parse(readFileSync(`registries/bios/${board.systems['1']?.attributeRegistry}.json`, 'utf8'))
  t.same(host.current?.attributes, { ...defaults(registry), ServerName: 'db8' })
  t.same(host.current?.messages, [success])
})

t.test('passwords take effect at the reset, and are hidden from the operating system', async (t) => {
  const host = await withController(t)
  await host.store.commit({ biosPending: { 1: pending({}, { passwords: { User: 'hash' } }) } })
  t.same(host.current?.passwords, {})
  await host.restart()
  t.same(host.current?.passwords, { User: 'hash' })
  t.match(host.nvram.get('VendorBiosUserPassword', vendorVariables), { attributes: 3 })
  t.equal(host.text('VendorBiosUserPassword'), 'hash')
  await host.store.commit({ biosPending: { 1: pending({}, { passwords: { User: '' } }) } })
  await host.restart()
  t.same(host.current?.passwords, {})
  t.equal(host.text('VendorBiosUserPassword'), undefined)
})

t.test('firmware finds the areas as variables', async (t) => {
  const host = await withController(t)
  await host.store.commit({ biosPending: { 1: pending({ BootPromptSeconds: 9, Flux: 1 }) } })
  await host.switchOff()
  const waiting = host.json('VendorBiosPending')
  t.match(waiting, { Reset: false, Attributes: { BootPromptSeconds: 9, Flux: 1 } })
  t.equal(host.json('VendorBiosCurrent').Attributes.BootPromptSeconds === 9, false)
  t.equal(host.nvram.get('VendorBiosPending', vendorVariables)?.attributes, 7)

  const on = watch(host.power).next('On')
  await host.power.perform('on')
  await on
  t.equal(host.text('VendorBiosPending'), undefined)
  t.match(host.json('VendorBiosCurrent'), { Attributes: { BootPromptSeconds: 9 }, Registry: /^BiosAttributeRegistry/ })
  t.same(host.json('VendorBiosResult'), {
    Id: waiting.Id,
    Time: time,
    Messages: [
      { MessageId: 'Base.1.0.Success', MessageArgs: [] },
      { MessageId: 'Base.1.0.PropertyUnknown', MessageArgs: ['Flux'], RelatedProperties: ['#/Attributes/Flux'] }
    ]
  })
})

const wanted = (data: string | null, attributes = 7) => ({
  variable: { [`1/${globalGuid}/Lang`]: { attributes, data } }
})

t.test('while the host runs its variables are not written; they are written when it powers off', async (t) => {
  const host = await withController(t)
  await host.store.commit(wanted('656e00'))
  await host.firmware.idle()
  t.same(host.nvram.list(), [])
  t.equal(host.store.keys('variable').length, 1)
  const before = host.store.revisions.of('nvram/1')
  await host.switchOff()
  t.not(host.store.revisions.of('nvram/1'), before, 'answers that show them are worked out anew')
  t.same(host.nvram.get('Lang', globalGuid)?.data, Uint8Array.of(0x65, 0x6e, 0))
  t.same(host.store.keys('variable'), [])
})

t.test('while it is off they are written and deleted at once', async (t) => {
  const host = await withController(t, { initial: 'Off' })
  await host.store.commit(wanted('656e00'))
  await host.firmware.idle()
  t.equal(host.nvram.get('Lang', globalGuid)?.data.length, 3)
  await host.store.commit(wanted(null))
  await host.firmware.idle()
  t.equal(host.nvram.get('Lang', globalGuid), undefined)
  t.same(host.store.keys('variable'), [])
})

t.test('an override for one boot is BootNext for that boot', async (t) => {
  const host = await withController(t)
  const override = { bootOverrideEnabled: 'Once', bootOverrideTarget: 'Pxe' } as const
  await host.store.commit({ system: { 1: override } })
  await host.restart()
  t.equal(bootsNext(host), pathOf('Boot0004'), 'the first for PXE')
  t.match(host.store.get('system', '1'), { bootOverrideEnabled: 'Disabled' })
})

t.test('the first option in the boot order that answers to the target is booted', async (t) => {
  const host = await withController(t)
  await host.store.commit({
    system: { 1: { bootOverrideEnabled: 'Continuous', bootOverrideTarget: 'Hdd', bootOrder: ['Boot0002'] } }
  })
  await host.restart()
  t.equal(bootsNext(host), pathOf('Boot0002'))
  t.match(host.store.get('system', '1'), { bootOverrideEnabled: 'Continuous' })
})

t.test('an override names the boot option of the firmware, if there is one', async (t) => {
  const host = await withController(t, { initial: 'Off' })
  await write(host, option(0x11, 'Boot0004'), { ...variable('BootOrder'), data: Uint8Array.of(0x11, 0) })
  await host.store.commit({ system: { 1: { bootOverrideEnabled: 'Continuous', bootOverrideTarget: 'Pxe' } } })
  await host.switchOn()
  t.same(host.nvram.get('BootNext', globalGuid)?.data, Uint8Array.of(0x11, 0))
  t.same(numbers(host), [0x11])
})

t.test('an option for one boot waits for the firmware, and is deleted after that boot', async (t) => {
  const host = await withController(t)
  await host.store.commit({ system: { 1: { bootOverrideEnabled: 'Once', bootOverrideTarget: 'Hdd' } } })
  await host.restart()
  await host.switchOff()
  t.equal(bootsNext(host), pathOf('Boot0001'))
  await write(host, { ...variable('BootNext'), data: null })
  await host.switchOn()
  t.same(numbers(host), [])
})

t.test('an override that is cancelled before firmware used it up leaves nothing behind', async (t) => {
  const host = await withController(t)
  await host.store.commit({ system: { 1: { bootOverrideEnabled: 'Once', bootOverrideTarget: 'Hdd' } } })
  await host.restart()
  await host.switchOff()
  t.equal(bootsNext(host), pathOf('Boot0001'))
  await host.store.commit({ variable: { [`1/${globalGuid}/BootNext`]: { attributes: 7, data: null } } })
  await host.firmware.idle()
  t.equal(host.nvram.get('BootNext', globalGuid), undefined)
  t.same(numbers(host), [])
})

t.test('a boot order has options behind it, also before the firmware has made any', async (t) => {
  const host = await withController(t, { initial: 'Off' })
  await host.store.commit(order(0x0a, 4))
  await host.firmware.idle()
  t.same(numbers(host), [4, 0x0a])
  t.equal(pathAt(host, 'Boot000A'), pathOf('Boot000A'))
  t.same(host.nvram.get('BootOrder', globalGuid)?.data, Uint8Array.of(0x0a, 0, 4, 0))
})

t.test('options of the firmware take the places of those that were written for it', async (t) => {
  const host = await withController(t, { initial: 'Off' })
  await host.store.commit(order(0x0a, 4))
  await host.firmware.idle()
  await write(host, option(0x11, 'Boot0004'), option(0x12, 'Boot000A'), option(0x13, 'Boot0002'))
  await write(host, { ...variable('BootOrder'), data: Uint8Array.of(0x0a, 0, 4, 0, 0x11, 0, 0x12, 0, 0x13, 0) })
  await host.switchOn()
  await host.switchOff()
  t.same(host.nvram.get('BootOrder', globalGuid)?.data, Uint8Array.of(0x12, 0, 0x11, 0, 0x13, 0))
  t.same(numbers(host), [0x11, 0x12, 0x13])
})

t.test('a target without a boot option is not passed to the firmware', async (t) => {
  const host = await withController(t)
  await host.store.commit({ system: { 1: { bootOverrideEnabled: 'Once', bootOverrideTarget: 'Diags' } } })
  await host.restart()
  t.equal(host.nvram.get('BootNext', globalGuid), undefined)
  t.match(host.store.get('system', '1'), { bootOverrideEnabled: 'Disabled' })
})

t.test('a power cut at any moment leaves all of it waiting or all of it done, and the next boot does it', async (t) => {
  let moments = 0
  for (let at = 1; ; at += 1) {
    const directory = t.testdir({ [String(at)]: {} })
    let reached = () => {}
    const hung = new Promise<void>((resolve) => {
      reached = resolve
    })
    const operation = (number: number) => {
      if (number === at) reached()
      return number === at
    }
    const host = await controller(`${directory}/${at}`, { operation })
    await host.store.commit({
      biosPending: { 1: pending({ BootPromptSeconds: 9, Flux: 1 }, { passwords: { User: 'hash' } }) },
      system: { 1: { bootOverrideEnabled: 'Once', bootOverrideTarget: 'Pxe' } },
      ...wanted('656e00')
    })
    const boot = watch(host.power).next('boot reset')
    await host.power.perform('forceRestart')
    const cut = await Promise.race([hung.then(() => true), boot.then(() => false)])
    await host.cut()
    if (!cut) break
    moments += 1

    const store = await Store.open(`${directory}/${at}/store`, configuration.store)
    const done = {
      applied: store.get('biosCurrent', '1')?.attributes.BootPromptSeconds === 9,
      told: store.get('biosCurrent', '1')?.messages.length === 2,
      password: store.get('biosCurrent', '1')?.passwords.User === 'hash',
      emptied: store.get('biosPending', '1') === undefined,
      used: store.get('system', '1')?.bootOverrideEnabled === 'Disabled',
      written: store.keys('variable').length === 0
    }
    t.equal(new Set(Object.values(done)).size, 1, `moment ${at}: ${JSON.stringify(done)}`)
    await store.close()

    const again = await controller(`${directory}/${at}`)
    await watch(again.power).next('boot reset')
    t.match(again.current, { attributes: { BootPromptSeconds: 9 }, passwords: { User: 'hash' } })
    t.equal(again.current?.messages.length, 2)
    t.equal(again.store.get('biosPending', '1'), undefined)
    t.match(again.store.get('system', '1'), { bootOverrideEnabled: 'Disabled' })
    t.same(again.store.keys('variable'), [])
    t.equal(again.nvram.get('Lang', globalGuid)?.data.length, 3)
    t.equal(bootsNext(again), pathOf('Boot0004'))
    t.equal(again.text('VendorBiosPending'), undefined)
    t.equal(again.json('VendorBiosCurrent').Attributes.BootPromptSeconds, 9)
    t.equal(again.json('VendorBiosResult')?.Messages.length, 2)
    t.equal(again.text('VendorBiosUserPassword'), 'hash')
    await again.close()
  }
  t.ok(moments >= 4, `${moments} moments`)
})

t.test('a transfer and its other writes are one commit', async (t) => {
  const host = await withController(t)
  await host.store.commit({
    biosPending: { 1: pending({ BootPromptSeconds: 9 }, { passwords: { User: 'hash' } }) },
    system: { 1: { bootOverrideEnabled: 'Once', bootOverrideTarget: 'Pxe' } },
    ...wanted('656e00')
  })
  await host.restart()
  const paths = ['biosCurrent/1', 'biosPending/', 'system/1', 'variable/', 'secureBoot/1']
  t.equal(new Set(paths.map((path) => host.store.revisions.of(path))).size, 1)
})

t.test('a service that stops while the host is held leaves the boot to the next one', async (t) => {
  const directory = t.testdir()
  let closed: Promise<void> | undefined
  const host = await controller(directory, {
    operation: (number) => {
      if (number === 1) closed = host.firmware.close()
      return false
    }
  })
  await host.store.commit({ biosPending: { 1: pending({ BootPromptSeconds: 9 }) } })
  await host.restart()
  await closed
  t.equal(host.current?.attributes.BootPromptSeconds, 9, 'what is under way is ended')
  await host.store.commit({ biosPending: { 1: pending({ BootPromptSeconds: 6 }) } })
  await host.power.perform('forceRestart')
  await host.close()
  const again = await controller(directory)
  await watch(again.power).next('boot reset')
  t.equal(again.current?.attributes.BootPromptSeconds, 6)
  await again.close()
})

t.test('a host with a damaged store still gets its settings, and its variables remain pending', async (t) => {
  const host = await withController(t, { faults: { damaged: 'the header is torn' } })
  await host.store.commit({
    biosPending: { 1: pending({ BootPromptSeconds: 9 }) },
    system: { 1: { bootOverrideEnabled: 'Once', bootOverrideTarget: 'Pxe' } },
    ...wanted('656e00')
  })
  await host.restart()
  t.equal(host.store.get('biosPending', '1'), undefined)
  t.equal(host.current?.attributes.BootPromptSeconds, 9)
  t.match(host.store.get('system', '1'), { bootOverrideEnabled: 'Disabled' })
  t.equal(host.store.get('secureBoot', '1'), undefined, 'what is not known is not said')
  t.equal(host.store.keys('variable').length, 1)
  host.faults.damaged = undefined
  await host.restart()
  t.same(host.store.keys('variable'), [])
  t.equal(host.json('VendorBiosCurrent').Attributes.BootPromptSeconds, 9)
})

t.test('a store that fails in between is as good as a power cut', async (t) => {
  for (const code of ['EIO', 'EBUSY', 'ETIMEDOUT'] as const) {
    const host = await controller(t.testdir())
    await host.store.commit({ biosPending: { 1: pending({ BootPromptSeconds: 9 }) } })
    host.faults.failNext = code
    await host.restart()
    t.ok(host.store.get('biosPending', '1'), code)
    await host.restart()
    t.equal(host.store.get('biosPending', '1'), undefined, code)
    await host.close()
  }
})

t.test('a variable that has no room waits, and the BIOS settings do without theirs', async (t) => {
  const host = await withController(t, { variables: tinyStore() })
  await host.store.commit({ ...wanted('00'.repeat(3000)), biosPending: { 1: pending({ BootPromptSeconds: 9 }) } })
  await host.restart()
  t.equal(host.store.keys('variable').length, 1)
  t.equal(host.current?.attributes.BootPromptSeconds, 9)
  t.equal(host.text('VendorBiosCurrent'), undefined)
  t.match(host.json('VendorBiosResult'), { Messages: [{ MessageId: 'Base.1.0.Success' }] })
})

t.test('a change during the hold is applied at this boot or the next', async (t) => {
  const host = await withController(t, {
    operation: (number) => {
      if (number === 3) {
        host.store.commit({ biosPending: { 1: pending({ BootPromptSeconds: 7, ServerName: 'db7' }) } })
      }
      return false
    }
  })
  await host.store.commit({ biosPending: { 1: pending({ BootPromptSeconds: 9 }) } })
  await host.restart()
  t.match(host.current?.attributes, { BootPromptSeconds: 7, ServerName: 'db7' })
  t.equal(host.store.get('biosPending', '1'), undefined)
})

t.test('after ten attempts a host boots without changes that others keep overtaking', async (t) => {
  let isBusy = true
  const host = await withController(t, {
    operation: (number) => {
      if (isBusy) host.store.commit({ system: { 1: { assetTag: String(number) } } })
      return false
    }
  })
  await host.store.commit({ biosPending: { 1: pending({ BootPromptSeconds: 9 }) } })
  const commits = t.capture(host.store, 'commit', host.store.commit)
  await host.restart()
  t.equal(commits().filter(({ args }) => args.length > 1).length, 10)
  t.ok(host.store.get('biosPending', '1'))
  isBusy = false
  await host.restart()
  t.equal(host.current?.attributes.BootPromptSeconds, 9)
})

t.test('the variables of a system without a store cannot be reset', async (t) => {
  const { firmware } = await withController(t)
  t.match(await firmware.resetVariables('2').catch((error: unknown) => error), { code: 'ENODEV' })
})

t.test('keys of secure boot are written so that a power cut leaves no platform key alone', async (t) => {
  const host = await withController(t)
  const key = (name: string) => `1/${globalGuid}/${name}`
  const value = { attributes: 0x27, data: '00' }
  await host.store.commit({ variable: { [key('PK')]: value, [key('KEK')]: value } })
  await host.switchOff()
  t.same(
    host.nvram
      .list()
      .map(({ name }) => name)
      .filter((name) => name.endsWith('K')),
    ['KEK', 'PK']
  )
})

const told = (store: Store) => store.keys('event').map((key) => store.get('event', key))

t.test('a host starts in the mode that was asked for once, and says in which it is', async (t) => {
  const { store, restart } = await withController(t)
  await store.commit({ hostPending: { 1: { mode: 'SafeMode' } } })
  await restart()
  t.same(store.get('boot', '1'), { mode: 'SafeMode' })
  t.equal(store.get('hostPending', '1'), undefined)
  await restart()
  t.same(store.get('boot', '1'), { mode: 'Normal' })
})

t.test('a recovery that was requested happens before the next start, and sends an event', async (t) => {
  const { store, restart } = await withController(t)
  await store.commit({ hostPending: { 1: { recovery: true } } })
  await restart()
  t.equal(store.get('hostPending', '1'), undefined)
  t.match(told(store), [{ messageId: /RecoveryFinished$/, args: ['1'] }])
})

t.test('a host that is off has not started, and its pending changes remain', async (t) => {
  const { store, switchOff } = await withController(t)
  await store.commit({ hostPending: { 1: { recovery: true, mode: 'SafeMode' } } })
  await switchOff()
  t.match(store.get('hostPending', '1'), { recovery: true, mode: 'SafeMode' })
  t.same(told(store), [])
})

t.test('the event of a transfer of settings has the number of refused ones', async (t) => {
  const { store, restart } = await withController(t)
  await store.commit({ biosPending: { 1: pending({ QuietBoot: false, NoSuchThing: 1 }) } })
  await restart()
  t.match(told(store), [{ messageId: /BiosSettingsTransferred$/, args: ['1'] }])
  await restart()
  t.equal(told(store).length, 1, 'nothing waited')
})

const stored = { attributes: 7, data: Uint8Array.of(1, 0) }
const keyNames = { name: 'PKDefault', guid: globalGuid }
const others = { name: 'Boot0007', guid: globalGuid }

/** A controller over a store of variables that has a key and something else. */
async function withVariables(t: Test) {
  const opened = await withController(t)
  await opened.nvram.acquire()
  await opened.nvram.set([
    { ...keyNames, ...stored },
    { ...others, ...stored },
    { name: 'BootOrder', guid: globalGuid, ...stored }
  ])
  await opened.nvram.release()
  const has = ({ name, guid }: typeof others) => opened.nvram.get(name, guid) !== undefined
  return { ...opened, has }
}

t.test('variables are cleared when the host is held, except the keys and pending values', async (t) => {
  const { store, restart, has, text, nvram } = await withVariables(t)
  await store.commit({
    hostPending: { 1: { clearing: 'AllButKeys' } },
    variable: { [`1/${globalGuid}/BootOrder`]: { attributes: 7, data: '0400' } }
  })
  t.ok(has(others), 'the host still runs')
  await restart()
  t.same([has(keyNames), has(others)], [true, false])
  t.same(nvram.get('BootOrder', globalGuid)?.data, Uint8Array.of(4, 0))
  t.ok(text('VendorBiosCurrent'), 'the BIOS settings are there anew')
  t.equal(store.get('hostPending', '1'), undefined)
})

t.test('an option that the host added to the boot order meanwhile stays', async (t) => {
  const host = await withController(t)
  await write(host, { ...variable('BootOrder'), data: Uint8Array.of(0x11, 0, 0x12, 0) })
  await host.store.commit(order(0x12, 0x11))
  await write(host, { ...variable('BootOrder'), data: Uint8Array.of(0x13, 0, 0x11, 0, 0x12, 0) })
  await host.restart()
  t.same(host.nvram.get('BootOrder', globalGuid)?.data, Uint8Array.of(0x12, 0, 0x11, 0, 0x13, 0))
})

t.test(
  'an option that a client added to the boot order is written, and one that the host removed meanwhile is not',
  async (t) => {
    const host = await withController(t)
    const other = { ...option(0x14, 'Boot0001'), name: 'Boot0014' }
    await write(host, other, { ...variable('BootOrder'), data: Uint8Array.of(0x11, 0, 0x12, 0) })
    const { variable: wanted } = order(0x14, 0x15, 0x0a, 0x12, 0x11)
    const path = variablePath('1', globalGuid, 'BootOrder')
    await host.store.commit({ variable: { [path]: { ...wanted[path]!, added: '14000a001500' } } })
    await write(host, { ...variable('BootOrder'), data: Uint8Array.of(0x11, 0) })
    await host.restart()
    t.same(host.nvram.get('BootOrder', globalGuid)?.data, Uint8Array.of(0x14, 0, 0x0a, 0, 0x11, 0))
    t.equal(pathAt(host, 'Boot000A'), pathOf('Boot000A'), 'what only the board had has an option behind it')
  }
)

t.test('an override finds an option of the firmware outside its order, after those in it', async (t) => {
  const host = await withController(t, { initial: 'Off' })
  const ordered = { ...variable('BootOrder'), data: Uint8Array.of(0x12, 0) }
  await write(host, option(0x11, 'Boot0001'), option(0x12, 'Boot0002'), option(0x13, 'Boot0005'), ordered)
  await host.store.commit({ system: { 1: { bootOverrideEnabled: 'Continuous', bootOverrideTarget: 'Hdd' } } })
  await host.switchOn()
  t.same(host.nvram.get('BootNext', globalGuid)?.data, Uint8Array.of(0x12, 0))
  await host.store.commit({ system: { 1: { bootOverrideTarget: 'Pxe' } } })
  await host.restart()
  const pxe = Uint8Array.of(0x13, 0)
  t.same(host.nvram.get('BootNext', globalGuid)?.data, pxe, 'and before those that only the board names')
  t.same(host.nvram.get('BootOrder', globalGuid)?.data, Uint8Array.of(0x12, 0), 'which stays as it is')
})

t.test('an erasure takes the keys too, and does not wait for a start', async (t) => {
  const { store, switchOff, firmware, has } = await withVariables(t)
  await switchOff()
  t.ok(has(keyNames))
  await store.commit({ hostPending: { 1: { clearing: 'All', mode: 'SafeMode' } } })
  await firmware.idle()
  t.same([has(keyNames), has(others)], [false, false])
  t.match(store.get('hostPending', '1'), { clearing: 'None', mode: 'SafeMode' }, 'the mode waits for the start')
})

t.test('a reset drops the variables and pending changes, and the settings are the defaults', async (t) => {
  const { store, switchOff, switchOn, firmware, has, text, ...host } = await withVariables(t)
  await store.commit({ biosPending: { 1: pending({ QuietBoot: false }) } })
  await host.restart()
  t.equal(store.get('biosCurrent', '1')?.attributes.QuietBoot, false)
  await switchOff()
  await store.commit({ biosPending: { 1: pending({ BootPromptSeconds: 9 }) } })
  await firmware.idle()
  await firmware.exclusively('1', async () => {
    await store.commit(wanted('656e00'))
    await firmware.resetVariables('1')
  })
  t.same([has(keyNames), has(others)], [false, false])
  t.same(store.keys('variable'), [])
  await switchOn()
  t.equal(host.nvram.get('Lang', globalGuid), undefined)
  t.match(store.get('biosCurrent', '1')?.attributes, { QuietBoot: true, BootPromptSeconds: 5 })
  t.ok(text('VendorBiosCurrent'), 'which the host finds there')
})

t.test('a reset also recreates a damaged store', async (t) => {
  const variables = damagedStore()
  const host = await withController(t, { variables, initial: 'Off' })
  t.equal(host.nvram.health.state, 'damaged')
  await host.firmware.exclusively('1', () => host.firmware.resetVariables('1'))
  await host.firmware.idle()
  t.equal(host.nvram.health.state, 'ok')
  t.ok(host.text('VendorBiosCurrent'))
})

/** Work that a boot waits for: `asked` settles when it does. */
function work() {
  let ready = () => {}
  const done = new Promise<void>((resolve) => {
    ready = resolve
  })
  let ask: (system: string) => void
  const asked = new Promise<string>((resolve) => {
    ask = resolve
  })
  const wait = (system: string) => {
    ask(system)
    return done
  }
  return { asked, wait, ready }
}

t.test('a host is held until the work on it is done', async (t) => {
  const { asked, wait, ready } = work()
  const { store, restart } = await withController(t, { ready: wait })
  await store.commit({ hostPending: { 1: { mode: 'SafeMode' } } })
  const restarted = restart()
  t.equal(await asked, '1')
  t.equal(store.get('boot', '1'), undefined)
  ready()
  await restarted
  t.same(store.get('boot', '1'), { mode: 'SafeMode' })
})

t.test('a host that is held for work stays held when the service ends before the work does', async (t) => {
  const { asked, wait, ready } = work()
  const { store, power, firmware, hold } = await withController(t, { ready: wait })
  await store.commit({ hostPending: { 1: { mode: 'SafeMode' } } })
  await power.perform('forceRestart')
  await asked
  hold.close()
  await firmware.close()
  ready()
  await new Promise(setImmediate)
  await firmware.idle()
  t.equal(store.get('boot', '1'), undefined)
})

type Controller = Awaited<ReturnType<typeof controller>>

const variable = (name: string) => ({ name, guid: globalGuid, attributes: ordinaryAttributes })

/** The device path of one of the board's boot options. */
function pathOf(reference: string): string {
  return board.systems['1']!.bootOptions!.find((each) => each.reference === reference)!.uefiDevicePath
}

/** An option that firmware has made for a device of the board's. */
function option(number: number, reference: string): VariableChange {
  const devicePath = devicePathFromText(pathOf(reference))!
  const whole = {
    attributes: bootAttribute.active,
    description: 'UEFI device',
    devicePath,
    optionalData: Uint8Array.of(1)
  }
  return { ...variable(`Boot00${number.toString(16)}`), data: writeBootOption(whole) }
}

function order(...wanted: number[]) {
  const data = wanted.map((number) => `${number.toString(16).padStart(2, '0')}00`).join('')
  return { variable: { [variablePath('1', globalGuid, 'BootOrder')]: { attributes: ordinaryAttributes, data } } }
}

/** As firmware does. */
async function write({ nvram }: Controller, ...changes: VariableChange[]): Promise<void> {
  await nvram.acquire()
  await nvram.set(changes)
  await nvram.release()
}

/** Of the boot options in the store. */
function numbers({ nvram }: Controller): number[] {
  const names = nvram.list().map(({ name }) => /^Boot([\dA-F]{4})$/i.exec(name)?.[1])
  return names.flatMap((digits) => (digits === undefined ? [] : Number.parseInt(digits, 16))).sort((a, b) => a - b)
}

function pathAt({ nvram }: Controller, reference: string): string {
  return devicePathText(readBootOption(nvram.get(reference, globalGuid)!.data).devicePath)
}

function bootsNext(host: Controller): string {
  const [number] = readBootNumbers(host.nvram.get('BootNext', globalGuid)!.data)
  return pathAt(host, `Boot${number!.toString(16).toUpperCase().padStart(4, '0')}`)
}
