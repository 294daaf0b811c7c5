/**
 * The contents of a binary or an image, as a CycloneDX 1.6 document (ECMA-424): Debian's packages and the npm packages,
 * each as it was.
 */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { debianLicense } from './debian-license.mjs'
import { packageFolders } from './licenses.mjs'

/**
 * A component of CycloneDX, as far as it is used here.
 *
 * @typedef {object} Component
 * @property {'library'} type
 * @property {string} bom-ref
 * @property {string} name
 * @property {string} version
 * @property {string} purl
 * @property {{ alg: 'SHA-256', content: string }[]} [hashes] of the file that was fetched
 * @property {({ license: { id: string } } | { expression: string })[]} licenses
 * @property {{ name: string, value: string }[]} [properties]
 */

/**
 * The same for the same input: it has neither a time nor a serial number, both of which the standard leaves open.
 *
 * @param {object} options
 * @param {string} options.name of the binary or image
 * @param {string} options.version
 * @param {readonly string[]} options.folders of unpacked packages and sources (`debian.mjs`)
 * @param {readonly string[]} options.inputs files that were bundled
 * @param {readonly Component[]} [options.parts] what else is in it
 * @returns {object}
 * @throws {Error} if a package lacks its name or version
 */
export function billOfMaterials({ name, version, folders, inputs, parts = [] }) {
  const components = [...parts, ...folders.flatMap(debianComponents), ...packageFolders(inputs).map(npmComponent)]
  const own = `pkg:generic/${name}@${version}`
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': own, name, version, purl: own } },
    components,
    dependencies: [{ ref: own, dependsOn: components.map((each) => each['bom-ref']) }]
  }
}

/**
 * The packages in a folder, and the source packages: those are named by their `.dsc`, or where only the source of the
 * authors was fetched by that.
 *
 * @param {string} folder
 * @returns {Component[]}
 */
function debianComponents(folder) {
  const lines = readFileSync(join(folder, 'packages'), 'utf8').trim().split('\n')
  const described = lines.filter((line) => /^\S+\.(?:deb|dsc) /.test(line))
  return (described.length > 0 ? described : lines).map((line) => {
    const [file = '', , sum = ''] = line.split(' ')
    const [, name, version = '', arch = 'source'] =
      /^([^_]+)_([^_]+?)(?:_([^_]+)\.deb|\.dsc|\.orig\.tar\.\w+)$/.exec(file) ?? []
    if (name === undefined) throw new Error(`${file} in ${basename(folder)} is not a package`)
    const plain = decodeURIComponent(version)
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(plain)}?arch=${arch}&distro=trixie`
    const source = arch === 'source' ? `${name} ${plain}` : sourceOf(folder, name)
    return {
      type: 'library',
      'bom-ref': purl,
      name,
      version: plain,
      purl,
      licenses: licenses(debianLicense(source.replace(/ .*/, ''), copyrightOf(folder, name, arch))),
      hashes: [{ alg: 'SHA-256', content: sum.replace('SHA256:', '') }],
      properties: [{ name: 'debian:source', value: source }]
    }
  })
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {string} arch
 */
function copyrightOf(folder, name, arch) {
  return join(folder, arch === 'source' ? 'debian' : join('usr/share/doc', name), 'copyright')
}

/**
 * @param {string} expression of SPDX
 * @returns {Component['licenses']}
 */
function licenses(expression) {
  return [/^[\w.+-]+$/.test(expression) ? { license: { id: expression } } : { expression }]
}

/**
 * Name and version of the source that a package was built from: the first line of its changelog.
 *
 * @param {string} folder
 * @param {string} name
 */
function sourceOf(folder, name) {
  const docs = join(folder, 'usr/share/doc', name)
  const log = ['changelog.Debian.gz', 'changelog.gz'].map((each) => join(docs, each)).find((each) => existsSync(each))
  const [, source, version] =
    log === undefined ? [] : (/^(\S+) \((\S+)\)/.exec(gunzipSync(readFileSync(log)).toString()) ?? [])
  if (source === undefined) throw new Error(`the changelog of ${name} in ${basename(folder)} names no source`)
  return `${source} ${version}`
}

/**
 * @param {string} folder of a package
 * @returns {Component}
 */
function npmComponent(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (name === undefined || version === undefined || typeof license !== 'string')
    throw new Error(`${folder} does not say what it is`)
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: licenses(license) }
}
