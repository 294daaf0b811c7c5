import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { boardFaults } from '#data/board'
import { loadBackends } from '#hal/backends.ts'
import { needing } from '#test/host/every-host.ts'
import { isInstalled } from '#test/host/hosts.ts'
import { directory } from '#test/host/server.ts'
import { description, missingImage } from './board.ts'

const backends = await loadBackends()

const { readBoard } = await import(pathToFileURL('deploy/image/boards.mjs').href)
const { compile, deviceTree, lineNumber } = await import(pathToFileURL('deploy/image/device-tree.mjs').href)
const { emulator } = await import(pathToFileURL('deploy/image/emulator.mjs').href)
const { kernel } = await import(pathToFileURL('deploy/image/kernel.mjs').href)
const { compareSettings, linuxSettings } = await import(pathToFileURL('deploy/image/linux.mjs').href)
const { boardFile, compare, needs } = await import(pathToFileURL('deploy/image/machine.mjs').href)

const evaluation = JSON.parse(readFileSync('deploy/image/boards/ast2600-evb.json', 'utf8'))
const names = readdirSync('deploy/image/boards').map((name) => name.replace('.json', ''))
const key = 'deploy/image/development/update.json'
const skip = !isInstalled('dtc') && process.env.CI !== 'true' && 'device-tree-compiler'

/** A description in a file of its own. */
function described(t: Test, changes: object) {
  const file = join(directory(t), 'board.json')
  writeFileSync(file, JSON.stringify({ ...evaluation, ...changes }))
  return readBoard(file)
}

t.test('every board that there is an image for has a board file that the service takes', async (t) => {
  for (const name of names) {
    const board = readBoard(name)
    t.equal(board.name, name)
    t.same(boardFaults(boardFile(board, key), backends), [], name)
  }
})

t.test('the minimum version of an image is in its board file, which outlives the data partition', async (t) => {
  const board = readBoard('ast2600-evb')
  t.equal(boardFile(board, key, '1.60').managers['1'].minimumVersion, '1.60')
  t.same(boardFaults(boardFile(board, key, '1.60'), backends), [])
  t.notOk('minimumVersion' in boardFile(board, key).managers['1'])
  const machine = structuredClone(evaluation.machine)
  machine.managers['1'].minimumVersion = '1.70'
  t.equal(boardFile(described(t, { machine }), key, '1.60').managers['1'].minimumVersion, '1.70')
})

t.test('a description overrides the values of its SoC', async (t) => {
  const soc = JSON.parse(readFileSync('deploy/image/socs/ast2600.json', 'utf8'))
  const board = described(t, { init: { watchdog: 20 }, flash: { size: 2 ** 27 } })
  t.equal(board.arch, soc.arch)
  t.same(board.init, { ...soc.init, watchdog: 20 })
  t.same(board.flash, { ...soc.flash, size: 2 ** 27 })
  t.same(board.kernel.options, soc.kernel.options)
})

t.test('a kernel that is built has the options of the board besides those of its SoC', async (t) => {
  const { kernel } = JSON.parse(readFileSync('deploy/image/socs/ast2500.json', 'utf8'))
  const options = [...kernel.options, 'RTC_DRV_RV8803']
  t.same(readBoard('romulus-bmc').kernel.options, options)
  const settings = linuxSettings(options)
  for (const option of ['MTD_SPI_NOR_USE_4K_SECTORS', ...options]) t.match(settings, `CONFIG_${option}=y\n`)
  t.doesNotThrow(() => compareSettings(settings, `${settings}# CONFIG_MODULES is not set\n`))
  const made = settings.replace('CONFIG_JFFS2_FS=y', '# CONFIG_JFFS2_FS is not set')
  t.throws(() => compareSettings(settings, made), /the kernel lacks the setting CONFIG_JFFS2_FS=y/)
})

t.test('the emulator starts the kernel of a board that has no boot loader, and of no other', async (t) => {
  const command = (name: string) => emulator(readBoard(name), '/images', { 443: 0 }).join(' ')
  t.match(command('palmetto-bmc'), '-kernel /images/kernel -initrd /images/initrd -dtb /images/dtb')
  t.notMatch(command('romulus-bmc'), '-kernel')
})

t.test('a description that no image can be built from is refused with the reason', async (t) => {
  const { deviceTree, ...rest } = evaluation.kernel
  t.type(deviceTree, 'string')
  t.throws(() => described(t, { kernel: rest }), /kernel\/deviceTree is missing/)
  t.throws(() => described(t, { machine: undefined }), /machine is missing/)
  t.throws(() => described(t, { soc: 'ast9900' }), /no image for a SoC ast9900/)
  t.throws(() => described(t, { name: '../other' }), /is not a board name/)
  t.throws(() => described(t, { flash: { size: 2 ** 25 } }), /the partitions need 67108864 bytes of flash/)
  t.throws(() => readBoard('nobody'), /no image for a board nobody/)
  for (const pin of ['N8', 'AA0', 'n2', '106', ''])
    t.throws(() => lineNumber(readBoard('ast2600-evb'), pin), /there is no GPIO line/, pin)
})

