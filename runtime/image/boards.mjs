/** The boards that there are images for, each described by a JSON file here. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

/**
 * Sizes and offsets are bytes.
 *
 * @typedef {object} Board
 * @property {string} name
 * @property {string} arch
 * @property {{ package: string, deviceTree: string, load: string, modules: string[] }} kernel Debian's package, the file
 *   of the device tree in it, the address it is put at, and the modules that the board needs
 * @property {{ package: string, configuration: string, file: string }} bootloader Debian's source package, the target of
 *   make that configures it, and the one that builds it
 * @property {Flash & FlashPlace} flash of the controller
 * @property {{ size: number, layout: string }} hostFlash of the host, with the layout of its UEFI variable store
 * @property {Budget} [budget]
 * @property {InitSettings} init
 * @property {ServiceSettings} service
 * @property {{ command: string, arguments: string[] }} emulator QEMU
 */

/** @typedef {{ size: number, partitions: { name: string, offset: number, size: number }[] }} Flash */
/**
 * Where the boot loader reads the flash, its node in the device tree, and where in `u-boot-env` the two copies of the
 * boot loader's environment are.
 *
 * @typedef {{ address: string, node: string, environment: { copies: [number, number], size: number } }} FlashPlace
 */
/** @typedef {{ besidesKernel: number, whole: number }} Budget the most that may be in the flash */
/**
 * Lines of init.conf, for the init process; `grant` are the files of devices that the service may use.
 *
 * @typedef {Record<string, string | number | string[]> & { port: number, grant: string[] }} InitSettings
 */
/** @typedef {Record<string, unknown> & { port: number, data: string }} ServiceSettings configuration of the service */

/**
 * @param {string} name
 * @returns {Board}
 */
export function readBoard(name) {
  const path = join(here, `${name}.json`)
  if (!/^[\w-]+$/.test(name) || !existsSync(path)) throw new Error(`there is no image for a board ${name}`)
  return JSON.parse(readFileSync(path, 'utf8'))
}
