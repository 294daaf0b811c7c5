/** Sysroots for the static binary: Debian 13's -dev packages of one architecture. */
/** @import { Command } from './command.mjs' */
import { join } from 'node:path'
import { keyring } from './apt.mjs'
import { isInstalled } from './command.mjs'
import { unpacked } from './debian.mjs'

const packages = [
  'liblzma-dev',
  'libuv1-dev',
  'libllhttp-dev',
  'libleveldb-dev',
  'libsnappy-dev',
  'libsodium-dev',
  'libssl-dev',
  'libc-ares-dev',
  'zlib1g-dev',
  'libc6-dev',
  'libstdc++-14-dev',
  'libgcc-14-dev',
  'gcc-14-base',
  'linux-libc-dev'
]
const gccVersion = '14'

/**
 * A kind of machine that there are binaries for.
 *
 * @typedef {object} Architecture
 * @property {string} debian what Debian calls it
 * @property {string} triplet what its compiler is called by
 * @property {string} apt packages of this machine with that compiler
 * @property {readonly string[]} flags for the compiler
 * @property {readonly string[]} [libraries] of the compiler that its programs need
 * @property {string} [emulator] runs its programs on another machine
 */

/** @type {Readonly<Record<string, Architecture>>} */
export const architectures = {
  x86_64: { debian: 'amd64', triplet: 'x86_64-linux-gnu', apt: 'gcc g++', flags: [] },
  armv7: {
    debian: 'armhf',
    triplet: 'arm-linux-gnueabihf',
    apt: 'gcc-arm-linux-gnueabihf g++-arm-linux-gnueabihf',
    flags: ['-mthumb', '-march=armv7-a+fp'],
    emulator: 'qemu-arm-static'
  },
  // ARM926 and ARM1176, of the AST2400 and AST2500: no instructions for floating point, nor for atomic access.
  armv5: {
    debian: 'armel',
    triplet: 'arm-linux-gnueabi',
    apt: 'gcc-arm-linux-gnueabi g++-arm-linux-gnueabi',
    flags: ['-marm', '-march=armv5te', '-mfloat-abi=soft'],
    libraries: ['atomic'],
    emulator: 'qemu-arm-static'
  },
  aarch64: {
    debian: 'arm64',
    triplet: 'aarch64-linux-gnu',
    apt: 'gcc-aarch64-linux-gnu g++-aarch64-linux-gnu',
    flags: [],
    emulator: 'qemu-aarch64-static'
  }
}

/**
 * @param {string} arch
 * @throws {Error} with those that are known
 */
export function architecture(arch) {
  const known = architectures[arch]
  if (known) return known
  throw new Error(`unknown architecture ${arch}; known are ${Object.keys(architectures).join(', ')}`)
}

/** The architecture of the machine that builds: our name where we know it, else that of Node.js. */
export const hostArch = { x64: 'x86_64', arm: 'armv7' }[String(process.arch)] ?? process.arch

/**
 * @param {string} arch
 * @returns {string[]} a sentence for each thing that is missing on this machine to build for `arch`; the network is not
 *   asked
 */
export function available(arch) {
  const { triplet, apt } = architecture(arch)
  const host = architectures[hostArch]
  const missing = []
  if (!host) missing.push(`a build machine other than ${process.arch}`)
  for (const tool of [`${triplet}-gcc`, `${triplet}-g++`]) {
    if (!isInstalled(tool)) missing.push(`${tool} (apt-get install ${apt})`)
  }
  if (host && !isInstalled(`${host.triplet}-gcc`)) missing.push('gcc (apt-get install gcc g++)')
  for (const tool of ['apt-get', 'dpkg-deb']) {
    if (!isInstalled(tool)) missing.push(`${tool} (a Debian system)`)
  }
  if (!isInstalled('dpkg-source')) missing.push('dpkg-source (apt-get install dpkg-dev)')
  if (!keyring) missing.push('the Debian archive keys (apt-get install debian-archive-keyring)')
  return missing
}

/**
 * The libraries of an architecture, and its compilers.
 *
 * @typedef {object} Sysroot
 * @property {string} folder
 * @property {string} include folder
 * @property {string} ownInclude folder of the headers that this architecture has of its own
 * @property {string} lib folder
 * @property {string} gcc folder of the compiler's own libraries
 * @property {Command} cc what every compilation and link begins with: the command with --sysroot, -B and -L, since a GCC
 *   older than Debian 13's would otherwise pick the machine's own C library
 * @property {Command} cxx the same for C++
 */

/**
 * The sysroot of `arch`, made by {@link unpacked}.
 *
 * @param {string} arch
 * @returns {Sysroot}
 * @throws {Error} with what to install
 */
export function sysroot(arch) {
  const { debian, triplet, flags } = architecture(arch)
  const missing = available(arch)
  if (missing.length > 0) throw new Error(`cannot build for ${arch}, missing: ${missing.join('; ')}`)
  const folder = unpacked(`sysroot-${arch}`, debian, packages)
  const lib = join(folder, 'usr/lib', triplet)
  const gcc = join(folder, 'usr/lib/gcc', triplet, gccVersion)
  const where = [`--sysroot=${folder}`, `-B${gcc}`, `-B${lib}`, `-L${gcc}`, `-L${lib}`, ...flags]
  return {
    folder,
    lib,
    gcc,
    include: join(folder, 'usr/include'),
    ownInclude: join(folder, 'usr/include', triplet),
    cc: [`${triplet}-gcc`, ...where],
    cxx: [`${triplet}-g++`, ...where]
  }
}