t.test('the init process sets up the network and gives away the devices that the board file names', async (t) => {
  const devices = needs(readBoard('ast2600-evb'))
  t.same(devices.interface, ['eth0'])
  t.same(devices.grant.sort(), [
    '/dev/gpiochip0',
    '/dev/mtd/by-name/pnor',
    '/dev/mtd/by-name/u-boot-env',
    '/dev/ttyS0',
    '/sys/class/leds/identify/brightness',
    '/sys/class/leds/identify/trigger'
  ])
  t.ok(needs(described(t, { init: { grant: ['/dev/ttyS5'] } })).grant.includes('/dev/ttyS5'))
  const machine = structuredClone(evaluation.machine)
  machine.systems['1'].fru = '/sys/bus/i2c/devices/0-0050/eeprom'
  machine.chassis['1'].fru = machine.systems['1'].fru
  const { grant } = needs(described(t, { machine }))
  t.equal(grant.filter((file: string) => file === machine.systems['1'].fru).length, 1, 'its EEPROM is for root only')
})

/** The kernel's tree of a board that has names for two lines, and a chip for the host. */
const tree = `/dts-v1/;
/ {
  chosen { bootargs = "theirs"; };
  ahb {
    spi@1e620000 { flash@0 { partitions { old@0 { label = "old"; }; }; }; };
    spi@1e630000 { flash@0 { label = "pnor"; }; };
    apb {
      gpio@1e780000 { gpio-line-names = "", "kept", "changed"; };
      serial@1e783000 { status = "disabled"; };
      serial@1e78d000 { status = "disabled"; };
    };
  };
  aliases { serial0 = "/ahb/apb/serial@1e783000"; serial1 = "/ahb/apb/serial@1e78d000"; };
};
`

/** The tree that the kernel gets, as dtc shows it. */
function complete(t: Test, board: unknown): string {
  const folder = directory(t)
  execFileSync('dtc', ['-q', '-O', 'dtb', '-o', `${folder}/theirs.dtb`], { input: tree })
  return compile(deviceTree(`${folder}/theirs.dtb`, board), `${folder}/ours.dtb`)
}

t.test("the device tree is the kernel's with the additions of the description", { skip }, async (t) => {
  const board = described(t, { lines: { ...evaluation.lines, A2: 'ours' }, leds: { lamp: { line: 'Z7' } } })
  const whole = complete(t, board)
  t.match(whole, /bootargs = "console=ttyS4,115200n8 vmalloc=640M .*"/)
  t.match(whole, /lamp \{\s+label = "lamp";\s+gpios = <0x\w+ 0xcf 0x00>;/)
  t.match(whole, /partition@900000 \{\s+label = "rofs-a";\s+reg = <0x900000 0xf80000>;/)
  t.notMatch(whole, /old/)
  for (const name of ['kept', 'ours', 'PS_PWROK']) {
    const machine = structuredClone(evaluation.machine)
    machine.systems['1'].power = { type: 'gpio', powerButton: { name }, powerGood: { name } }
    machine.chassis['1'].indicator.led = 'lamp'
    t.doesNotThrow(() => compare({ machine }, whole), name)
  }
})

t.test(
  'a machine with a device that is not in the device tree is refused, and the device is named',
  { skip },
  async (t) => {
    const board = readBoard('ast2600-evb')
    const whole = complete(t, board)
    t.doesNotThrow(() => compare(board, whole))
    const refusal = (change: (machine: typeof evaluation.machine) => void, message: RegExp) => {
      const machine = structuredClone(board.machine)
      change(machine)
      t.throws(() => compare({ machine }, whole), message)
    }
    refusal(
      ({ systems }) => Object.assign(systems['1'].power.reset, { name: 'RESET' }),
      /systems\/1\/power: .* no GPIO line RESET$/
    )
    refusal(
      ({ systems }) => Object.assign(systems['1'].nvram, { path: '/dev/mtd/by-name/bios' }),
      /systems\/1\/nvram: .* no flash bios/
    )
    refusal(
      ({ systems }) => Object.assign(systems['1'].console, { path: '/dev/ttyS1' }),
      /systems\/1\/console: .* no serial line \/dev\/ttyS1$/
    )
    refusal(
      ({ chassis }) => Object.assign(chassis['1'].indicator, { led: 'lamp' }),
      /chassis\/1\/indicator: .* no LED lamp/
    )
  }
)

needing('the kernel of an AST2600', missingImage, async (t) => {
  await t.test('it has the devices of every board with that SoC', async (t) => {
    for (const board of names.map((name) => readBoard(name)).filter(({ arch }) => arch === description.arch))
      t.doesNotThrow(() => kernel(board, directory(t)), board.name)
  })
})
