import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { BoardSystem } from '#data/board'
import openbmc from '#data/boards/openbmc.json' with { type: 'json' }
import sim from '#data/boards/sim.json' with { type: 'json' }
import { systemWithoutVariables } from '#test/data/board/without-variables.ts'
import { onBus } from './start.mjs'

/**
 * The simulated server without its drives and variables, and with what OpenBMC's daemons own: power, BIOS, boot override,
 * power cap, POST codes, console, watchdog,
 * dumps, event log, firmware, lamp and sensors.
 */
export function openbmcBoard(socket: string) {
  const [system, chassis] = [systemWithoutVariables(sim.systems[1] as BoardSystem), sim.chassis[1]]
  const manager = sim.managers[1]
  const objects = ['temperature/Inlet', 'temperature/CPU0', 'temperature/CPU1']
  const inputs = {
    ...Object.fromEntries(objects.map((object, index) => [chassis.temperatures[index]?.number, { object }])),
    ...Object.fromEntries(
      chassis.fans.map(({ number }, index) => [number, { object: `fan_tach/Fan${index}`, most: 16_000 }])
    ),
    ...Object.fromEntries(
      chassis.powerSupplies.map(({ output }, index) => [output.number, { object: `power/PSU${index}_Input_Power` }])
    )
  }
  return {
    ...sim,
    managers: {
      ...sim.managers,
      1: { ...manager, firmware: { type: 'openbmc', socket }, dumps: { type: 'openbmc', socket } }
    },
    systems: {
      ...sim.systems,
      1: {
        ...system,
        storage: {},
        power: { type: 'openbmc', socket },
        attributeRegistry: 'BiosAttributeRegistryOpenbmc.v1_2_0',
        bios: { type: 'openbmc', socket },
        bootOverride: { type: 'openbmc', socket },
        postCodes: { type: 'openbmc', socket },
        console: { type: 'openbmc', socket },
        watchdog: { type: 'openbmc', socket },
        dumps: { type: 'openbmc', socket, object: 'system' },
        eventLog: { type: 'openbmc', socket },
        firmware: { type: 'openbmc', purpose: 'Host', socket }
      }
    },
    chassis: {
      ...sim.chassis,
      1: {
        ...chassis,
        powerLimit: { type: 'openbmc', socket },
        indicator: { type: 'openbmc', socket, groups: { lit: 'enclosure_identify' } },
        sensors: { type: 'openbmc', socket, inputs }
      }
    }
  }
}

/**
 * The board `openbmc` on a bus of its own.
 *
 * @param inventory options of its device
 * @param passwords the socket of the helper that asks PAM; without it, users are those of the service
 */
export function ownBoard(socket: string, inventory: object = {}, passwords?: string) {
  const board = onBus({ ...openbmc, inventory: { ...openbmc.inventory, ...inventory } }, socket)
  if (passwords !== undefined) board.managers.bmc.users = { type: 'openbmc', socket, passwords }
  return board
}

/** The policy of the bus of `deploy/openbmc`, for the user who runs the tests. */
export function policy(): string {
  const [policy = ''] = /<policy [\s\S]*<\/policy>/.exec(readFileSync('deploy/openbmc/minnow.conf', 'utf8')) ?? []
  return policy.replace('"minnow"', `"${userInfo().username}"`)
}
