/** The files of `handlers/`, whose paths are the URI templates that they answer. */
/** @import { HandlerModule } from '#runtime/contract' */
/** @import { Words } from './brand.mjs' */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { applyBrand } from './brand.mjs'

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
 * The source of the module `#generated`: the handlers with their templates and stringifiers.
 *
 * @param {readonly HandlerFile[]} files
 * @param {string} folder that the module is put into, beside `serializers.js`
 * @param {string} version of the service
 * @param {(template: string) => boolean} [isServed] whether there is what a handler is for: by default all
 */
export function handlersModule(files, folder, version, isServed = () => true) {
  const from = (/** @type {string} */ file) => JSON.stringify(relative(folder, file).replace(/^(?!\.)/, './'))
  const imports = files.map(({ file }, index) => `import * as h${index} from ${from(file)}`)
  const rows = files.map(({ template }, index) => {
    const key = JSON.stringify(template)
    const module = isServed(template) ? `h${index}` : `{ ...h${index}, exists: () => false }`
    return `  { template: ${key}, module: ${module}, stringify: serializers[${key}] ?? JSON.stringify }`
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
