/** U-Boot for a board, from Debian's source package; kept in the cache, since it takes minutes. */
/** @import { Board } from './boards.mjs' */
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../build/command.mjs'
import { cacheFolder, unpackedSource } from '../build/debian.mjs'
import { architecture } from '../build/sysroot.mjs'

const here = dirname(fileURLToPath(import.meta.url))
/** The environment that is built in. */
const environment = join(here, 'u-boot.env')

/**
 * U-Boot's settings (its `Kconfig`) that go over the board's own.
 *
 * @param {boolean} withConsole whether a key on the console stops the boot; otherwise the console is never read
 */
export function bootloaderSettings(withConsole) {
  return `${readFileSync(join(here, 'u-boot.config'), 'utf8')}CONFIG_BOOTDELAY=${withConsole ? 2 : -2}\n`
}

/**
 * @param {Board} board
 * @param {boolean} withConsole see {@link bootloaderSettings}
 * @returns the path of the boot loader, which lies at the beginning of the flash
 */
export function bootloader({ arch, bootloader: { package: name, configuration, file } }, withConsole) {
  const { debian, triplet } = architecture(arch)
  const source = unpackedSource(name, debian)
  const settings = bootloaderSettings(withConsole)
  const key = createHash('sha256')
    .update([basename(source), configuration, file, settings, readFileSync(environment, 'utf8')].join('\0'))
    .digest('hex')
  const built = join(cacheFolder, `${name}-${key.slice(0, 16)}.bin`)
  if (!existsSync(built)) build(source, configuration, settings, `${triplet}-`, file, built)
  return built
}

/**
 * @param {string} source folder
 * @param {string} configuration target of make
 * @param {string} settings that go over it
 * @param {string} prefix of the compiler's commands
 * @param {string} file target of make
 * @param {string} built where the file is put
 */
function build(source, configuration, settings, prefix, file, built) {
  const work = mkdtempSync(join(tmpdir(), 'minnow-u-boot-'))
  // The date of the build is no part of it.
  const env = { ...process.env, SOURCE_DATE_EPOCH: '0' }
  const make = (/** @type {string[]} */ ...targets) =>
    run(['make', '-s', '-C', source, `O=${work}`, `CROSS_COMPILE=${prefix}`, ...targets], { env })
  try {
    copyFileSync(environment, join(work, 'u-boot.env'))
    make(configuration)
    const merged = readFileSync(join(work, '.config'), 'utf8') + settings
    writeFileSync(join(work, '.config'), merged)
    make('olddefconfig')
    make(`-j${availableParallelism()}`, file)
    copyFileSync(join(work, file), `${built}.${process.pid}`)
    renameSync(`${built}.${process.pid}`, built)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
