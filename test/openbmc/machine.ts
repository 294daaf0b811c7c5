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
export const rootPassword = 'Tin-Whistle-7'

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

/**
 * Arguments of `busctl`: a service, a path, an interface, a member, and for some a type with values. Names are without the
 * prefix of OpenBMC; so are values that begin with a dot.
 */
const request = (does: string, [service, path, name, ...more]: readonly string[]) => [
  ...[does, `xyz.openbmc_project.${service}`, `/xyz/openbmc_project/${path}`, `xyz.openbmc_project.${name}`],
  ...more.map((each) => each.replace(/^\./, 'xyz.openbmc_project.'))
]

/** To set a property on the bus. */
export const set = (...names: readonly string[]) => request('set-property', names)

/** To call a method. */
export const call = (...names: readonly string[]) => request('call', names)

/** Of calls by `busctl`: a user, firmware that does not run, and the pending settings of the BIOS. */
export const ann = ['User.Manager', 'user/ann', 'User.Attributes'] as const
export const other = 'software/f663879b'
export const bios = [
  'BIOSConfigManager',
  'bios_config/manager',
  'BIOSConfig.Manager',
  'PendingAttributes',
  'a{s(sv)}'
] as const
