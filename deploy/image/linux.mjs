/**
 * Linux from the source of Debian's kernels, with a configuration of our own that has everything built in: a third of
 * Debian's own kernels, and it starts in half the time. Kept in the cache, since it takes minutes.
 */
/** @import { Board } from './boards.mjs' */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../../runtime/build/command.mjs'
import { cacheFolder, moveIntoCache, unpacked } from '../../runtime/build/debian.mjs'
import { step } from '../../runtime/build/progress.mjs'
import { architecture } from '../../runtime/build/sysroot.mjs'
import { temporaryFolder } from '../../runtime/build/temporary.mjs'

const here = dirname(fileURLToPath(import.meta.url))
/** Most of the archive: no kernel of a controller is compiled from these. */
const leftOut = ['drivers/gpu/*.[ch]', 'sound/*.[ch]', 'tools/testing/*', 'Documentation/*.rst', 'Documentation/*.yaml']

/** The kernel in the folder, and the folder of its device trees. */
export const zImage = 'boot/vmlinuz-minnow'
export const deviceTrees = 'usr/lib/linux-image-minnow'

/**
 * The settings of a kernel (its `Kconfig`); all others are off, or have the value that they cannot be without.
 *
 * @param {readonly string[]} options that are built in besides those of every board
 */
export function linuxSettings(options) {
  const own = options.map((option) => `CONFIG_${option}=y\n`)
  return `${readFileSync(join(here, 'linux.config'), 'utf8')}${own.join('')}`
}

/**
 * @param {string} settings
 * @param {string} whole the configuration that was made from them
 * @throws {Error} naming the first setting that did not get into it
 */
export function compareSettings(settings, whole) {
  const made = new Set(whole.split('\n'))
  const lost = settings.split('\n').find((line) => line !== '' && !made.has(line))
  if (lost !== undefined) throw new Error(`the kernel lacks the setting ${lost}`)
}

/**
 * @param {Board} board
 * @returns {string} a folder that is laid out as Debian's packages of kernels are
 */
export function linux({ arch, kernel: { options } }) {
  const { folder } = made(arch, options)
  // Images that are built at the same time wait for one kernel.
  const again = [process.execPath, fileURLToPath(import.meta.url), arch, ...options]
  if (!existsSync(folder)) step('compiling the kernel', () => run(['flock', `${folder}.lock`, ...again]))
  return folder
}

/**
 * The parts of a kernel, and the folder that it is in once it is made.
 *
 * @param {string} arch
 * @param {readonly string[]} options
 */
function made(arch, options) {
  const { debian, triplet } = architecture(arch)
  const source = unpacked('linux-source', debian, ['?reverse-depends(?exact-name(linux-source))'])
  const settings = linuxSettings(options)
  const sum = createHash('sha256')
    .update([basename(source), run([`${triplet}-gcc`, '--version']), settings].join('\0'))
    .digest('hex')
  const folder = join(cacheFolder, `linux-${arch}-${sum.slice(0, 16)}`)
  return { source, settings, prefix: `${triplet}-`, folder }
}

/**
 * @param {string} source folder of the package with the archive
 * @param {string} settings
 * @param {string} prefix of the compiler's commands
 * @param {string} folder that is made
 */
function build(source, settings, prefix, folder) {
  const { path: work, remove } = temporaryFolder(cacheFolder)
  const [tree, out, made] = [join(work, 'source'), join(work, 'out'), join(work, 'made')]
  // Neither where nor when nor by whom it was built is part of it.
  const env = {
    ...process.env,
    KCONFIG_ALLCONFIG: join(work, 'settings'),
    KBUILD_BUILD_TIMESTAMP: '1970-01-01',
    KBUILD_BUILD_USER: 'minnow',
    KBUILD_BUILD_HOST: 'minnow'
  }
  try {
    for (const each of [tree, out]) mkdirSync(each)
    const archives = join(source, 'usr/src')
    const [archive = ''] = readdirSync(archives).filter((name) => name.endsWith('.tar.xz'))
    const without = leftOut.map((pattern) => `--exclude=*/${pattern}`)
    run(['tar', '-xf', join(archives, archive), '-C', tree, '--strip-components=1', ...without])
    const make = (/** @type {string[]} */ ...targets) =>
      run(['make', '-s', '-C', tree, `O=${out}`, 'ARCH=arm', `CROSS_COMPILE=${prefix}`, ...targets], { env })
    writeFileSync(env.KCONFIG_ALLCONFIG, settings)
    make('allnoconfig')
    compareSettings(settings, readFileSync(join(out, '.config'), 'utf8'))
    make(`-j${availableParallelism()}`, 'zImage', 'dtbs')
    const place = (/** @type {string} */ from, /** @type {string} */ to) =>
      cpSync(from, join(made, to), { recursive: true })
    place(join(out, 'arch/arm/boot/zImage'), zImage)
    const trees = join(out, 'arch/arm/boot/dts/aspeed')
    for (const name of readdirSync(trees).filter((name) => name.endsWith('.dtb')))
      place(join(trees, name), join(deviceTrees, name))
    for (const name of ['packages', 'usr/share/doc']) place(join(source, name), name)
    moveIntoCache(made, folder)
  } finally {
    remove()
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [arch = '', ...options] = process.argv.slice(2)
  const { source, settings, prefix, folder } = made(arch, options)
  if (!existsSync(folder)) build(source, settings, prefix, folder)
}
