/**
 * apt with a private configuration: for the suite `trixie`, from the mirror that the machine itself is configured for.
 * Nothing of the machine changes.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './command.mjs'

const suite = 'trixie'
const keyrings = ['/usr/share/keyrings/debian-archive-keyring.gpg', '/usr/share/keyrings/debian-archive-keyring.pgp']

/** The keys that Debian's archive is signed with, if they are here. */
export const keyring = keyrings.find((path) => existsSync(path))

/**
 * The first word of a line in sources.list: packages, or their sources.
 *
 * @typedef {'deb' | 'deb-src'} SourceType
 */

/**
 * Makes a private apt in a folder, and has it read the lists of its packages.
 *
 * @param {string} folder
 * @param {string} debian architecture
 * @param {SourceType} type
 * @returns options to run its commands with; what they download comes into `cwd`
 */
export function configureApt(folder, debian, type) {
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
  const update = (/** @type {boolean} */ pockets) => {
    writeFileSync(join(folder, 'sources.list'), sources(type, pockets))
    run(['apt-get', '-q', 'update'], apt)
  }
  try {
    update(true)
  } catch (error) {
    // Mirrors in the middle of a synchronisation have inconsistent updates while the release itself stands.
    process.stderr.write(`${suite} without its updates: ${error}\n`)
    update(false)
  }
  return apt
}

/**
 * Lines of sources.list for `suite` from the machine's own mirrors.
 *
 * @param {SourceType} type
 * @param {boolean} pockets with its updates and security fixes
 */
function sources(type, pockets) {
  const targets = run(['apt-get', 'indextargets', '--format', '$(REPO_URI) $(RELEASE)', 'Created-By: Packages'])
  const lines = new Set()
  for (const target of targets.trim().split('\n')) {
    const [, uri, pocket] =
      /^(\S+) (?:bookworm|trixie|forky|sid|oldstable|stable|testing|unstable)(-updates|-security)?$/.exec(target) ?? []
    if (uri && (pockets || !pocket)) lines.add(`${type} [signed-by=${keyring}] ${uri} ${suite}${pocket ?? ''} main\n`)
  }
  if (lines.size === 0) throw new Error('no Debian mirror in the apt sources of this machine')
  return [...lines].join('')
}
