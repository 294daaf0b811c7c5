/** The product in a folder: for Node.js the bundle, its documents and its native parts; and the binary. */
/** @import { Plugin } from 'esbuild' */
/** @import { Words } from './brand.mjs' */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildNative } from './addon.mjs'
import { branded } from './brand.mjs'
import { Mistakes } from './checks/mistakes.mjs'
import { patchedSource } from './debian.mjs'
import { digestOf, isMadeFrom, noteDigest } from './digest.mjs'
import { someDocuments } from './documents.mjs'
import { features, left, unflashed } from './features.mjs'
import { libcrux } from './libcrux.mjs'
import { mbedtls } from './mbedtls.mjs'
import { writeNumberOfArgs } from './number-of-args.mjs'
import { step } from './progress.mjs'
import { quickjs } from './quickjs.mjs'
import { shortRegistries } from './registries.mjs'
import { sysroot } from './sysroot.mjs'

// The packages that generators and bundler import are loaded where something is to be built: a test run asks each time.

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** Architectures of binaries that are flashed: every byte of them counts. */
const flashed = ['armv7', 'armv5']

/**
 * The folders of a build and its sources.
 *
 * @typedef {object} Product
 * @property {string} out the output folder
 * @property {string} generated folder of the generated modules
 * @property {Plugin[]} plugins put the maker's words into the sources
 * @property {string} handlers folder
 * @property {Words} words of the maker
 * @property {string} digest of the sources
 */

/**
 * Builds the products that are older than their sources.
 *
 * @param {object} options
 * @param {string} options.brand file with the maker's words
 * @param {string} options.out folder that is filled
 * @param {string} options.handlers folder
 * @param {string} options.registries folder of BIOS attribute registries
 * @param {string | undefined} options.arch of the binary; without it none is built
 * @param {readonly string[] | undefined} [options.without] features that the binary does not have: without it those that
 *   a flash has no room for
 * @param {boolean} [options.objects] whether the linked files are kept beside the binary
 * @param {readonly string[]} [options.backends] the folders of `hal` whose back ends the binary has: all without it
 */
export async function buildProduct({ brand, out, handlers, registries, arch, ...options }) {
  const words = JSON.parse(readFileSync(brand, 'utf8'))
  const mistakes = [
    ...unknown('backends', options.backends, backendFolders()),
    ...unknown('without', options.without, Object.keys(features))
  ]
  if (mistakes.length > 0) throw new Mistakes(mistakes)
  writeNumberOfArgs()
  const digest = digestOf([brand, handlers, registries])
  const plugins = [branded(words)]
  const product = {
    out,
    generated: join(out, 'generated'),
    plugins: [shortRegistries(words), ...plugins],
    handlers,
    words,
    digest
  }
  const file = join(out, 'minnow.mjs')
  if (!isMadeFrom(digest, file)) {
    const { generate } = await import('./generated.mjs')
    const { nodeBundle } = await import('./bundle.mjs')
    const { licensesOf } = await import('./licenses.mjs')
    linkPackages(out)
    await generate({ ...product, plugins, registries })
    const { metafile } = await nodeBundle({ ...product, entry: 'main.ts', out: file })
    writeFileSync(`${file}.licenses`, licensesOf([], Object.keys(metafile.inputs)))
    await nodeBundle({ ...product, entry: 'controller.ts', out: join(out, 'controller.mjs') })
    writeFileSync(join(out, 'meta.json'), JSON.stringify(metafile))
    noteDigest(digest, file)
  }
  const { missing } = buildNative({ out: join(out, 'native') })
  if (missing.length > 0)
    process.stderr.write(
      `left out: native parts, which flash devices, GPIO and serial lines need: ${missing.join(', ')}\n`
    )
  if (arch !== undefined) await buildProductBinary(product, arch, options)
}

/**
 * @param {string} option of the build
 * @param {readonly string[]} given
 * @param {readonly string[]} known
 */
const unknown = (option, given = [], known) =>
  given
    .filter((name) => !known.includes(name))
    .map((name) => `--${option}: ${name} is not known; write some of ${known.join(', ')}`)

