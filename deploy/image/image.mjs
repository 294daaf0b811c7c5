/**
 * Builds the firmware image of a board: a file for each of its flash chips.
 *
 *   node deploy/image/image.mjs --board NAME|FILE [--host node] [--out DIR] [--config FILE] [--bootloader-console]
 *     [--version N.N.N] [--minimum N.N.N] [--keys DIR] [--binary] [--boot [--port N]]
 *
 * `flash.img` holds boot loader, kernel and root file system, these in both of its slots; `host.img` an empty store of
 * UEFI variables for the host, if the board has one; an existing file is kept. `minnow-BOARD-VERSION.update` updates a
 * board with an earlier image; `minnow-BOARD-VERSION.cdx.json` is the bill of materials (CycloneDX).
 * MINNOW_ADMIN_PASSWORD is the password of the first administrator; without it, the service generates one and shows it
 * on the console. `--config` is a configuration file of the service, which overrides the board's description. `--host
 * node` puts Node.js in place of the binary, for which no budget holds. With `--bootloader-console` a key on the serial
 * console stops the boot loader, which then takes commands. `--binary` builds the binary for the board's processor
 * first. `--boot` starts the image in the emulator; `--port` is its port on this machine.
 *
 * `--keys` is a folder with the maker's private keys: `boot.pem` (RSA, 2048 bits), which U-Boot has the public half of,
 * and `update.json` (Ed25519, a JSON Web Key), which the board file gets the public half of as `updateKey`. With
 * `update-lms.pem` (HSS/LMS, of Botan) updates have and need a second signature. The keys in `deploy/image/development`
 * are known to everybody: they are for the emulated boards.
 */
/** @import { Board, InitSettings, ServiceSettings } from './boards.mjs' */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isInstalled, runScript } from '../../runtime/build/command.mjs'
import { lmsSigner } from '../../runtime/build/lms.mjs'
import { step } from '../../runtime/build/progress.mjs'
import { temporaryFolder } from '../../runtime/build/temporary.mjs'
import { updateFile } from '../../runtime/build/update-file.mjs'
import { readBoard } from './boards.mjs'
import { bootloader } from './bootloader.mjs'
import { kernelFiles, runBoard } from './emulator.mjs'
import { firstEnvironment } from './environment.mjs'
import { flattenedImageTree } from './fit.mjs'
import { erased, flashImage, sizes } from './flash.mjs'
import { compileInit, initialRamDisk } from './init.mjs'
import { kernel } from './kernel.mjs'
import { boardFile, machinePath, needs } from './machine.mjs'
import { nodeHost } from './node.mjs'
import { rootFileSystem } from './root.mjs'
import { slots, withOneSlot } from './slots.mjs'
import { thirdParties } from './third-parties.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const dist = resolve(here, '../../dist')
const developmentKeys = join(here, 'development')
const { version: current } = JSON.parse(readFileSync(join(here, '../../package.json'), 'utf8'))

/** Programs that are needed besides the compilers, and the packages of Debian that have them. */
const tools = {
  dtc: 'device-tree-compiler',
  mkimage: 'u-boot-tools',
  mkenvimage: 'u-boot-tools',
  mksquashfs: 'squashfs-tools',
  xz: 'xz-utils',
  make: 'make',
  patch: 'patch',
  bison: 'bison',
  flex: 'flex',
  bc: 'bc',
  flock: 'util-linux'
}
const header = { path: '/usr/include/openssl/evp.h', package: 'libssl-dev' }

/** The packages that are to be installed before an image can be built. */
export function missingTools() {
  const missing = Object.entries(tools).filter(([tool]) => !isInstalled(tool))
  return [...missing.map(([, name]) => name), ...(existsSync(header.path) ? [] : [header.package])]
}

