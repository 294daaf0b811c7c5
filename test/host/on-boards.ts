import type { Test } from 'tap'
import { missingOpenbmc } from '#test/openbmc/missing.ts'
import { needing, onBothHosts, onEveryHost } from './every-host.ts'
import type { Host } from './hosts.ts'
import { type Options, type Server, start } from './server.ts'

/** A kind of machine, and the host that the service runs on. */
interface Board {
  readonly host: Host
  /**
   * Runs the service until the test ends: with a new machine, or with the one that the same `data` had before. Its first
   * administrator is `admin`, with the password of these tests.
   */
  start(t: Test, options?: Options): Promise<Server>
}

type Suite = (t: Test, board: Board) => Promise<void>

/**
 * Runs the same tests on the simulated board, where most state is in tables, and on OpenBMC, where it is on the bus: a
 * client sees no difference. Both on Node.js and in the binary.
 *
 * @param seconds how long a host may take for all of it with one of the boards
 */
export const onBoards = (run: Suite, seconds = 60) => onBothHosts(each(run), 2 * seconds)

/** As {@link onBoards}, and on the emulated processor with the simulated board. */
export const onEveryHostAndBoard = (run: Suite, seconds = 60) => onEveryHost(each(run), 2 * seconds)

const each = (run: Suite) => async (t: Test, host: Host) => {
  await t.test('the simulated board', (t) => run(t, { host, start: (t, options) => start(t, host, options) }))
  if (host.slowness === 1) needing('OpenBMC', missingOpenbmc(), (t) => run(t, openbmc(host)), t)
}

function openbmc(host: Host): Board {
  /** Board files, by the data directory of a service with that machine. */
  const boards = new Map<string, string>()
  return {
    host,
    async start(t, options = {}) {
      // Whoever lacks what it needs has the other board.
      const { openbmcMachine } = await import('#test/openbmc/machine.ts')
      const board = boards.get(options.data ?? '') ?? (await openbmcMachine(t)).board
      const server = await start(t, host, { ...options, args: ['--board', board] })
      boards.set(server.data, board)
      await server.until(
        () => server.get('/redfish/v1/Systems/system/'),
        ({ json }) => json.PowerState !== null && json.Bios !== undefined
      )
      return server
    }
  }
}
