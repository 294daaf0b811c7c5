/** U-Boot for a board, from Debian's source package; kept in the cache, since it takes minutes. */
/** @import { Board, LoadedBoard } from './boards.mjs' */
import { createHash, createPublicKey } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../../runtime/build/command.mjs'
import { cacheFolder, unpackedSource } from '../../runtime/build/debian.mjs'
import { patched } from '../../runtime/build/patch.mjs'
import { step } from '../../runtime/build/progress.mjs'
import { architecture } from '../../runtime/build/sysroot.mjs'
import { temporaryFolder } from '../../runtime/build/temporary.mjs'
import { partition } from './flash.mjs'
import { slots } from './slots.mjs'

const here = dirname(fileURLToPath(import.meta.url))
/** Changes to the source. */
const changes = join(here, 'u-boot.patch')
/**
 * All variables that the environment in the flash may have: the slot to start from, whether it is on trial, how often
 * it was started since, and the records of the service on both. All else is built in (U-Boot's `doc/README.env`).
 */
const writable = 'slot:sw,upgrade_available:dw,bootcount:dw,version_a:sw,version_b:sw'

/**
 * U-Boot's settings (its `Kconfig`) that go over the board's own.
 *
 * @param {Board['flash']} flash
 * @param {boolean} withConsole whether a key on the console stops the boot; otherwise the console is never read
 */
export function bootloaderSettings({ partitions, environment: { copies, size } }, withConsole) {
  const offset = partition(partitions, 'u-boot-env').offset
  const [first, second] = copies.map((copy) => `0x${(offset + copy).toString(16)}`)
  return `${readFileSync(join(here, 'u-boot.config'), 'utf8')}CONFIG_ENV_SIZE=0x${size.toString(16)}
CONFIG_ENV_OFFSET=${first}
CONFIG_ENV_OFFSET_REDUND=${second}
CONFIG_BOOTDELAY=${withConsole ? 2 : -2}
`
}

/**
 * The environment that is built in.
 *
 * @param {Pick<LoadedBoard, 'flash' | 'bootloader'>} board
 */
export function bootloaderEnvironment({ flash: { address, partitions }, bootloader: { before = 'true' } }) {
  const kernels = slots.flatMap((slot) => partitions.find(({ name }) => name === `kernel-${slot}`) ?? [])
  const places = kernels.map(
    ({ name, offset }) => `${name.replace('-', '_')}=${(Number(address) + offset).toString(16)}\n`
  )
  const room = Math.min(...kernels.map(({ size }) => size))
  return `${places.join('')}room=${room.toString(16)}\nbefore=${before}\n${readFileSync(join(here, 'u-boot.env'), 'utf8')}`
}

/**
 * The public half of a key for U-Boot's own device tree (`doc/usage/fit/signature.rst`): no configuration is started
 * that this key did not sign.
 *
 * @param {string} pem an RSA key, private or public
 */
export function keyNode(pem) {
  const { n = '', e = '' } = createPublicKey(pem).export({ format: 'jwk' })
  const number = (/** @type {string} */ part) => BigInt(`0x${Buffer.from(part, 'base64url').toString('hex')}`)
  const [modulus, exponent] = [number(n), number(e)]
  const bits = Buffer.from(n, 'base64url').length * 8
  const squared = (1n << BigInt(2 * bits)) % modulus
  const word = 1n << 32n
  const words = (/** @type {bigint} */ number, /** @type {number} */ length) =>
    `<${(
      number
        .toString(16)
        .padStart(length / 4, '0')
        .match(/.{8}/g) ?? []
    )
      .map((each) => `0x${each}`)
      .join(' ')}>`
  return `/ {
  signature {
    key-boot {
      required = "conf";
      algo = "sha256,rsa${bits}";
      key-name-hint = "boot";
      rsa,num-bits = <${bits}>;
      rsa,exponent = ${words(exponent, 64)};
      rsa,modulus = ${words(modulus, bits)};
      rsa,r-squared = ${words(squared, bits)};
      rsa,n0-inverse = ${words(word - inverse(modulus % word, word), 32)};
    };
  };
};
`
}