/**
 * @param {object} options
 * @param {Board} options.board
 * @param {string} options.out folder
 * @param {string} [options.host] `binary` or `node`
 * @param {Partial<ServiceSettings>} [options.config] overrides the board's settings of the service
 * @param {Partial<InitSettings>} [options.init] overrides the board's settings of init
 * @param {string | undefined} [options.password] see rootFileSystem
 * @param {boolean} [options.bootloaderConsole] see bootloaderSettings
 * @param {string} [options.version] default: that of the package
 * @param {string} [options.minimum] once this image has run, or while it runs, no older version than that is taken
 * @param {string} [options.keys] folder
 * @param {readonly string[]} [options.initSources] further sources of the init process, for tests
 * @returns the sizes of the parts in the flash, and with a boot loader the file for updates
 */
export function buildImage({
  board,
  out,
  host = 'binary',
  config = {},
  init = {},
  password,
  bootloaderConsole = false,
  version = current,
  minimum,
  keys = developmentKeys,
  initSources = []
}) {
  const { path: work, remove } = temporaryFolder()
  try {
    mkdirSync(out, { recursive: true })
    const flash = host === 'node' ? withOneSlot(board.flash) : board.flash
    const { image, deviceTree } = kernel({ ...board, flash }, work)
    const lmsKey = [join(keys, 'update-lms.pem')].find((file) => existsSync(file))
    const machine = boardFile(board, join(keys, 'update.json'), minimum, lmsKey)
    check(machine, join(work, 'board.json'))
    const service = { ...board.service, board: machinePath, presenceAfterLoss: true, ...config }
    const programs = host === 'node' ? nodeHost(board.arch, work) : binaryHost(board, version, out, work)
    const settings = { ...board.init, ...needs(board), port: service.port, data: service.data, ...init }
    const rofs = join(work, 'root.squashfs')
    step('packing the root file system', () =>
      rootFileSystem({ files: programs, init: settings, service, machine, password, work, out: rofs })
    )
    const ramDisk = join(work, 'ramdisk')
    writeFileSync(ramDisk, initialRamDisk(compileInit(board.arch, join(work, 'init'), initSources), rofs))
    const fit = join(work, 'kernel.fit')
    flattenedImageTree({ kernel: image, ramDisk, deviceTree, load: board.kernel.load, keys, work, out: fit })
    const parts = { kernel: fit, rofs }
    const contents = { ...inSlots(flash, parts) }
    const { bootloader: loader } = board
    if (loader) {
      contents['u-boot'] = bootloader({ ...board, bootloader: loader }, bootloaderConsole, join(keys, 'boot.pem'))
      contents['u-boot-env'] = firstEnvironment(flash, version, work)
    } else {
      const loaded = { kernel: image, initrd: ramDisk, dtb: deviceTree }
      for (const name of kernelFiles) copyFileSync(loaded[name], join(out, name))
    }
    writeFileSync(join(out, 'flash.img'), flashImage(flash, contents))
    if (board.hostFlash) makeHostFlash(board.hostFlash, join(out, 'host.img'))
    const used = sizes(host === 'node' ? { flash } : board, contents, image)
    if (!loader) return { ...used, update: undefined }
    const update = join(out, `minnow-${board.name}-${version}.update`)
    const manifest = { board: board.name, component: 'controller', version, ...(minimum !== undefined && { minimum }) }
    const bytes = Object.fromEntries(Object.entries(parts).map(([name, file]) => [name, readFileSync(file)]))
    const key = JSON.parse(readFileSync(join(keys, 'update.json'), 'utf8'))
    writeFileSync(update, updateFile(key, manifest, bytes, lmsKey === undefined ? undefined : lmsSigner(lmsKey)))
    return { update, ...used }
  } finally {
    remove()
  }
}

/**
 * The service looks at the board file as it will on the board.
 *
 * @param {object} machine
 * @param {string} file that is written
 * @throws {Error} with the first fault
 */
function check(machine, file) {
  writeFileSync(file, JSON.stringify(machine))
  const { status, stderr } = spawnSync(process.execPath, [join(dist, 'minnow.mjs'), 'check', file], {
    encoding: 'utf8'
  })
  if (status !== 0) throw new Error(stderr.replaceAll(file, '').trim())
}

