/** The files of `handlers/`, whose paths are the URI templates that they answer. */
/** @import { Plugin } from 'esbuild' */
/** @import { HandlerModule } from '#runtime/contract' */
/** @import { Words } from './brand.mjs' */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { applyBrand } from './brand.mjs'
import { importBundled } from './bundle.mjs'

/**
 * A file and its template: handlers/redfish/v1/Chassis/{ChassisId}.ts is /redfish/v1/Chassis/{ChassisId}.
 *
 * @typedef {{ readonly file: string, readonly template: string }} HandlerFile
 */

/**
 * A template and what its file exports.
 *
 * @typedef {{ readonly template: string, readonly module: HandlerModule }} Route
 */

/** @typedef {HandlerFile & Route} Handler */

/** @typedef {typeof import('#runtime/contract')} Contract */

/**
 * @param {string} folder
 * @param {Words} words
 * @returns {HandlerFile[]}
 */
export function listHandlers(folder, words) {
  return readdirSync(folder, { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => ({ file: join(folder, name), template: applyBrand(`/${name.slice(0, -'.ts'.length)}`, words) }))
}

/**
 * Imports every handler, to generate from what it exports, and the contract that they keep to.
 *
 * @param {readonly HandlerFile[]} files
 * @param {string} folder for the bundle that they are imported from
 * @param {Plugin[]} plugins
 * @returns {Promise<{ readonly handlers: readonly Handler[], readonly contract: Contract }>}
 */
export async function importHandlers(files, folder, plugins) {
  const exports = files.map(({ file }, index) => `export * as h${index} from ${JSON.stringify(file)}`)
  const source = [...exports, "export * as contract from '#runtime/contract'"].join('\n')
  const modules = await importBundled(source, join(folder, 'handlers.mjs'), plugins)
  return {
    handlers: files.map((each, index) => ({ ...each, module: modules[`h${index}`] })),
    contract: modules.contract
  }
}

/**
 * The source of the module `#generated`: the handlers with their templates and stringifiers.
 *
 * @param {readonly HandlerFile[]} files
 * @param {string} folder that the module is put into, beside `serializers.js`
 * @param {string} version of the service
 */
export function handlersModule(files, folder, version) {
  const from = (/** @type {string} */ file) => JSON.stringify(relative(folder, file).replace(/^(?!\.)/, './'))
  const imports = files.map(({ file }, index) => `import * as h${index} from ${from(file)}`)
  const rows = files.map(({ template }, index) => {
    const key = JSON.stringify(template)
    return `  { template: ${key}, module: h${index}, stringify: serializers[${key}] }`
  })
  return `// Made by build.mjs from handlers/.
import { serializers } from './serializers.js'
${imports.join('\n')}

export const version = ${JSON.stringify(version)}
export const handlers = [
${rows.join(',\n')}
]
`
}
