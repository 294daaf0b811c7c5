/** Debian's kernel for the image: the kernel itself, the modules that a board needs, and its device tree. */
/** @import { Board } from './boards.mjs' */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unpacked } from '../build/debian.mjs'
import { architecture } from '../build/sysroot.mjs'

const here = dirname(fileURLToPath(import.meta.url))

/**
 * @param {Board} board
 * @param {string} work folder
 * @returns paths; the modules in an order in which they load
 */
export function kernel({ name, arch, flash, kernel: { package: metapackage, deviceTree, modules } }, work) {
  const { debian } = architecture(arch)
  const folder = unpacked(`kernel-${arch}`, debian, [`?reverse-depends(?exact-name(${metapackage}))`])
  const image = only(join(folder, 'boot'), /^vmlinuz-/)
  const trees = only(join(folder, 'usr/lib'), /^linux-image-/)
  return {
    image,
    modules: inOrder(modules, modulesIn(folder)),
    deviceTree: completed(
      join(trees, deviceTree),
      readFileSync(join(here, `${name}.dts`), 'utf8') + partitionNodes(flash),
      join(work, 'board.dtb')
    )
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
  const root = join(folder, 'usr/lib/modules')
  const files = readdirSync(root, { encoding: 'utf8', recursive: true }).filter((file) => file.endsWith('.ko.xz'))
  return new Map(files.map((file) => [normalised(basename(file, '.ko.xz')), join(root, file)]))
}

/**
 * A module comes after those that it depends on.
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

/**
 * The partitions of a chip in place of those that the kernel's tree has for it.
 *
 * @param {Board['flash']} flash
 * @returns the source of additions to a device tree
 */
export function partitionNodes({ node, partitions }) {
  const nodes = partitions.map(
    ({ name, offset, size }) => `
    partition@${offset.toString(16)} {
      label = "${name}";
      reg = <0x${offset.toString(16)} 0x${size.toString(16)}>;
    };`
  )
  return `
&{${node}} {
  /delete-node/ partitions;
};

&{${node}} {
  partitions {
    compatible = "fixed-partitions";
    #address-cells = <1>;
    #size-cells = <1>;${nodes.join('')}
  };
};
`
}

/**
 * The kernel's tree together with what the board adds to it.
 *
 * @param {string} tree file, compiled
 * @param {string} additions source
 * @param {string} out file
 */
function completed(tree, additions, out) {
  const text = execFileSync('dtc', ['-q', '-I', 'dtb', '-O', 'dts', tree], { encoding: 'utf8' })
  writeFileSync(`${out}.dts`, text + additions)
  execFileSync('dtc', ['-q', '-I', 'dts', '-O', 'dtb', '-o', out, `${out}.dts`], {
    stdio: ['ignore', 'ignore', 'inherit']
  })
  return out
}
