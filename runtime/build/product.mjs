/** The product in a folder: for Node.js the bundle, its documents and its native parts; and the binary. */
/** @import { Plugin } from 'esbuild' */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildNative } from './addon.mjs'
import { branded } from './brand.mjs'
import { Mistakes } from './checks/mistakes.mjs'
import { patchedSource } from './debian.mjs'
import { digestOf, isMadeFrom, noteDigest } from './digest.mjs'
import { someDocuments } from './documents.mjs'
import { libcrux } from './libcrux.mjs'
import { mbedtls } from './mbedtls.mjs'
import { writeNumberOfArgs } from './number-of-args.mjs'
import { step } from './progress.mjs'
import { quickjs } from './quickjs.mjs'
import { shortRegistries } from './registries.mjs'
import { sysroot } from './sysroot.mjs'

// The packages that generators and bundler import are loaded where something is to be built: a test run asks each time.

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/**
 * The folders of a build and its sources.
 *
 * @typedef {object} Product
 * @property {string} out the output folder
 * @property {string} generated folder of the generated modules
 * @property {Plugin[]} plugins put the maker's words into the sources
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
 * @param {boolean} [options.fleet] whether the binary has `minnow fleet` in it
 * @param {boolean} [options.terminal] whether the page of the binary has a terminal
 * @param {boolean} [options.objects] whether the linked files are kept beside the binary
 * @param {readonly string[]} [options.backends] the folders of `hal` whose back ends the binary has: all without it
 */
export async function buildProduct({ brand, out, handlers, registries, arch, ...options }) {
  const words = JSON.parse(readFileSync(brand, 'utf8'))
  const known = backendFolders()
  const unknown = (options.backends ?? []).filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new Mistakes(unknown.map((name) => `--backends: ${name} is not known; write some of ${known.join(', ')}`))
  writeNumberOfArgs()
  const digest = digestOf([brand, handlers, registries])
  const plugins = [branded(words)]
  const product = { out, generated: join(out, 'generated'), plugins: [shortRegistries(words), ...plugins], digest }
  const file = join(out, 'minnow.mjs')
  if (!isMadeFrom(digest, file)) {
    const { generate } = await import('./generated.mjs')
    const { nodeBundle } = await import('./bundle.mjs')
    const { licensesOf } = await import('./licenses.mjs')
    linkPackages(out)
    await generate({ ...product, plugins, handlers, registries, words })
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
 * @param {Pick<Parameters<typeof buildProduct>[0], 'fleet' | 'terminal' | 'objects' | 'backends'>} options
 */
async function buildProductBinary(product, arch, { fleet = false, terminal = false, objects = false, backends }) {
  const { out, generated, plugins, digest } = product
  const file = join(out, `minnow-${arch}`)
  const folders = [sysroot(arch).folder, mbedtls(arch).folder, quickjs(arch).folder]
  const made = [digest, `fleet: ${fleet} terminal: ${terminal} backends: ${backends}`, ...folders].join(' ')
  const kept = objects ? `${file}.objects` : undefined
  if (isMadeFrom(made, file) && (kept === undefined || existsSync(kept))) return
  const { embeddedBundle } = await import('./bundle.mjs')
  const { buildBinary } = await import('./binary.mjs')
  const { licensesOf } = await import('./licenses.mjs')
  const { billOfMaterials } = await import('./sbom.mjs')
  const bundle = join(generated, fleet ? 'embedded-fleet.mjs' : 'embedded.mjs')
  const absent = backendFolders().filter((name) => backends !== undefined && !backends.includes(name))
  const { metafile } = await embeddedBundle({
    entry: join(root, 'runtime/embedded/main.ts'),
    out: bundle,
    alias: {
      '#generated': join(generated, 'index.ts'),
      ...Object.fromEntries(absent.map((name) => [`#hal/${name}/backends.ts`, join(root, 'hal/absent.ts')])),
      ...(!fleet && {
        '#runtime/fleet/command.ts': join(root, 'runtime/fleet/absent.ts'),
        '#runtime/recording/recordings.ts': join(root, 'runtime/recording/absent.ts')
      })
    },
    plugins
  })
  writeFileSync(join(out, fleet ? 'meta-embedded-fleet.json' : 'meta-embedded.json'), JSON.stringify(metafile))
  // The objects of an older binary are not this one's.
  rmSync(`${file}.objects`, { recursive: true, force: true })
  const documents = join(generated, `documents-${arch}.bin`)
  const isWanted = (/** @type {string} */ name) =>
    (fleet || !/^fleet[./]/.test(name)) && (terminal || !name.startsWith('page/terminal'))
  writeFileSync(documents, someDocuments(readFileSync(join(out, 'documents.bin')), isWanted))
  step(`building ${relative(process.cwd(), file)}`, () =>
    buildBinary({ arch, bundle, out: file, documents, objects: kept })
  )
  const page = JSON.parse(readFileSync(join(out, 'page.json'), 'utf8'))
  const inputs = [...Object.keys(metafile.inputs), ...page.inputs, ...(terminal ? page.terminal : [])]
  writeFileSync(`${file}.licenses`, licensesOf(folders, inputs))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const sources = [sysroot(arch).folder, ...['mbedtls', 'quickjs'].map(patchedSource)]
  const materials = { name: 'minnow', version, folders: sources, inputs, parts: [libcrux().component] }
  writeFileSync(`${file}.cdx.json`, `${JSON.stringify(billOfMaterials(materials), undefined, 2)}\n`)
  noteDigest(made, file)
  process.stderr.write(`${relative(process.cwd(), file)}\n`)
}
