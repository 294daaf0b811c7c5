/**
 * The boards that there are images for. One JSON file describes a board; what all boards with its SoC have in common is
 * in `socs`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

/**
 * Sizes and offsets are bytes.
 *
 * @typedef {object} Board
 * @property {string} name
 * @property {string} arch
 * @property {Kernel} kernel
 * @property {Bootloader} [bootloader] without one there is one slot, and the emulator starts the kernel itself
 * @property {Flash & FlashPlace} flash of the controller
 * @property {{ node: string, count: number, device: string }} gpio the controller of the lines: its node in the device
 *   tree, how many lines it has, and its file
 * @property {string[]} [enable] nodes of the device tree that the kernel's own has disabled
 * @property {Record<string, string>} [lines] names of lines by their pins, such as `N2`; they go over the kernel's own
 * @property {Record<string, { line: string, activeLow?: boolean }>} [leds] by their names, where the kernel's tree has
 *   none
 * @property {{ size: number, layout: string }} [hostFlash] of the host, with the layout of its UEFI variable store
 * @property {Budget} [budget]
 * @property {InitSettings} init
 * @property {ServiceSettings} service
 * @property {Machine} machine the board file of the service, but its name
 * @property {{ command: string, arguments: string[] }} emulator QEMU
 */

/**
 * The file of the kernel's device tree, the address that the kernel is put at, its console and the other arguments of its
 * command line, and the options of its Kconfig that the board needs besides those of every board.
 *
 * @typedef {object} Kernel
 * @property {string} deviceTree
 * @property {string} load
 * @property {string} console
 * @property {string} arguments
 * @property {string[]} options
 */
/**
 * @typedef {object} Bootloader
 * @property {string} package Debian's source package
 * @property {string} configuration target of make
 * @property {string} file target of make
 * @property {string} flashController its label in the boot loader's device tree
 * @property {string[]} [disabled] labels there of devices that the boot loader must not use: of the watchdogs of an
 *   AST2500 it would start three, and Linux knows one
 * @property {string} [before] command that it runs before it starts the kernel. On an AST2500 it opens the SCU, which
 *   U-Boot leaves locked, and whose pins Linux sets. The second core of an AST2600 waits until the SMP mailbox of the
 *   SCU is said to be ready (the first word). QEMU starts it so late that its own start takes the word back that the
 *   first core wrote; on hardware this writes the present value
 */
/** @typedef {Board & { bootloader: Bootloader }} LoadedBoard one with a boot loader */
/** @typedef {{ size: number, partitions: { name: string, offset: number, size: number }[] }} Flash */
/**
 * The address at which the boot loader reads the flash, its node in the device tree, and, with a boot loader, the
 * positions of the two copies of its environment in `u-boot-env`.
 *
 * @typedef {{ address: string, node: string, environment: { copies: [number, number], size: number } }} FlashPlace
 */
/** @typedef {{ besidesKernel: number, whole: number }} Budget the most that may be in the flash */
/**
 * Lines of init.conf, for the init process. `grant` are files of devices that the service may use besides those that
 * its back ends need.
 *
 * @typedef {Record<string, string | number | string[]> & { grant?: string[] }} InitSettings
 */
/** @typedef {Record<string, unknown> & { port: number, data: string }} ServiceSettings configuration of the service */
/** @typedef {import('./machine.mjs').Machine} Machine */

/**
 * @param {string} nameOrFile in `boards`, or a path
 * @returns {Board}
 * @throws {Error} if it does not exist or lacks something
 */
export function readBoard(nameOrFile) {
  const path = /^[\w-]+$/.test(nameOrFile) ? join(here, 'boards', `${nameOrFile}.json`) : nameOrFile
  if (!existsSync(path)) throw new Error(`there is no image for a board ${nameOrFile}`)
  const { soc, ...board } = JSON.parse(readFileSync(path, 'utf8'))
  const shared = join(here, 'socs', `${basename(String(soc))}.json`)
  if (!existsSync(shared)) throw new Error(`${nameOrFile}: there is no image for a SoC ${soc}`)
  const whole = completed(JSON.parse(readFileSync(shared, 'utf8')), board)
  for (const member of ['name', 'kernel/deviceTree', 'kernel/console', 'flash/size', 'machine', 'emulator'])
    if (at(whole, member) === undefined) throw new Error(`${nameOrFile}: ${member} is missing`)
  if (!/^[\w-]+$/.test(whole.name)) throw new Error(`${nameOrFile}: ${whole.name} is not a board name`)
  const end = Math.max(...whole.flash.partitions.map((/** @type {Flash['partitions'][0]} */ p) => p.offset + p.size))
  if (end > whole.flash.size) throw new Error(`${nameOrFile}: the partitions need ${end} bytes of flash`)
  return whole
}

/**
 * A board's members go over those of its SoC, one by one; its options of the kernel are added.
 *
 * @param {any} shared
 * @param {any} own
 * @returns {any}
 */
function completed(shared, own) {
  const isObject = (/** @type {unknown} */ value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(shared) || !isObject(own)) return own
  const members = Object.entries(own).map(([name, value]) => [
    name,
    name === 'options' ? [...(shared[name] ?? []), ...value] : completed(shared[name], value)
  ])
  return { ...shared, ...Object.fromEntries(members) }
}

/**
 * @param {any} value
 * @param {string} path members with slashes between them
 */
function at(value, path) {
  return path.split('/').reduce((within, name) => within?.[name], value)
}
