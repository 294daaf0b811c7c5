/**
 * Builds the product into dist/: `node build.mjs [--brand FILE] [--out DIR] [--binary [--arch ARCH]]`.
 *
 * From handlers/ it makes the list of routes (a file's path is its URI template), from their schemas the stringifiers,
 * the published schemas, `$metadata` and OpenAPI; then one bundle for Node.js, and on demand the binary. The maker's
 * words of a brand file take the place of the neutral ones in every source on the way in, and nowhere else.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const root = dirname(fileURLToPath(import.meta.url))
/** What a brand is put into; what is generated from it has it already. */
const sources = /^(handlers|runtime|data|registries)\//
/** Packages that ask Node.js for its modules as CommonJS does. */
const requiring = {
  js: "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url)"
}
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  installPackages()
  const { values } = parseArgs({
    options: {
      brand: { type: 'string', default: join(root, 'data/brand.json') },
      out: { type: 'string', default: join(root, 'dist') },
      handlers: { type: 'string', default: join(root, 'handlers') },
      registries: { type: 'string', default: join(root, 'registries/bios') },
      binary: { type: 'boolean', default: false },
      arch: { type: 'string', default: 'x86_64' }
    }
  })
  const { brand, out, handlers, registries } = values
  const paths = { brand, out, handlers, registries }
  const built = await build(Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, resolve(path)])))
  if (values.binary) await buildBinary(built, values.arch)
}

/** `npm start` and `npm test` work in a plain clone: what package.json asks for is installed when it is not there. */
function installPackages() {
  const installed = join(root, 'node_modules/.package-lock.json')
  if (existsSync(installed)) return
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: ['ignore', process.stderr, 'inherit'] })
}

/**
 * The bundle for Node.js, its documents and its native parts.
 *
 * @param options `brand`, `handlers` and `registries` (of BIOS attributes) are paths, `out` the folder that is filled
 * @returns what a binary is made from: the folder, the module of generated parts, the brand's plugin
 */
export async function build({ brand, out, handlers, registries }) {
  const generated = join(out, 'generated')
  const words = JSON.parse(readFileSync(brand, 'utf8'))
  await countArguments()
  const plugins = [branded(words)]
  const { buildNative } = await import('./runtime/build/addon.mjs')
  buildNative({ out: join(out, 'native') })
  const digest = digestOf([brand, handlers, registries])
  const built = { out, generated, plugins, digest }
  if (isMadeFrom(digest, join(out, 'minnow.mjs'))) return built

  const esbuild = await import('esbuild')
  mkdirSync(generated, { recursive: true })
  linkPackages(out)
  const files = listHandlers(handlers)
  const entries = files.map((file) => ({ file, template: applyBrand(templateOf(handlers, file), words) }))

  const load = (name, contents) => importBundled(esbuild, contents, join(generated, name), plugins)
  const routes = await importHandlers(load, entries)
  const fileSchemas = await importFileSchemas(load)
  const { serializers } = await import('./runtime/build/serializers.mjs')
  writeFileSync(join(generated, 'serializers.js'), serializers(routes))
  writeFileSync(join(generated, 'index.ts'), generatedModule(entries, generated))
  writeFileSync(join(out, 'documents.bin'), await makeDocuments(routes, fileSchemas, registries, words))

  const { metafile } = await esbuild.build({
    entryPoints: [join(root, 'runtime/node/main.ts')],
    outfile: join(out, 'minnow.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['level', 'undici'],
    nodePaths: [join(root, 'node_modules')],
    alias: { '#generated': join(generated, 'index.ts') },
    banner: requiring,
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
    plugins
  })
  writeFileSync(join(out, 'meta.json'), JSON.stringify(metafile))
  writeFileSync(`${join(out, 'minnow.mjs')}.sha256`, digest)
  return built
}

/** The SHA-256 of everything that a build depends on: the sources, what is installed, and `more` paths. */
function digestOf(more) {
  const hash = createHash('sha256').update(process.version)
  const own = ['build.mjs', 'package.json', 'package-lock.json', 'handlers', 'runtime', 'hal', 'data', 'registries']
  const paths = [...own.map((name) => join(root, name)), ...more].filter((path) => existsSync(path))
  for (const path of paths) {
    const names = statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).sort() : ['']
    for (const file of names
      .map((name) => join(path, name))
      .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile()))
      hash.update(`${file}\0`).update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

/** Whether a file was built from what has this digest; it is noted beside the file when that is done. */
function isMadeFrom(digest, file) {
  const note = `${file}.sha256`
  if (existsSync(file) && existsSync(note) && readFileSync(note, 'utf8') === digest) return true
  rmSync(note, { force: true })
  return false
}

/** `dist/minnow-<arch>`: the same TypeScript, bundled for the embedded host and linked into one static program. */
async function buildBinary({ out, generated, plugins, digest }, arch) {
  const file = join(out, `minnow-${arch}`)
  const { sysroot } = await import('./runtime/build/sysroot.mjs')
  const from = `${digest} ${sysroot(arch).folder}`
  if (isMadeFrom(from, file)) return
  const embedded = await import('./runtime/build/binary.mjs')
  const bundle = join(generated, 'embedded.mjs')
  const { metafile } = await embedded.embeddedBundle({
    entry: join(root, 'runtime/embedded/main.ts'),
    out: bundle,
    alias: { '#generated': join(generated, 'index.ts') },
    plugins
  })
  writeFileSync(join(out, 'meta-embedded.json'), JSON.stringify(metafile))
  await embedded.buildBinary({ arch, bundle, out: file, documents: join(out, 'documents.bin') })
  writeFileSync(`${file}.sha256`, from)
  process.stderr.write(`${relative(process.cwd(), file)}\n`)
}

/** Node.js looks for the packages that are no part of the bundle in the folders above it. */
function linkPackages(out) {
  const packages = join(out, 'node_modules')
  const above = relative(root, out).split(sep)[0] !== '..'
  if (!above && !existsSync(packages)) symlinkSync(join(root, 'node_modules'), packages)
}

/** The types of messages follow their registries. What has not changed is not written: the sources may be read-only. */
async function countArguments() {
  const { numberOfArgs } = await import('./runtime/build/number-of-args.mjs')
  const file = join(root, 'runtime/contract/number-of-args.ts')
  const registries = jsonFiles('registries').map((name) =>
    JSON.parse(readFileSync(join(root, 'registries', name), 'utf8'))
  )
  const source = numberOfArgs(registries)
  if (!existsSync(file) || readFileSync(file, 'utf8') !== source) writeFileSync(file, source)
}

function listHandlers(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

/** handlers/redfish/v1/Chassis/{ChassisId}.ts is /redfish/v1/Chassis/{ChassisId} */
function templateOf(folder, file) {
  return `/${relative(folder, file).slice(0, -'.ts'.length)}`
}

/** Imports every handler, to generate from what it exports. */
async function importHandlers(load, entries) {
  const exports = entries.map(({ file }, index) => `export * as h${index} from ${JSON.stringify(file)}`)
  const modules = await load('handlers.mjs', exports.join('\n'))
  return entries.map(({ template }, index) => ({ template, module: modules[`h${index}`] }))
}

/** Imports the schemas of the files that people write. */
async function importFileSchemas(load) {
  const { backends, boardSchema, configurationSchema } = await load(
    'file-schemas.mjs',
    `export { boardSchema } from '#data/board'
export { configurationSchema } from '#data/configuration'
export { backends } from '#hal/backends.ts'`
  )
  return [
    { name: 'board', title: 'A board of Minnow', schema: boardSchema(backends) },
    { name: 'configuration', title: 'Configuration of Minnow', schema: configurationSchema }
  ]
}

async function importBundled(esbuild, contents, outfile, plugins) {
  await esbuild.build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: requiring,
    logLevel: 'warning',
    plugins
  })
  return import(`${pathToFileURL(outfile)}?${Date.now()}`)
}

