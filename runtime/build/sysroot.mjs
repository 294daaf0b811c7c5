/**
 * Sysroots for the static binary: Debian 13's -dev packages of one architecture, unpacked into a cache folder
 * outside the tree. Nothing of the machine changes: apt runs with a private configuration for the suite `trixie`
 * from the mirror that the machine itself is configured for.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'

const packages = [
  'libquickjs',
  'libmbedtls-dev',
  'libuv1-dev',
  'libllhttp-dev',
  'libleveldb-dev',
  'libsnappy-dev',
  'libsodium-dev',
  'libc-ares-dev',
  'libc6-dev',
  'libstdc++-14-dev',
  'libgcc-14-dev',
  'linux-libc-dev'
]
const suite = 'trixie'
const gccVersion = '14'
const maxAgeMs = 7 * 24 * 3600 * 1000
const keyrings = ['/usr/share/keyrings/debian-archive-keyring.gpg', '/usr/share/keyrings/debian-archive-keyring.pgp']

/** What each architecture is called by whom; `apt` names the machine's packages with its compiler. */
export const architectures = {
  x86_64: { debian: 'amd64', triplet: 'x86_64-linux-gnu', apt: 'gcc g++', flags: [] },
  armv7: {
    debian: 'armhf',
    triplet: 'arm-linux-gnueabihf',
    apt: 'gcc-arm-linux-gnueabihf g++-arm-linux-gnueabihf',
    flags: ['-mthumb', '-march=armv7-a+fp'],
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

/** The architecture, under our name, of the machine that builds. */
export const hostArch = { x64: 'x86_64', arm: 'armv7', arm64: 'aarch64' }[process.arch]

/** Where sysroots and objects are kept. */
export const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'minnow')

const isInstalled = (command) => spawnSync('sh', ['-c', `command -v "$0" >/dev/null`, command]).status === 0

const describe = (arch) =>
  architectures[arch] ?? fail(`unknown architecture ${arch}; known are ${Object.keys(architectures).join(', ')}`)

function fail(message) {
  throw new Error(message)
}

/**
 * What is missing on this machine to build for `arch`: a list of sentences, empty when all is there.
 * Does not touch the network.
 */
export function available(arch) {
  const { triplet, apt } = describe(arch)
  const missing = []
  if (hostArch === undefined) missing.push(`a build machine other than ${process.arch}`)
  for (const tool of [`${triplet}-gcc`, `${triplet}-g++`]) {
    if (!isInstalled(tool)) missing.push(`${tool} (apt-get install ${apt})`)
  }
  if (hostArch && !isInstalled(`${architectures[hostArch].triplet}-gcc`)) missing.push('gcc (apt-get install gcc g++)')
  for (const tool of ['apt-get', 'dpkg-deb']) {
    if (!isInstalled(tool)) missing.push(`${tool} (a Debian system)`)
  }
  if (!keyrings.some(existsSync)) missing.push('the Debian archive keys (apt-get install debian-archive-keyring)')
  return missing
}

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26, ...options })
  if (result.error) throw result.error
  if (result.status !== 0) fail(`${command} ${args.slice(0, 3).join(' ')} failed:\n${result.stderr || result.stdout}`)
  return result.stdout
}

/** What is fetched: packages that are installed (`deb`), or what they are built from (`deb-src`). */
const binary = { type: 'deb', command: ['download'], unpack: (file, root) => run('dpkg-deb', ['-x', file, root]) }
const source = {
  type: 'deb-src',
  command: ['source', '--download-only', '--tar-only'],
  unpack(file, root) {
    mkdirSync(root)
    run('tar', ['-xf', file, '-C', root, '--strip-components=1'])
  }
}

/** Lines of sources.list for `suite` from the machine's own mirrors; `pockets`: with its updates and security fixes. */
function sources(type, keyring, pockets) {
  const targets = run('apt-get', ['indextargets', '--format', '$(REPO_URI) $(RELEASE)', 'Created-By: Packages'])
  const lines = new Set()
  for (const target of targets.trim().split('\n')) {
    const [, uri, pocket] =
      /^(\S+) (?:bookworm|trixie|forky|sid|oldstable|stable|testing|unstable)(-updates|-security)?$/.exec(target) ?? []
    if (uri && (pockets || !pocket)) lines.add(`${type} [signed-by=${keyring}] ${uri} ${suite}${pocket ?? ''} main\n`)
  }
  return lines.size ? [...lines].join('') : fail('no Debian mirror in the apt sources of this machine')
}

