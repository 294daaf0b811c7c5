/**
 * The machine as the service has it: its board file, and what that means for the image around it. Its devices are compared
 * with the device tree that the kernel gets, so that a board with a wrong name is not built.
 */
/** @import { Board } from './boards.mjs' */
import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { lmsPublicKey } from '../../runtime/build/lms.mjs'

/** @typedef {Readonly<Record<string, any> & { type: string }>} Device with the options of its back end */
/**
 * Of a board file (`data/board/board.ts`) as much as the image needs to know.
 *
 * @typedef {object} Machine
 * @property {Record<string, { power: Device, nvram?: Device, console?: Device, firmware?: Device, fru?: string }>} systems
 * @property {Record<string, { indicator: Device, fru?: string }>} chassis
 * @property {Record<string, { firmware?: Device, ethernetInterfaces: Record<string, { port: Device }> }>} managers
 */

/** Where the board file is in the image. */
export const machinePath = '/etc/minnow/board.json'

/**
 * The board file: the service takes updates that are signed with the maker's key, and of the controller none that is older
 * than the maker's minimum, unless the board names others.
 *
 * @param {Board} board
 * @param {string} key file: the key that signs updates
 * @param {string} [minimum] version
 * @param {string} [lmsKey] file: the key of a second signature
 */
export function boardFile({ name, machine }, key, minimum, lmsKey) {
  const { kty, crv, x } = createPublicKey({ key: JSON.parse(readFileSync(key, 'utf8')), format: 'jwk' }).export({
    format: 'jwk'
  })
  const floor = minimum !== undefined && { minimumVersion: minimum }
  const managers = Object.entries(machine.managers).map(([id, manager]) => [id, { ...floor, ...manager }])
  const second = lmsKey !== undefined && { updateKeyLms: lmsPublicKey(lmsKey) }
  return { name, updateKey: { kty, crv, x }, ...second, ...machine, managers: Object.fromEntries(managers) }
}

/**
 * The devices of a machine with the places that they have in its board file.
 *
 * @param {Machine} machine
 * @returns {[place: string, device: Device][]}
 */
function devices({ systems, chassis, managers }) {
  return [
    ...Object.entries({ systems, chassis, managers }).flatMap(([kind, all]) =>
      Object.entries(all).flatMap(([id, members]) =>
        Object.entries(members)
          .filter(([, device]) => typeof device?.type === 'string')
          .map(([name, device]) => /** @type {[string, Device]} */ ([`${kind}/${id}/${name}`, device]))
      )
    ),
    ...Object.entries(managers).flatMap(([id, { ethernetInterfaces }]) =>
      Object.entries(ethernetInterfaces).map(
        ([port, { port: device }]) =>
          /** @type {[string, Device]} */ ([`managers/${id}/ethernetInterfaces/${port}/port`, device])
      )
    )
  ]
}

/**
 * The network devices that the init process sets up for the service, and the files of devices that it gives it.
 *
 * @param {Board} board
 * @returns {{ interface: string[], grant: string[] }}
 */
export function needs({ machine, gpio, init }) {
  const all = devices(machine).map(([, device]) => device)
  const eeproms = [...Object.values(machine.systems), ...Object.values(machine.chassis)].flatMap(({ fru }) => fru ?? [])
  /** @type {Record<string, (device: Device) => string[]>} */
  const files = {
    gpio: () => [gpio.device],
    edk2: ({ path }) => [path],
    flash: ({ path }) => [path],
    tty: ({ path }) => [path],
    uboot: () => ['/dev/mtd/by-name/u-boot-env'],
    leds: ({ led }) => ['brightness', 'trigger'].map((file) => `/sys/class/leds/${led}/${file}`)
  }
  return {
    interface: all.filter(({ type }) => type === 'netdev').map(({ device }) => device),
    grant: [
      ...new Set([...all.flatMap((device) => files[device.type]?.(device) ?? []), ...eeproms, ...(init.grant ?? [])])
    ]
  }
}

/**
 * @param {Board} board
 * @param {string} tree source of the device tree that the kernel gets
 * @throws {Error} naming the first device that the tree does not have
 */
export function compare({ machine, init = {} }, tree) {
  const lines = new Set([...tree.matchAll(/gpio-line-names = ([^;]+);/g)].flatMap(([, names = '']) => strings(names)))
  const labels = new Set([...tree.matchAll(/\blabel = ([^;]+);/g)].flatMap(([, names = '']) => strings(names)))
  const nodes = new Set([...tree.matchAll(/([\w,.+-]+) \{/g)].map(([, name = '']) => name))
  const serials = serialLines(tree)
  const { 'reset-line': resetLine } = init
  if (resetLine !== undefined && !lines.has(String(resetLine)))
    throw new Error(`init: the device tree has no GPIO line ${resetLine}`)
  for (const [place, device] of devices(machine)) {
    const { type, led } = device
    const refuse = (/** @type {string} */ what) => new Error(`${place}: the device tree has no ${what}`)
    if (type === 'leds' && !labels.has(led) && !nodes.has(led)) throw refuse(`LED ${led}`)
    for (const { name } of type === 'gpio' ? Object.values(device) : [])
      if (name !== undefined && !lines.has(name)) throw refuse(`GPIO line ${name}`)
    const [, serial] = /^\/dev\/ttyS(\d+)$/.exec(device.path) ?? []
    if (serial !== undefined && !serials.has(`serial${serial}`)) throw refuse(`serial line ${device.path}`)
    const [, partition] = /^\/dev\/mtd\/by-name\/(.+)/.exec(device.path) ?? []
    if (partition !== undefined && !labels.has(partition)) throw refuse(`flash ${partition}`)
  }
}

/**
 * The aliases of UARTs that are not disabled: the kernel names its serial lines after them.
 *
 * @param {string} tree source
 */
function serialLines(tree) {
  const aliases = [...tree.matchAll(/\b(serial\d+) = "[^"]*\/([^"/]+)";/g)]
  const disabled = new Set(
    [...tree.matchAll(/(serial@[\da-f]+) \{[^{}]*\bstatus = "disabled"/g)].map(([, node]) => node)
  )
  return new Set(aliases.filter(([, , node]) => !disabled.has(node)).map(([, alias]) => alias))
}

/**
 * The strings of a property, as dtc writes them: it takes those that are mostly empty for bytes, or for cells.
 *
 * @param {string} value
 */
function strings(value) {
  const width = { '[': 2, '<': 8 }[value.charAt(0)]
  if (width === undefined) return [...value.matchAll(/"([^"]*)"/g)].flatMap(([, text = '']) => text.split('\\0'))
  const digits = [...value.matchAll(/(?:0x)?([\da-f]+)/g)].map(([, number = '']) => number.padStart(width, '0'))
  return Buffer.from(digits.join(''), 'hex').toString().split('\0')
}
