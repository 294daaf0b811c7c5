/** Exports of the sources that generators and checks of a build need, imported from one bundle. */
/** @import { Plugin } from 'esbuild' */
/** @import { Handler, HandlerFile } from './handlers.mjs' */
import { join } from 'node:path'
import { importBundled } from './bundle.mjs'

const domain = `import { loadBackends } from '#hal/backends.ts'
export * as contract from '#runtime/contract'
export * as schema from '#runtime/schema'
export { registryFaults } from '#data/bios'
export { boardFaults, boardSchema } from '#data/board'
export { configurationSchema } from '#data/configuration'
export { fleetSchema } from '#data/fleet'
export const backends = await loadBackends()`

/**
 * The exports of the sources.
 *
 * @typedef {object} Sources
 * @property {typeof import('#runtime/contract')} contract
 * @property {typeof import('#runtime/schema')} schema
 * @property {typeof import('#data/bios').registryFaults} registryFaults
 * @property {typeof import('#data/board').boardFaults} boardFaults
 * @property {typeof import('#data/board').boardSchema} boardSchema
 * @property {typeof import('#data/configuration').configurationSchema} configurationSchema
 * @property {typeof import('#data/fleet').fleetSchema} fleetSchema
 * @property {Awaited<ReturnType<typeof import('#hal/backends.ts').loadBackends>>} backends
 */

/**
 * @param {readonly HandlerFile[]} files
 * @param {string} folder for the bundle
 * @param {Plugin[]} plugins
 * @returns {Promise<{ readonly handlers: readonly Handler[], readonly sources: Sources }>}
 */
export async function importSources(files, folder, plugins) {
  const exports = files.map(({ file }, index) => `export * as h${index} from ${JSON.stringify(file)}`)
  const sources = await importBundled([...exports, domain].join('\n'), join(folder, 'sources.mjs'), plugins)
  return { handlers: files.map((each, index) => ({ ...each, module: sources[`h${index}`] })), sources }
}
