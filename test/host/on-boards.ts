import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { updateFile } from '#runtime/build/update-file.mjs'
import { missingOpenbmc } from '#test/openbmc/missing.ts'
import { needing, onBothHosts, onEveryHost } from './every-host.ts'
import type { Host } from './hosts.ts'
import { type Options, type Server, start } from './server.ts'

/** A kind of machine, and the host that the service runs on. */
export interface Board {
  readonly host: Host
  /**
   * Runs the service until the test ends: with a new machine, or with the one that the same `data` had before. Its first
   * administrator is `admin`, with the password of these tests.
   */
  start(t: Test, options?: Options): Promise<Server>
  /** The service after the reset of the controller that a client has asked it for. */
  restarted(t: Test, server: Server): Promise<Server>
  /** A file with firmware of the controller, and the version that it brings. */
  firmware(text: string, isDamaged?: boolean): { readonly file: Uint8Array; readonly version: string }
}

type Suite = (t: Test, board: Board) => Promise<void>

/**
 * Runs the same tests on the simulated board, which keeps most state in tables, and on OpenBMC, which keeps it on the
 * bus: a client sees no difference. Both run on Node.js and in the binary.
 */
export const onBoards = (run: Suite) => onBothHosts(each(run))

/** As {@link onBoards}, and on the emulated processor with the simulated board. */
export const onEveryHostAndBoard = (run: Suite) => onEveryHost(each(run))

const each = (run: Suite) => async (t: Test, host: Host) => {
  await t.test('the simulated board', (t) => run(t, simulated(host)))
  if (host.slowness === 1) needing('OpenBMC', missingOpenbmc(), (t) => run(t, openbmc(host)), t)
}

function simulated(host: Host): Board {
  return {
    host,
    start: (t, options) => start(t, host, options),
    restarted: async (_, server) => server,
    firmware(version, isDamaged = false) {
      const kernel = new Uint8Array(100_000).fill(7)
      const file = updateFile(sim.updateKey, { board: 'sim', component: 'controller', version }, { kernel })
      return { version, file: isDamaged ? file.fill(8, file.length - 1) : file }
    }
  }
}

function openbmc(host: Host): Board {
  /** Board files, by the data directory of a service with that machine. */
  const boards = new Map<string, string>()
  return {
    host,
    // The daemon takes what does not begin with `bad`, and names its version after its content.
    firmware(text, isDamaged = false) {
      const file = Buffer.from(isDamaged ? `bad ${text}` : text)
      return { file, version: createHash('sha256').update(file).digest('hex').slice(0, 12) }
    },
    async restarted(t, server) {
      await server.process.ended
      return this.start(t, { data: server.data })
    },
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
