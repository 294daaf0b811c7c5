/** Debian's kernel for the image: the kernel itself, the modules that a board needs, and its device tree. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { architectures, unpacked } from '../build/sysroot.mjs'

const here = dirname(fileURLToPath(import.meta.url))

/** @returns `{ image, modules, deviceTree }`: paths; the modules in an order in which they load */
export function kernel({ name, arch, kernel: { package: metapackage, deviceTree, modules } }, work) {
  const folder = unpacked(`kernel-${arch}`, architectures[arch].debian, [
    `?reverse-depends(?exact-name(${metapackage}))`
  ])
  const image = only(join(folder, 'boot'), /^vmlinuz-/)
  const trees = only(join(folder, 'usr/lib'), /^linux-image-/)
  return {
    image,
    modules: inOrder(modules, modulesIn(folder)),
    deviceTree: completed(join(trees, deviceTree), join(here, `${name}.dts`), join(work, 'board.dtb'))
  }
}

function only(folder, pattern) {
  const names = readdirSync(folder).filter((name) => pattern.test(name))
  if (names.length !== 1) throw new Error(`${folder} has ${names.length} files like ${pattern}`)
  return join(folder, names[0])
}

/** The kernel takes `-` and `_` in the names of modules for the same. */
const normalised = (module) => module.replaceAll('-', '_')

function modulesIn(folder) {
  const root = join(folder, 'usr/lib/modules')
  const files = readdirSync(root, { recursive: true }).filter((file) => file.endsWith('.ko.xz'))
  return new Map(files.map((file) => [normalised(basename(file, '.ko.xz')), join(root, file)]))
}

/** What a module depends on comes before it. */
function inOrder(wanted, files) {
  const order = new Set()
  const add = (module) => {
    const file = files.get(normalised(module))
    if (file === undefined) throw new Error(`the kernel has no module ${module}`)
    const needs = execFileSync('modinfo', ['-F', 'depends', file], { encoding: 'utf8' }).trim()
    for (const needed of needs.split(',').filter(Boolean)) add(needed)
    order.add(file)
  }
  wanted.forEach(add)
  return [...order]
}

/** The kernel's tree together with what the board adds to it. */
function completed(tree, additions, out) {
  const text = execFileSync('dtc', ['-q', '-I', 'dtb', '-O', 'dts', tree], { encoding: 'utf8' })
  writeFileSync(`${out}.dts`, text + readFileSync(additions, 'utf8'))
  execFileSync('dtc', ['-q', '-I', 'dts', '-O', 'dtb', '-o', out, `${out}.dts`], {
    stdio: ['ignore', 'ignore', 'inherit']
  })
  return out
}