/**
 * By Newton's iteration, which doubles the number of bits that are right.
 *
 * @param {bigint} odd
 * @param {bigint} modulus a power of 2, at most 2^64
 */
function inverse(odd, modulus) {
  let found = odd
  for (let bits = 3; bits < 64; bits *= 2) found = (found * (2n - odd * found)) & (modulus - 1n)
  return found
}

/**
 * One line for programmed data, so that the mode of the controller does not change: see u-boot.patch. And what the boot
 * loader shall leave alone.
 *
 * @param {LoadedBoard['bootloader']} bootloader
 * @returns the source of an addition to the boot loader's device tree
 */
const deviceNodes = ({ flashController, disabled = [] }) => `&${flashController} {
  flash@0 {
    spi-tx-bus-width = <1>;
  };
};
${disabled.map((label) => `&${label} { status = "disabled"; };\n`).join('')}`

/**
 * The folder of the source of the boot loader.
 *
 * @param {Pick<LoadedBoard, 'arch' | 'bootloader'>} board
 */
export function bootloaderSource({ arch, bootloader: { package: name } }) {
  return unpackedSource(name, architecture(arch).debian)
}

/**
 * @param {LoadedBoard} board
 * @param {boolean} withConsole see {@link bootloaderSettings}
 * @param {string} key file: the key that signs the images, see {@link keyNode}
 * @returns the path of the boot loader, which lies at the beginning of the flash
 */
export function bootloader(board, withConsole, key) {
  const { arch, flash } = board
  const { package: name, configuration, file } = board.bootloader
  const { triplet } = architecture(arch)
  const source = bootloaderSource(board)
  const inputs = {
    settings: bootloaderSettings(flash, withConsole),
    environment: bootloaderEnvironment(board),
    tree: deviceNodes(board.bootloader) + keyNode(readFileSync(key, 'utf8'))
  }
  const patch = readFileSync(changes, 'utf8')
  const sum = createHash('sha256')
    .update([basename(source), configuration, file, writable, patch, ...Object.values(inputs)].join('\0'))
    .digest('hex')
  const built = join(cacheFolder, `${name}-${sum.slice(0, 16)}.bin`)
  if (!existsSync(built))
    step('compiling U-Boot', () => build(source, configuration, inputs, `${triplet}-`, file, built))
  return built
}

/**
 * @param {string} source folder
 * @param {string} configuration target of make
 * @param {{ settings: string, environment: string, tree: string }} inputs settings that go over it, the environment
 *   that is built in, and an addition to the device tree
 * @param {string} prefix of the compiler's commands
 * @param {string} file target of make
 * @param {string} built where the file is put
 */
function build(source, configuration, { settings, environment, tree }, prefix, file, built) {
  const { path: folder, remove } = temporaryFolder()
  const work = join(folder, 'out')
  // The date of the build is no part of it.
  const env = {
    ...process.env,
    SOURCE_DATE_EPOCH: '0',
    KCPPFLAGS: `-DCFG_ENV_FLAGS_LIST_STATIC='"${writable}"'`
  }
  try {
    const changed = patched(source, changes, join(folder, 'source'))
    const make = (/** @type {string[]} */ ...targets) =>
      run(['make', '-s', '-C', changed, `O=${work}`, `CROSS_COMPILE=${prefix}`, ...targets], { env })
    mkdirSync(join(work, 'include'), { recursive: true })
    writeFileSync(join(work, 'u-boot.env'), environment)
    writeFileSync(join(work, 'include/board.dtsi'), tree)
    make(configuration)
    const merged = readFileSync(join(work, '.config'), 'utf8') + settings
    writeFileSync(join(work, '.config'), merged)
    make('olddefconfig')
    make(`-j${availableParallelism()}`, file)
    copyFileSync(join(work, file), `${built}.${process.pid}`)
    renameSync(`${built}.${process.pid}`, built)
  } finally {
    remove()
  }
}
