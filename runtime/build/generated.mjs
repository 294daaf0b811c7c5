/** Generates from the handler files: stringifiers, the list of handlers, and the documents of the service. */
/** @import { Plugin } from 'esbuild' */
/** @import { Words } from './brand.mjs' */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { applyBrand } from './brand.mjs'
import { check } from './checks/check.mjs'
import { documents } from './documents.mjs'
import { fileSchemas } from './file-schemas.mjs'
import { handlersModule, listHandlers } from './handlers.mjs'
import { jsonFiles } from './json-files.mjs'
import { metadata, vendorSchemas } from './metadata.mjs'
import { openapi } from './openapi.mjs'
import { buildFleetPage, buildPage } from './page.mjs'
import { registryFiles } from './registries.mjs'
import { fileSchema, schemaFiles } from './schemas.mjs'
import { serializers } from './serializers.mjs'
import { importSources } from './sources.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/**
 * Writes the module `#generated` with its stringifiers, and `documents.bin`.
 *
 * @param {object} options
 * @param {string} options.out the output folder
 * @param {string} options.generated folder of the generated modules
 * @param {Plugin[]} options.plugins for the bundle that the handlers are imported from
 * @param {string} options.handlers folder
 * @param {string} options.registries folder of BIOS attribute registries
 * @param {Words} options.words
 * @throws {import('./checks/mistakes.mjs').Mistakes} in the sources
 */
export async function generate({ out, generated, plugins, handlers, registries, words }) {
  mkdirSync(generated, { recursive: true })
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const listed = listHandlers(handlers, words)
  const { handlers: routes, sources } = await importSources(listed, generated, plugins)
  const boards = jsonFiles(join(root, 'data/boards'), words)
  const messages = jsonFiles(join(root, 'registries'), words)
  const attributes = jsonFiles(registries, words)
  const known = jsonFiles(join(root, 'registries/bios'), words).map(({ value }) => value.Id)
  check({ data: join(root, 'data'), handlers: routes, boards, messages, attributes, known }, sources)
  writeFileSync(join(generated, 'serializers.js'), serializers(routes))
  writeFileSync(join(generated, 'index.ts'), handlersModule(listed, generated, version))
  const page = await buildPage(plugins, words)
  const fleetPage = await buildFleetPage(plugins, words)
  writeFileSync(join(out, 'page.json'), JSON.stringify({ inputs: page.inputs, terminal: page.terminalInputs }))
  const profiles = JSON.parse(applyBrand(readFileSync(join(root, 'data/profiles.json'), 'utf8'), words))
  const vendor = words.Vendor ?? 'Vendor'
  const files = [
    ...boards.map(({ name, text }) => ({ name: `boards/${name}`, text })),
    ...fileSchemas(sources).map((each) => ({ name: `${each.name}.schema.json`, text: fileSchema(each) })),
    ...schemaFiles(routes),
    vendorSchemas(routes, vendor),
    { name: '$metadata', text: metadata(routes, vendor) },
    { name: 'openapi.yaml', text: openapi(routes, { version }) },
    ...registryFiles(
      routes,
      messages.map(({ value }) => value),
      attributes.map(({ value }) => value),
      profiles
    )
  ]
  writeFileSync(join(out, 'documents.bin'), documents([...files, ...page.files, ...page.terminal, ...fleetPage.files]))
}
