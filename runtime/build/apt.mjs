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
 * @returns options to run its commands with; they download to `cwd`
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
  for (const [index, source] of sources.entries()) {
    writeFileSync(join(folder, 'sources.list'), sourcesList(type, source))
    try {
      run(['apt-get', '-q', 'update'], apt)
      expectSuite(apt)
      return apt
    } catch (error) {
      const next = sources[index + 1]
      if (next === undefined) throw error
      process.stderr.write(`Debian's index of ${source.what} cannot be used (${reason(error)}); trying ${next.what}\n`)
    }
  }
  throw new Error(`no lists of packages of ${suite}`)
}

/**
 * The sources of the package lists, best first. While a mirror synchronises, the updates do not match their signatures,
 * or the release itself does not; its alias is another folder there, with lists of another moment.
 */
const sources = [
  { name: suite, pockets: true, what: `${suite} with its updates` },
  { name: suite, pockets: false, what: `${suite} without its updates` },
  { name: 'stable', pockets: false, what: `stable, without its updates` }
]

/**
 * The first error of apt: the rest repeats it.
 *
 * @param {unknown} error
 */
export function reason(error) {
  const text = String(error)
  return /^E: (.*)/m.exec(text)?.[1]?.trim() ?? text
}

/**
 * Throws if the lists are those of another release: an alias moves on.
 *
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} apt
 */
function expectSuite(apt) {
  const codenames = run(['apt-get', 'indextargets', '--format', '$(CODENAME)'], apt).trim().split('\n')
  const other = codenames.find((codename) => codename.split('-')[0] !== suite)
  if (other) throw new Error(`the mirror has ${other} instead`)
}

/**
 * Lines of sources.list from the machine's own mirrors.
 *
 * @param {SourceType} type
 * @param {{ name: string, pockets: boolean }} source a suite; with its updates and security fixes or without
 */
function sourcesList(type, { name, pockets }) {
  const targets = run(['apt-get', 'indextargets', '--format', '$(REPO_URI) $(RELEASE)', 'Created-By: Packages'])
  const lines = new Set()
  for (const target of targets.trim().split('\n')) {
    const [, uri, pocket] =
      /^(\S+) (?:bookworm|trixie|forky|sid|oldstable|stable|testing|unstable)(-updates|-security)?$/.exec(target) ?? []
    if (uri && (pockets || !pocket)) lines.add(`${type} [signed-by=${keyring}] ${uri} ${name}${pocket ?? ''} main\n`)
  }
  if (lines.size === 0) throw new Error('no Debian mirror in the apt sources of this machine')
  return [...lines].join('')
}
