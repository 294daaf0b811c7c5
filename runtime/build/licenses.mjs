/** The licences and notices that the authors of the libraries in a binary want passed on with it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where Debian keeps the texts that many packages refer to. */
const commonLicenses = /\/usr\/share\/common-licenses\/([\w.-]*\w)/g

/**
 * The copyrights and licenses of Debian's packages in some folders and of the npm packages in a bundle, as text, with
 * the licenses that they refer to.
 *
 * @param {readonly string[]} folders sysroots, and what else was built of Debian's packages
 * @param {readonly string[]} inputs files that were bundled
 * @throws {Error} if a package states no license
 */
export function licensesOf(folders, inputs) {
  const debian = folders.flatMap((folder) => {
    const docs = join(folder, 'usr/share/doc')
    const packages = readdirSync(docs, { withFileTypes: true }).filter((entry) => entry.isDirectory()) // else it is a link
    return packages.map(({ name }) => section(name, join(docs, name, 'copyright')))
  })
  const npm = packageFolders(inputs).map((folder) => {
    const name = readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name)) ?? 'LICENSE'
    return section(folder.replace(/^.*node_modules\//, ''), join(folder, name))
  })
  const texts = [...debian.sort(), ...npm].join('')
  const named = new Set([...texts.matchAll(commonLicenses)].map(([path]) => path))
  return `${texts}${[...named]
    .sort()
    .map((path) => section(path, path))
    .join('')}`
}

/**
 * The folders of the npm packages in bundles, by where these are installed: links may lead there as well.
 *
 * @param {readonly string[]} inputs files that were bundled
 */
export function packageFolders(inputs) {
  const found = inputs.map(
    (file) => /^.*?node_modules\/((?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+)(?=\/)/.exec(file) ?? []
  )
  const folders = new Map(found.flatMap(([folder, name]) => (name === undefined ? [] : [[name, folder]])))
  return [...folders.keys()].sort().map((name) => String(folders.get(name)))
}

/**
 * One of these texts under its title.
 *
 * @param {string} title
 * @param {string} file
 * @throws {Error} if it does not exist
 */
export function section(title, file) {
  if (!existsSync(file)) throw new Error(`no license of ${title}: ${file}`)
  return `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${readFileSync(file, 'utf8').trim()}\n\n`
}