function configureApt(folder, debian, type) {
  for (const name of ['lists/partial', 'cache/archives/partial', 'debs'])
    mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(
    join(folder, 'apt.conf'),
    `
Dir::Etc::SourceList "${folder}/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State "${folder}";
Dir::State::Lists "${folder}/lists";
Dir::State::Status "/dev/null";
Dir::Cache "${folder}/cache";
APT::Architecture "${debian}";
APT::Architectures { "${debian}"; };
APT::Sandbox::User "";
Acquire::Languages "none";
`
  )
  const apt = { cwd: join(folder, 'debs'), env: { ...process.env, APT_CONFIG: join(folder, 'apt.conf'), LC_ALL: 'C' } }
  const update = (pockets) => {
    writeFileSync(join(folder, 'sources.list'), sources(type, keyrings.find(existsSync), pockets))
    run('apt-get', ['-q', 'update'], apt)
  }
  try {
    update(true)
  } catch (error) {
    // Mirrors in the middle of a synchronisation have inconsistent updates while the release itself stands.
    process.stderr.write(`${suite} without its updates: ${error.message}\n`)
    update(false)
  }
  return apt
}

function build(label, debian, packages, { type, command, unpack }) {
  mkdirSync(cacheFolder, { recursive: true })
  const work = mkdtempSync(join(cacheFolder, 'tmp-'))
  try {
    const apt = configureApt(work, debian, type)
    const wanted = run('apt-get', ['-q', ...command, '--print-uris', ...packages], apt)
      .split('\n')
      .filter((line) => line.startsWith("'"))
      .map((line) => line.split(' ').slice(1).join(' '))
      .sort()
      .join('\n')
    const name = `${label}-${createHash('sha256').update(wanted).digest('hex').slice(0, 16)}`
    const folder = join(cacheFolder, name)
    if (!existsSync(folder)) {
      run('apt-get', ['-q', ...command, ...packages], apt)
      const root = join(work, 'root')
      for (const file of readdirSync(apt.cwd)) unpack(join(apt.cwd, file), root)
      writeFileSync(join(root, 'packages'), `${wanted}\n`)
      try {
        renameSync(root, folder)
      } catch (error) {
        // Another build was faster; its content is the same, since the name says so.
        if (!existsSync(folder)) throw error
      }
    }
    return folder
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * The folder that Debian 13's `packages` for the architecture that Debian calls `debian` are unpacked in, under `label`
 * in the cache. Made when there is none or when it is older than a week: Debian may have published a fix since.
 */
export function unpacked(label, debian, packages) {
  return kept(label, debian, packages, binary)
}

/** The same for what Debian 13 builds a package from, as its authors publish it. */
export function unpackedSource(name) {
  return kept(`source-${name}`, architectures[hostArch].debian, [name], source)
}

function kept(label, debian, packages, kind) {
  const listed = createHash('sha256').update(packages.join()).digest('hex').slice(0, 8)
  const current = join(cacheFolder, `${label}-${listed}.json`)
  let known
  if (existsSync(current)) {
    const { name, made } = JSON.parse(readFileSync(current, 'utf8'))
    if (existsSync(join(cacheFolder, name))) known = { folder: join(cacheFolder, name), made }
  }
  if (known && Date.now() - known.made <= maxAgeMs) return known.folder
  try {
    const folder = build(label, debian, packages, kind)
    writeFileSync(`${current}.${process.pid}`, JSON.stringify({ name: basename(folder), made: Date.now() }))
    renameSync(`${current}.${process.pid}`, current)
    return folder
  } catch (error) {
    if (!known) throw error
    process.stderr.write(`${label} not refreshed: ${error.message}\n`)
    return known.folder
  }
}

/**
 * The sysroot of `arch`: `{ folder, include, lib, gcc, cc, cxx }`, made by {@link unpacked}. `cc` and `cxx` are the
 * command and the arguments that every compilation and link needs: --sysroot, -B and -L, since a GCC older than
 * Debian 13's would otherwise pick the machine's own C library. Throws an Error that names what to install.
 */
export function sysroot(arch) {
  const { debian, triplet, flags } = describe(arch)
  const missing = available(arch)
  if (missing.length) fail(`cannot build for ${arch}, missing: ${missing.join('; ')}`)
  const folder = unpacked(`sysroot-${arch}`, debian, packages)
  const lib = join(folder, 'usr/lib', triplet)
  const gcc = join(folder, 'usr/lib/gcc', triplet, gccVersion)
  const where = [`--sysroot=${folder}`, `-B${gcc}`, `-B${lib}`, `-L${gcc}`, `-L${lib}`, ...flags]
  return {
    folder,
    lib,
    gcc,
    include: join(folder, 'usr/include'),
    cc: [`${triplet}-gcc`, ...where],
    cxx: [`${triplet}-g++`, ...where]
  }
}
