import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { TestBus } from '#test/hal/dbus/buses.ts'
import type { Host } from '#test/host/hosts.ts'
import { basic, directory, start } from '#test/host/server.ts'
import { ownBoard } from './board.ts'
import { pamSocket, pamWith } from './pam.ts'
import { OpenbmcSimulator } from './simulator.ts'

/** The password of `root`, an administrator. */
const rootPassword = 'Tin-Whistle-7'

export const root = basic('root', rootPassword)

/**
 * A simulated machine with OpenBMC, and the service with the board `openbmc`: users are those of the bus, and their
 * passwords those of a PAM of its own. Needs PAM (`missingPam`).
 *
 * @param policy what the service may call on the bus; everything without one
 */
export async function openbmcMachine(t: Test, host: Host, policy?: string) {
  const bus = await TestBus.start(t, 'dbus-daemon', policy)
  const daemons = await OpenbmcSimulator.start(t, bus)
  const pam = pamWith(t, [`root:${rootPassword}:valid`, 'ann:none:valid', 'ben:none:valid'])
  const passwords = await pamSocket(t, pam.command)
  const file = join(directory(t), 'board.json')
  writeFileSync(file, JSON.stringify(ownBoard(bus.socket, { settleTime: 300 }, passwords)))
  const server = await start(t, host, { args: ['--board', file], configuration: { sensors: { interval: 1 } } })
  await server.until(
    () => server.get('/redfish/v1/Systems/system/', root),
    ({ status, json }) => status === 200 && json.PowerState === 'On' && json.Bios !== undefined
  )
  return { bus, daemons, server }
}