/** The folders of `hal` with back ends of board files. */
const backendFolders = () =>
  readdirSync(join(root, 'hal')).filter((name) => existsSync(join(root, 'hal', name, 'backends.ts')))

/**
 * Node.js looks for the packages that are no part of the bundle in the folders above it.
 *
 * @param {string} out
 */
function linkPackages(out) {
  const packages = join(out, 'node_modules')
  const above = relative(root, out).split(sep)[0] !== '..'
  if (above || existsSync(packages)) return
  mkdirSync(out, { recursive: true })
  symlinkSync(join(root, 'node_modules'), packages)
}

/**
 * `minnow-<arch>`: the same TypeScript, bundled for the embedded host and linked into one static program; beside it
 * `minnow-<arch>.licenses`, the terms of all that is in it, and `minnow-<arch>.cdx.json`, what that is.
 *
 * @param {Product} product
 * @param {string} arch
 * @param {Pick<Parameters<typeof buildProduct>[0], 'without' | 'objects' | 'backends'>} options
 */
async function buildProductBinary(
  product,
  arch,
  { without = flashed.includes(arch) ? unflashed : [], objects = false, backends }
) {
  const { out, generated, plugins, handlers, words, digest } = product
  const file = join(out, `minnow-${arch}`)
  const folders = [sysroot(arch).folder, mbedtls(arch).folder, quickjs(arch).folder]
  const made = [digest, `without: ${without} backends: ${backends}`, ...folders].join(' ')
  const kept = objects ? `${file}.objects` : undefined
  if (isMadeFrom(made, file) && (kept === undefined || existsSync(kept))) return
  const { embeddedBundle } = await import('./bundle.mjs')
  const { buildBinary } = await import('./binary.mjs')
  const { handlersModule, listHandlers } = await import('./handlers.mjs')
  const { licensesOf } = await import('./licenses.mjs')
  const { billOfMaterials } = await import('./sbom.mjs')
  const has = (/** @type {keyof typeof features} */ name) => !without.includes(name)
  const { alias, defines, isWanted, isServed } = left(without)
  const bundle = join(generated, has('fleet') ? 'embedded-fleet.mjs' : 'embedded.mjs')
  const absent = backendFolders().filter((name) => backends !== undefined && !backends.includes(name))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const index = join(generated, 'index-binary.ts')
  writeFileSync(index, handlersModule(listHandlers(handlers, words), generated, version, isServed))
  const { metafile } = await embeddedBundle({
    entry: join(root, 'runtime/embedded/main.ts'),
    out: bundle,
    alias: {
      '#generated': index,
      ...Object.fromEntries(absent.map((name) => [`#hal/${name}/backends.ts`, join(root, 'hal/absent.ts')])),
      ...alias
    },
    plugins
  })
  writeFileSync(join(out, has('fleet') ? 'meta-embedded-fleet.json' : 'meta-embedded.json'), JSON.stringify(metafile))
  // The objects of an older binary are not this one's.
  rmSync(`${file}.objects`, { recursive: true, force: true })
  const documents = join(generated, `documents-${arch}.bin`)
  writeFileSync(documents, someDocuments(readFileSync(join(out, 'documents.bin')), isWanted))
  step(`building ${relative(process.cwd(), file)}`, () =>
    buildBinary({ arch, bundle, out: file, documents, defines, objects: kept })
  )
  const page = JSON.parse(readFileSync(join(out, 'page.json'), 'utf8'))
  const inputs = [
    ...Object.keys(metafile.inputs),
    ...(has('page') ? page.inputs : []),
    ...(has('page') && has('terminal') ? page.terminal : [])
  ]
  writeFileSync(`${file}.licenses`, licensesOf(folders, inputs))
  const sources = [sysroot(arch).folder, ...['mbedtls', 'quickjs'].map(patchedSource)]
  const materials = {
    name: 'minnow',
    version,
    folders: sources,
    inputs,
    parts: has('ml-kem') ? [libcrux().component] : []
  }
  writeFileSync(`${file}.cdx.json`, `${JSON.stringify(billOfMaterials(materials), undefined, 2)}\n`)
  noteDigest(made, file)
  process.stderr.write(`${relative(process.cwd(), file)}\n`)
}
