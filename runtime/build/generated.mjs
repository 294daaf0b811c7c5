/** Generates from the handler files: stringifiers, the list of handlers, and the documents of the service. */
/** @import { Plugin } from 'esbuild' */
/** @import { Words } from './brand.mjs' */
/** @import { FileSchema } from './file-schemas.mjs' */
/** @import { Route } from './handlers.mjs' */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { applyBrand } from './brand.mjs'
import { handlerMistakes } from './checks/handlers.mjs'
import { Mistakes } from './checks/mistakes.mjs'
import { documents } from './documents.mjs'
import { importFileSchemas } from './file-schemas.mjs'
import { handlersModule, importHandlers, listHandlers } from './handlers.mjs'
import { jsonFiles } from './json-files.mjs'
import { metadata, vendorSchemas } from './metadata.mjs'
import { openapi } from './openapi.mjs'
import { buildPage } from './page.mjs'
import { registryFiles } from './registries.mjs'
import { fileSchema, schemaFiles } from './schemas.mjs'
import { serializers } from './serializers.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/**
 * Writes the module `#generated` with its stringifiers, and `documents.bin`.
 *
 * @param {object} options
 * @param {string} options.out folder of what is built
 * @param {string} options.generated folder of the generated modules
 * @param {Plugin[]} options.plugins for the bundle that the handlers are imported from
 * @param {string} options.handlers folder
 * @param {string} options.registries folder of BIOS attribute registries
 * @param {Words} options.words
 * @throws {Mistakes} in what a handler file exports
 */
export async function generate({ out, generated, plugins, handlers, registries, words }) {
  mkdirSync(generated, { recursive: true })
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const listed = listHandlers(handlers, words)
  const { handlers: routes, contract } = await importHandlers(listed, generated, plugins)
  const fileSchemas = await importFileSchemas(generated, plugins)
  const mistakes = handlerMistakes(routes, contract)
  if (mistakes.length > 0) throw new Mistakes(mistakes)
  writeFileSync(join(generated, 'serializers.js'), serializers(routes))
  writeFileSync(join(generated, 'index.ts'), handlersModule(listed, generated, version))
  const page = await buildPage(plugins, words)
  writeFileSync(join(out, 'page.json'), JSON.stringify({ inputs: page.inputs, terminal: page.terminalInputs }))
  const files = documentsOf(routes, fileSchemas, registries, words, version)
  writeFileSync(join(out, 'documents.bin'), documents([...files, ...page.files, ...page.terminal]))
}

/**
 * The documents that the service has with it, as files.
 *
 * @param {readonly Route[]} routes
 * @param {readonly FileSchema[]} fileSchemas
 * @param {string} attributeRegistries folder
 * @param {Words} words
 * @param {string} version
 */
function documentsOf(routes, fileSchemas, attributeRegistries, words, version) {
  const files = (/** @type {string} */ folder) =>
    jsonFiles(folder).map(({ name, text }) => ({ name, text: applyBrand(text, words) }))
  const registries = files(join(root, 'registries')).map(({ text }) => JSON.parse(text))
  const bios = files(attributeRegistries).map(({ text }) => JSON.parse(text))
  const profiles = JSON.parse(applyBrand(readFileSync(join(root, 'data/profiles.json'), 'utf8'), words))
  const boards = files(join(root, 'data/boards')).map(({ name, text }) => ({ name: `boards/${name}`, text }))
  return [
    ...boards,
    ...fileSchemas.map((each) => ({ name: `${each.name}.schema.json`, text: fileSchema(each) })),
    ...schemaFiles(routes),
    vendorSchemas(routes, words.Vendor ?? 'Vendor'),
    { name: '$metadata', text: metadata(routes, words.Vendor ?? 'Vendor') },
    { name: 'openapi.yaml', text: openapi(routes, { version }) },
    ...registryFiles(routes, registries, bios, profiles)
  ]
}
