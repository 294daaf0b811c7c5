/** The read-only root file system: the service, its configuration, and the places where others are mounted. */
/** @import { InitSettings } from './boards.mjs' */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sourceDate } from '../../runtime/build/source-date.mjs'
import { machinePath } from './machine.mjs'

/** The number of the user, and of his group, that the service runs as. No other process is his. */
const user = 1000
/** The same for the process that talks to servers of DHCP and of time. */
const networkUser = 1001
const mountPoints = ['dev', 'proc', 'sys', 'run', 'var']

/**
 * Makes the squashfs: the same for the same files, with the time of source-date.mjs. The init process sets the clock to
 * that unless the board knows a later one.
 *
 * @param {object} options
 * @param {Readonly<Record<string, string>>} options.files paths in the image, and of what is put there: programs, and
 *   folders
 * @param {Partial<InitSettings>} options.init if it names an interface also its `address`: `dhcp`, or one of IPv4, with
 *   `netmask` and `gateway`. So it is until the service sets it up
 * @param {object} options.service configuration of the service
 * @param {object} options.machine board file of the service
 * @param {string | undefined} options.password of the first administrator; without it, the service generates one and
 *   shows it on the console
 * @param {string} options.work folder
 * @param {string} options.out file
 */
export function rootFileSystem({ files, init, service, machine, password, work, out }) {
  const root = join(work, 'root')
  for (const name of mountPoints) mkdirSync(join(root, name), { recursive: true })
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    cpSync(source, join(root, path), { recursive: true, dereference: true })
    if (statSync(source).isFile()) chmodSync(join(root, path), 0o755)
  }
  const etc = join(root, 'etc/minnow')
  mkdirSync(etc, { recursive: true })
  // The init process reads the port of the service and the requested time there.
  const configuration = { ...service, portFile: '/run/minnow/port', clockFile: '/run/minnow/clock' }
  writeFileSync(join(etc, 'minnow.json'), `${JSON.stringify(configuration, undefined, 2)}\n`)
  writeFileSync(join(root, machinePath), `${JSON.stringify(machine)}\n`)
  const { address, netmask, gateway, ...settings } = init
  mkdirSync(join(etc, 'network'))
  for (const device of [init.interface ?? []].flat())
    writeFileSync(join(etc, 'network', String(device)), portDefaults({ address, netmask, gateway }))
  // Whoever resolves names looks there; init writes it.
  symlinkSync('/run/network/resolv.conf', join(root, 'etc/resolv.conf'))
  const lines = Object.entries({ user, 'network-user': networkUser, ...settings }).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name} ${each}\n`)
  )
  writeFileSync(join(etc, 'init.conf'), lines.join(''))
  const packing = ['-comp', 'xz', '-b', '256K', '-noappend', '-no-xattrs', '-no-progress', '-quiet']
  // All is root's. The service is not root: everybody may read it, but the password.
  packing.push('-action', 'guid(0,0)@true', '-action', 'chmod(go=rX)@true')
  if (password) {
    writeFileSync(join(etc, 'password'), password)
    packing.push('-p', `etc/minnow/password m 440 0 ${user}`)
  }
  // mksquashfs gives that time to all that is newer, which everything is.
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(sourceDate()) }
  execFileSync('mksquashfs', [root, out, ...packing], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  return out
}

/**
 * A file of settings of a port: see `init/port_settings.h`.
 *
 * @param {{ address?: unknown, netmask?: unknown, gateway?: unknown }} init
 */
function portDefaults({ address = 'dhcp', netmask = '255.255.255.0', gateway }) {
  const ones = String(netmask)
    .split('.')
    .map((byte) => Number(byte).toString(2).replaceAll('0', '').length)
    .reduce((sum, count) => sum + count)
  const way = address === 'dhcp' ? ['dhcp dns domain gateway ntp'] : [`address ${address}/${ones}`]
  if (gateway !== undefined) way.push(`gateway ${gateway}`)
  return ['enabled 1', 'mtu 1500', 'slaac 1', 'dhcp6 dns domain ntp', 'hostname minnow', ...way, ''].join('\n')
}
