/** The schemas of the files that people write. */
/** @import { Sources } from './sources.mjs' */
/** @import { AnyProperty } from './types.mjs' */

/**
 * A kind of files.
 *
 * @typedef {object} FileSchema
 * @property {string} name of the kind
 * @property {string} title of such files, for people
 * @property {AnyProperty} schema
 */

/**
 * @param {Sources} sources
 * @returns {FileSchema[]}
 */
export const fileSchemas = ({ backends, boardSchema, configurationSchema, fleetSchema }) => [
  { name: 'board', title: 'A board of Minnow', schema: boardSchema(backends) },
  { name: 'configuration', title: 'Configuration of Minnow', schema: configurationSchema },
  { name: 'fleet', title: 'A fleet of Minnows', schema: fleetSchema }
]
