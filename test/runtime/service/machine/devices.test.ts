import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { SettingsError } from '#data/configuration'
import { HalError } from '#hal/errors.ts'
import { Log } from '#runtime/base/log.ts'
import { type Backends, openInventory, startsPrograms } from '#runtime/service/machine/devices.ts'

const board = { ...sim, inventory: { type: 'bus', socket: '/run/bus' } } as unknown as Board

/** Opens the inventory of the board on a back end of the type `bus`, and keeps it. */
function open(inventory: (args: { warn: (text: string) => void }) => unknown, of = board) {
  const log = new Log(1000)
  const kept: unknown[] = []
  const keep = <T>(opened: T) => {
    kept.push(opened)
    return opened
  }
  const backends = { inventory: { bus: { open: inventory } } } as unknown as Backends
  return { opened: openInventory(of, backends, { log }, keep), kept, lines: log.recent }
}

t.test('a device is opened with the options of its board, and kept', async (t) => {
  const { opened, kept, lines } = open(({ warn, ...args }) => {
    warn('the bus is slow')
    return args
  })
  t.same(opened, { socket: '/run/bus', name: `inventory-${board.name}`, directory: '' })
  t.same(kept, [opened])
  t.match(lines, [/"warning".*the bus is slow/])
  const { inventory: _, ...without } = board
  t.equal(open(() => t.fail('not named'), without as Board).opened, undefined)
})

t.test('a back end that the host does not have, or that refuses its options, is a fault of the settings', async (t) => {
  const refuse = (error: Error) => () =>
    open(() => {
      throw error
    })
  const other = { ...board, inventory: { type: 'tape' } } as unknown as Board
  t.throws(() => open(() => undefined, other), new SettingsError('board sim: there is no back end tape for inventory'))
  t.throws(refuse(new HalError('EINVAL', 'no such socket')), new SettingsError('board sim: no such socket'))
  t.throws(refuse(new TypeError('a bug')), new TypeError('a bug'))
})

t.test('a board starts programs if its power says so', async (t) => {
  const withPower = (power: object) => ({ power: { sim: power } }) as unknown as Backends
  t.equal(startsPrograms(board, withPower({ startsPrograms: true })), true)
  for (const power of [{}, { startsPrograms: false }]) t.equal(startsPrograms(board, withPower(power)), false)
})
