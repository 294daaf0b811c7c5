import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { SettingsError } from '#data/configuration'
import { loadBackends } from '#hal/backends.ts'
import { readBoardFile } from '#runtime/command/board-file.ts'
import type { Infer } from '#runtime/schema'
import { openDocuments } from '#runtime/store/documents.ts'

const host = { documents: openDocuments(readFileSync('dist/documents.bin')), handlers: [], loadBackends }
const folder = mkdtempSync(join(tmpdir(), 'minnow-board-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'board.json')

/** The faults of a board with these devices. */
async function refusal({ power, nvram, indicator, sensors, port, media }: Record<string, unknown>) {
  const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
  Object.assign(board.systems['1'], power && { power }, nvram && { nvram })
  // The drives of the board are reset by simulated hosts alone.
  if (power !== undefined) board.systems['1'].storage = {}
  Object.assign(board.chassis['1'], indicator && { indicator }, sensors && { sensors })
  Object.assign(board.managers['1'].ethernetInterfaces['1'], port && { port })
  Object.assign(board.managers['1'].virtualMedia['2'], media && { media })
  writeFileSync(file, JSON.stringify(board))
  try {
    await readBoardFile(file, host)
    return undefined
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.message.replace(`board ${file}: `, '')
  }
}

t.test('every shipped board has only options of its back ends', async (t) => {
  for (const name of readdirSync('data/boards')) {
    const { board } = await readBoardFile(name.replace('.json', ''), host)
    t.equal(board.name, name.replace('.json', ''))
  }
})

t.test('declared options of back ends are accepted', async (t) => {
  const line = { name: 'POWER_OUT', activeLow: true }
  t.equal(await refusal({ power: { type: 'sim', onTime: 0, faults: { stuckOn: true, failNext: 'EIO' } } }), undefined)
  t.equal(await refusal({ power: { type: 'gpio', powerButton: line, powerGood: line, holdTime: 8000 } }), undefined)
  t.equal(await refusal({ nvram: { type: 'edk2', path: 'nvram.fd', create: '2M' } }), undefined)
  t.equal(
    await refusal({ sensors: { type: 'sim', seed: 7, faults: { stuckAt: { 1: 90 }, unreadable: [2] } } }),
    undefined
  )
})

const button = { chip: 'gpiochip0', offset: 3 }
for (const [devices, line] of [
  [{ power: { type: 'smi' } }, 'systems/1/power/type is smi, not one of sim, qemu, gpio, openbmc'],
  [{ power: { type: 'constructor' } }, 'systems/1/power/type is constructor, not one of sim, qemu, gpio, openbmc'],
  [{ power: {} }, 'systems/1/power/type is missing'],
  [{ power: { type: 'sim', onTmie: 500 } }, 'systems/1/power/onTmie is not known'],
  [{ power: { type: 'sim', led: 'identify' } }, 'systems/1/power/led is not known'],
  [{ power: { type: 'sim', name: 'power-2' } }, 'systems/1/power/name is not known'],
  [{ power: { type: 'sim', onTime: '500' } }, 'systems/1/power/onTime is not a number from 0'],
  [
    { power: { type: 'sim', faults: { failNext: 'EBAD' } } },
    'systems/1/power/faults/failNext is EBAD, not one of EBUSY, EINVAL, EIO, ETIMEDOUT, ENODEV, ENOSPC, EROFS, EACCES'
  ],
  [{ power: { type: 'sim', faults: { stuckOff: true } } }, 'systems/1/power/faults/stuckOff is not known'],
  [{ power: { type: 'qemu', memory: '512' } }, 'systems/1/power/memory is not an integer from 1'],
  [{ power: { type: 'qemu', arguments: [7] } }, 'systems/1/power/arguments/0 is not a string'],
  [{ power: { type: 'gpio', powerGood: button } }, 'systems/1/power/powerButton is missing'],
  [
    { power: { type: 'gpio', powerGood: button, powerButton: { lines: 1 } } },
    'systems/1/power/powerButton/lines is not known'
  ],
  [
    { power: { type: 'gpio', powerGood: button, powerButton: button, pressTime: 0 } },
    'systems/1/power/pressTime is 0, not an integer from 1 to 86400000'
  ],
  [{ nvram: { type: 'sim', path: 'x' } }, 'systems/1/nvram/path is not known'],
  [{ nvram: { type: 'edk2' } }, 'systems/1/nvram/path is missing'],
  [{ nvram: { type: 'edk2', path: 'x', create: '8M' } }, 'systems/1/nvram/create is 8M, not one of 4M, 2M, virt'],
  [{ indicator: { type: 'leds' } }, 'chassis/1/indicator/led is missing'],
  [{ indicator: { type: 'sim', initial: 'On' } }, 'chassis/1/indicator/initial is On, not one of Off, Lit, Blinking'],
  [
    { sensors: { type: 'hwmon', inputs: { 1: { device: 'lm75', inptu: 'temp1' } } } },
    'chassis/1/sensors/inputs/1/inptu is not known'
  ],
  [
    { port: { type: 'netdev', device: 'eth0', interval: 0.5 } },
    'managers/1/ethernetInterfaces/1/port/interval is not an integer from 1'
  ],
  [
    { port: { type: 'sim', ipv6: [{ address: 'fe80::1', prefixLength: 129, origin: 'SLAAC' }] } },
    'managers/1/ethernetInterfaces/1/port/ipv6/0/prefixLength is 129, not an integer from 0 to 128'
  ],
  [{ media: { type: 'qemu' } }, 'managers/1/virtualMedia/2/media/machine is missing']
] as const) {
  t.test(`a board with ${JSON.stringify(devices)} is refused: ${line}`, async (t) => {
    t.equal(await refusal(devices), line)
  })
}

type All = Awaited<ReturnType<typeof loadBackends>>

/** A value as JSON has it, where nothing is undefined. */
type Json<T> = T extends object ? { [K in keyof T]: Json<Exclude<T[K], undefined>> } : T

/** Of a back end: `Name` when what it declares is not what it is opened with. */
type AstrayIf<B, Name> = B extends { options: infer S; open: (told: infer T) => unknown }
  ? [Json<Infer<S>>, Exclude<keyof Infer<S>, keyof NonNullable<T>>] extends [Partial<NonNullable<T>>, never]
    ? never
    : Name
  : Name

type Astray = {
  [D in keyof All]: {
    [N in keyof All[D]]-?: AstrayIf<NonNullable<All[D][N]>, `${D} ${N & string}`>
  }[keyof All[D]]
}[keyof All]

t.test('back ends accept the options that they declare, with the declared types', async (t) => {
  // The compiler says so.
  const none: [Astray] extends [never] ? true : Astray = true
  t.ok(none)
})
