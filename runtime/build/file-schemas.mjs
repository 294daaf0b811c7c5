/** The schemas of the files that people write. */
/** @import { Plugin } from 'esbuild' */
/** @import { AnyProperty } from './types.mjs' */
import { join } from 'node:path'
import { importBundled } from './bundle.mjs'

/**
 * A kind of files.
 *
 * @typedef {object} FileSchema
 * @property {string} name of the kind
 * @property {string} title of such files, for people
 * @property {AnyProperty} schema
 */

const source = `export { boardSchema } from '#data/board'
export { configurationSchema } from '#data/configuration'
export { fleetSchema } from '#data/fleet'
export { backends } from '#hal/backends.ts'`

/**
 * @param {string} folder for the bundle that they are imported from
 * @param {Plugin[]} plugins
 * @returns {Promise<FileSchema[]>}
 */
export async function importFileSchemas(folder, plugins) {
  const { backends, boardSchema, configurationSchema, fleetSchema } = await importBundled(
    source,
    join(folder, 'file-schemas.mjs'),
    plugins
  )
  return [
    { name: 'board', title: 'A board of Minnow', schema: boardSchema(backends) },
    { name: 'configuration', title: 'Configuration of Minnow', schema: configurationSchema },
    { name: 'fleet', title: 'A fleet of Minnows', schema: fleetSchema }
  ]
}
