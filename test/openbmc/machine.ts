import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { TestBus } from '#test/hal/dbus/buses.ts'
import type { Host } from '#test/host/hosts.ts'
import { directory, password, start } from '#test/host/server.ts'
import { ownBoard } from './board.ts'
import { pamSocket, pamWith } from './pam.ts'
import { OpenbmcSimulator } from './simulator.ts'

const users = '/xyz/openbmc_project/user'

/** Users whose password the machine keeps, once they have one. */
const people = ['ann', 'ann0', 'ann1', 'ann2', 'ben', 'bob', 'cal', 'dan', 'eve', 'operator', 'reader']

/**
 * A simulated machine with OpenBMC. Its administrator is `admin`, with the password of these tests. Needs what
 * `missingOpenbmc` looks for.
 *
 * @param policy what the service may call on the bus; everything without one
 * @returns its bus and its daemons, and the file of the board `openbmc` for it: users are those of the bus, and their
 *   passwords those of a PAM of its own
 */
export async function openbmcMachine(t: Test, policy?: string) {
  const bus = await TestBus.start(t, 'dbus-daemon', policy)
  const daemons = await OpenbmcSimulator.start(t, bus)
  for (const each of ['root', 'observer']) await daemons.remove(`${users}/${each}`, 'User.Attributes', 'Object.Delete')
  const attributes = { UserPrivilege: 'priv-admin', UserGroups: ['redfish'], UserEnabled: true }
  await daemons.add('User.Manager', `${users}/admin`, { 'User.Attributes': attributes, 'Object.Delete': {} })
  const pam = pamWith(t, [`admin:${password}:valid`, ...people.map((name) => `${name}:none:valid`)])
  const passwords = await pamSocket(t, pam.command)
  const board = join(directory(t), 'board.json')
  writeFileSync(board, JSON.stringify(ownBoard(bus.socket, { settleTime: 300 }, passwords)))
  return { bus, daemons, board }
}

/** The same, with a service in front of it. */
export async function servedMachine(t: Test, host: Host, policy?: string) {
  const { bus, daemons, board } = await openbmcMachine(t, policy)
  const server = await start(t, host, { args: ['--board', board], configuration: { sensors: { interval: 1 } } })
  await server.until(
    () => server.get('/redfish/v1/Systems/system/'),
    ({ json }) => json.PowerState === 'On' && json.Bios !== undefined
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