function generatedModule(entries, generated) {
  const from = (file) => JSON.stringify(relative(generated, file).replace(/^(?!\.)/, './'))
  const imports = entries.map(({ file }, index) => `import * as h${index} from ${from(file)}`)
  const rows = entries.map(({ template }, index) => {
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

async function makeDocuments(routes, fileSchemas, attributeRegistries, words) {
  const text = (file) => applyBrand(readFileSync(resolve(root, file), 'utf8'), words)
  const registries = jsonFiles('registries').map((name) => JSON.parse(text(`registries/${name}`)))
  const bios = jsonFiles(attributeRegistries).map((name) => JSON.parse(text(join(attributeRegistries, name))))
  const boards = jsonFiles('data/boards').map((name) => ({ name: `boards/${name}`, text: text(`data/boards/${name}`) }))
  const { documents } = await import('./runtime/build/documents.mjs')
  const { fileSchema, schemaFiles } = await import('./runtime/build/schemas.mjs')
  const { metadata } = await import('./runtime/build/metadata.mjs')
  const { openapi } = await import('./runtime/build/openapi.mjs')
  const { registryFiles } = await import('./runtime/build/registries.mjs')
  return documents([
    ...boards,
    ...fileSchemas.map((each) => ({ name: `${each.name}.schema.json`, text: fileSchema(each) })),
    ...schemaFiles(routes),
    { name: '$metadata', text: metadata(routes) },
    { name: 'openapi.yaml', text: openapi(routes, { version }) },
    ...registryFiles(routes, registries, bios)
  ])
}

function jsonFiles(folder) {
  const names = readdirSync(resolve(root, folder)).filter((name) => name.endsWith('.json'))
  return names.sort()
}

function applyBrand(text, words) {
  return text.replace(/Vendor|Mgmt/g, (word) => words[word])
}

/** The one place where the maker's words come in. */
function branded(words) {
  const loaders = { '.ts': 'ts', '.json': 'json' }
  return {
    name: 'brand',
    setup(builder) {
      builder.onLoad({ filter: /\.(ts|json)$/ }, ({ path }) => {
        if (!sources.test(relative(root, path))) return undefined
        const extension = path.slice(path.lastIndexOf('.'))
        return { contents: applyBrand(readFileSync(path, 'utf8'), words), loader: loaders[extension] }
      })
    }
  }
}