/**
 * The binary and the terms of all that is in the image; the bill of its materials is put beside it.
 *
 * @param {Board} board
 * @param {string} version
 * @param {string} out folder
 * @param {string} work folder
 * @returns {Record<string, string>} source files by their paths in the image
 */
function binaryHost(board, version, out, work) {
  const binary = join(dist, `minnow-${board.arch}`)
  const { licenses, bill } = thirdParties(board, binary, version)
  const text = join(work, 'third-parties.txt')
  writeFileSync(text, licenses)
  writeFileSync(join(out, `minnow-${board.name}-${version}.cdx.json`), `${JSON.stringify(bill, undefined, 2)}\n`)
  return { '/usr/bin/minnow': binary, '/usr/share/doc/minnow/third-parties.txt': text }
}

/**
 * The same in every slot that a flash has.
 *
 * @param {Board['flash']} flash
 * @param {Readonly<Record<string, string>>} parts files by the names of their partitions, without that of the slot
 */
function inSlots({ partitions }, parts) {
  const placed = slots.flatMap((slot) => Object.entries(parts).map(([name, file]) => [`${name}-${slot}`, file]))
  return Object.fromEntries(placed.filter(([wanted]) => partitions.some(({ name }) => name === wanted)))
}

/**
 * The host's own flash chip, with an empty store of variables at its beginning, as its firmware takes it. One that is
 * there already is the host's, with all that it wrote: it stays as it is.
 *
 * @param {{ size: number, layout: string }} flash
 * @param {string} out file
 * @throws {Error} if the file is not a flash of this board
 */
export function makeHostFlash({ size, layout }, out) {
  const present = statSync(out, { throwIfNoEntry: false })?.size
  if (present === size) return
  if (present !== undefined) throw new Error(`${out} has ${present} bytes, not ${size}: remove it to have an empty one`)
  const store = `${out}.new`
  rmSync(store, { force: true })
  execFileSync(process.execPath, [join(dist, 'minnow.mjs'), 'nvram', 'create', store, '--layout', layout])
  const bytes = readFileSync(store)
  writeFileSync(store, Buffer.concat([bytes, Buffer.alloc(size - bytes.length, erased)]))
  renameSync(store, out)
}

/** Carries out the command line. */
function main() {
  const { values } = parseArgs({
    options: {
      board: { type: 'string', default: 'ast2600-evb' },
      host: { type: 'string', default: 'binary' },
      out: { type: 'string' },
      config: { type: 'string' },
      'bootloader-console': { type: 'boolean', default: false },
      version: { type: 'string' },
      minimum: { type: 'string' },
      keys: { type: 'string' },
      binary: { type: 'boolean', default: false },
      boot: { type: 'boolean', default: false },
      port: { type: 'string' }
    }
  })
  const missing = missingTools()
  if (missing.length > 0) throw new Error(`to build an image, install ${missing.join(' ')}`)
  if (!['binary', 'node'].includes(values.host)) throw new Error('--host is binary or node')
  const board = readBoard(values.board)
  const out = resolve(values.out ?? join(dist, board.name))
  for (const each of [values.version, values.minimum]) {
    if (each !== undefined && !/^\d{1,9}(\.\d{1,9}){0,3}$/.test(each))
      throw new Error(`${each} is not a version such as 1.63`)
  }
  if (values.binary) {
    const words = [join(here, '../../build.mjs'), '--binary', '--arch', board.arch]
    execFileSync(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit'] })
  }
  const { lines, held, update } = buildImage({
    board,
    out,
    host: values.host,
    config: values.config === undefined ? {} : JSON.parse(readFileSync(values.config, 'utf8')),
    password: process.env.MINNOW_ADMIN_PASSWORD,
    bootloaderConsole: values['bootloader-console'],
    version: values.version,
    minimum: values.minimum,
    keys: values.keys
  })
  const written = [join(out, 'flash.img'), ...(update ? [update] : [])].map((path) => relative(process.cwd(), path))
  process.stdout.write(`${[...written, ...lines].join('\n')}\n`)
  if (!held) throw new Error('the image is larger than the board allows')
  if (values.boot) runBoard(board, out, values.port)
}

runScript(import.meta.url, main)
