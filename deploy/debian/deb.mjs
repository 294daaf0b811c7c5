/**
 * Makes Debian packages of the binaries that are built: `npm run deb [-- [--out DIR] [--version VERSION] [ARCH …]]`.
 *
 * Without an architecture there is a package for each binary in `dist`. The same binary gives the same package, byte by
 * byte: its files have the time of source-date.mjs.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'fflate'
import { run, runScript } from '../../runtime/build/command.mjs'
import { sourceDate } from '../../runtime/build/source-date.mjs'
import { architecture, architectures } from '../../runtime/build/sysroot.mjs'
import { temporaryFolder } from '../../runtime/build/temporary.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const maintainer = 'Minnow <minnow@packages.invalid>'
const description = `Redfish service of a management controller
 It serves Redfish over HTTPS for the machine that a board file describes:
 power, boot, BIOS settings, secure boot, sensors, logs, events, accounts and
 updates. Without a board file it simulates a machine.`

/**
 * Makes one package.
 *
 * @param {object} options
 * @param {string} options.arch that has a binary
 * @param {string} options.version
 * @param {string} options.binary file, with `.licenses` and `.cdx.json` beside it
 * @param {string} options.out folder
 * @param {number} options.time of its files, in seconds since 1970
 * @returns {string} the package
 */
export function debianPackage({ arch, version, binary, out, time }) {
  const { debian } = architecture(arch)
  const { path: work, remove } = temporaryFolder()
  try {
    const put = (/** @type {string} */ path, /** @type {string | Uint8Array} */ content, mode = 0o644) => {
      const file = join(work, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
      chmodSync(file, mode)
    }
    const given = (/** @type {string} */ name) => readFileSync(join(root, 'deploy/debian', name))
    const packed = (/** @type {string | Uint8Array} */ text) => gzipSync(Buffer.from(text), { level: 9, mtime: 0 })
    put('usr/bin/minnow', readFileSync(binary), 0o755)
    put('lib/systemd/system/minnow.service', given('minnow.service'))
    put('etc/minnow/minnow.json', given('minnow.json'))
    put('usr/share/man/man1/minnow.1.gz', packed(given('minnow.1')))
    put('usr/share/lintian/overrides/minnow', given('lintian-overrides'))
    put('usr/share/doc/minnow/copyright', copyright())
    put('usr/share/doc/minnow/changelog.gz', packed(changelog(version, time)))
    put('usr/share/doc/minnow/third-parties.txt', readFileSync(`${binary}.licenses`))
    put('usr/share/doc/minnow/minnow.cdx.json', readFileSync(`${binary}.cdx.json`))
    const installed = Math.ceil(Number(run(['du', '-sk', '--apparent-size', work]).split('\t')[0]))
    const files = run(['find', 'usr', 'lib', 'etc', '-type', 'f'], { cwd: work }).trim().split('\n').sort()
    put('DEBIAN/control', control({ version, debian, installed }))
    put('DEBIAN/conffiles', '/etc/minnow/minnow.json\n')
    put('DEBIAN/md5sums', run(['md5sum', ...files.filter((file) => !file.startsWith('etc/'))], { cwd: work }))
    for (const name of ['postinst', 'prerm', 'postrm']) put(`DEBIAN/${name}`, given(name), 0o755)
    mkdirSync(out, { recursive: true })
    const file = join(out, `minnow_${version}_${debian}.deb`)
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(time) }
    run(['sh', '-c', 'umask 022; find . -type d -exec chmod 755 {} +'], { cwd: work })
    run(['dpkg-deb', '--root-owner-group', '-Zxz', '--build', work, file], { env })
    return file
  } finally {
    remove()
  }
}

/** @param {{ version: string, debian: string, installed: number }} facts kibibytes */
const control = ({ version, debian, installed }) => `Package: minnow
Version: ${version}
Architecture: ${debian}
Maintainer: ${maintainer}
Installed-Size: ${installed}
Depends: adduser
Section: admin
Priority: optional
Description: ${description}
`

/**
 * @param {string} version
 * @param {number} time
 */
const changelog = (version, time) => `minnow (${version}) unstable; urgency=medium

  * The changes are in CHANGELOG.md of the sources.

 -- ${maintainer}  ${new Date(time * 1000).toUTCString().replace('GMT', '+0000')}
`

/** Of Minnow itself (Debian's machine-readable format 1.0); the rest is in third-parties.txt. */
function copyright() {
  const [, ...lines] = readFileSync(join(root, 'LICENSE'), 'utf8').trim().split('\n')
  const holder = lines.find((line) => line.startsWith('Copyright')) ?? ''
  const terms = lines
    .filter((line) => line !== holder)
    .join('\n')
    .trim()
    .split('\n')
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Comment: What is linked into the program has terms of its own, which are in third-parties.txt beside this file.

Files: *
Copyright: ${holder.replace(/^Copyright (\(c\) )?/i, '')}
License: MIT
${terms.map((line) => ` ${line || '.'}\n`).join('')}`
}

/** Carries out the command line. */
function main() {
  const { version: current } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string', default: join(root, 'dist') }, version: { type: 'string', default: current } }
  })
  const built = (/** @type {string} */ arch) => join(root, `dist/minnow-${arch}`)
  const archs =
    positionals.length > 0 ? positionals : Object.keys(architectures).filter((arch) => existsSync(built(arch)))
  if (archs.length === 0) throw new Error('no binary is built: npm run binary -- --arch ARCH')
  const time = sourceDate()
  for (const arch of archs) {
    const file = debianPackage({ arch, version: values.version, binary: built(arch), out: resolve(values.out), time })
    process.stdout.write(`${relative(process.cwd(), file)}\n`)
  }
}

runScript(import.meta.url, main)
