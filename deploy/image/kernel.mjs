/** The kernel for the image: the kernel itself, the modules that a board needs, and its device tree. */
/** @import { Board } from './boards.mjs' */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { unpacked } from '../../runtime/build/debian.mjs'
import { architecture } from '../../runtime/build/sysroot.mjs'
import { compile, deviceTree } from './device-tree.mjs'
import { linux } from './linux.mjs'
import { compare } from './machine.mjs'

/**
 * The folder of the kernel: of Debian's package, or where the board has options for a kernel of one that is built.
 *
 * @param {Board} board
 */
export function kernelPackage(board) {
  const { arch, kernel } = board
  if (kernel.options !== undefined) return linux(board)
  const { debian } = architecture(arch)
  return unpacked(`kernel-${arch}`, debian, [`?reverse-depends(?exact-name(${kernel.package}))`])
}

/**
 * @param {Board} board
 * @param {string} work folder
 * @returns paths; the modules in an order in which they load
 * @throws {Error} if the board names something that the kernel lacks
 */
export function kernel(board, work) {
  const folder = kernelPackage(board)
  const image = only(join(folder, 'boot'), /^vmlinuz-/)
  const trees = only(join(folder, 'usr/lib'), /^linux-image-/)
  const tree = join(work, 'board.dtb')
  compare(board, compile(deviceTree(join(trees, board.kernel.deviceTree), board), tree))
  return {
    image,
    modules: inOrder(board.kernel.modules ?? [], modulesIn(folder)),
    deviceTree: tree
  }
}

/**
 * The only file of a folder with such a name.
 *
 * @param {string} folder
 * @param {RegExp} pattern
 */
function only(folder, pattern) {
  const [name, ...others] = readdirSync(folder).filter((name) => pattern.test(name))
  if (name === undefined || others.length > 0) throw new Error(`${folder} has no file like ${pattern}, or several`)
  return join(folder, name)
}

/**
 * The kernel takes `-` and `_` in the names of modules for the same.
 *
 * @param {string} module
 */
const normalised = (module) => module.replaceAll('-', '_')

/** @param {string} folder */
function modulesIn(folder) {
  const root = join(folder, 'usr/lib')
  const files = readdirSync(root, { encoding: 'utf8', recursive: true }).filter((file) => file.endsWith('.ko.xz'))
  return new Map(files.map((file) => [normalised(basename(file, '.ko.xz')), join(root, file)]))
}

/**
 * Modules follow the modules that they depend on.
 *
 * @param {readonly string[]} wanted
 * @param {ReadonlyMap<string, string>} files by module
 * @returns {string[]} files
 */
function inOrder(wanted, files) {
  const order = new Set()
  const add = (/** @type {string} */ module) => {
    const file = files.get(normalised(module))
    if (file === undefined) throw new Error(`the kernel has no module ${module}`)
    const needs = execFileSync('modinfo', ['-F', 'depends', file], { encoding: 'utf8' }).trim()
    for (const needed of needs.split(',').filter(Boolean)) add(needed)
    order.add(file)
  }
  wanted.forEach(add)
  return [...order]
}
