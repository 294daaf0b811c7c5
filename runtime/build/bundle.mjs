/** The two bundles of the service: one for Node.js, and one for the engine of the binary. */
/** @import { BuildFailure, BuildOptions, Plugin } from 'esbuild' */
import { readdirSync, rmSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, dirname, join, parse, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { Mistakes } from './checks/mistakes.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const embedded = join(root, 'runtime/embedded')

/** One ES module for Node.js; packages that ask for its modules as CommonJS does find a `require`. */
const forNode = /** @satisfies {BuildOptions} */ ({
  bundle: true,
  platform: 'node',
  format: 'esm',
  banner: {
    js: "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url)"
  },
  logLevel: 'warning'
})

/**
 * Bundles a module for Node.js, and imports it.
 *
 * @param {string} contents TypeScript
 * @param {string} out file
 * @param {Plugin[]} plugins
 * @returns its exports
 * @throws {Mistakes} for sources that esbuild does not take
 */
export async function importBundled(contents, out, plugins) {
  const stdin = /** @type {const} */ ({ contents, resolveDir: root, loader: 'ts' })
  try {
    await build({ ...forNode, stdin, outfile: out, plugins, logLevel: 'silent' })
  } catch (error) {
    const { errors } = /** @type {BuildFailure} */ (error)
    throw new Mistakes(errors.map(({ location, text }) => `${location?.file}:${location?.line}: ${text}`))
  }
  return import(`${pathToFileURL(out)}?${Date.now()}`)
}

/**
 * Bundles the service for Node.js.
 *
 * @param {object} options
 * @param {string} options.entry a file of `runtime/node`
 * @param {string} options.out file
 * @param {string} options.generated folder of the generated modules
 * @param {Plugin[]} options.plugins
 */
export function nodeBundle({ entry, out, generated, plugins }) {
  return build({
    ...forNode,
    entryPoints: [join(root, 'runtime/node', entry)],
    outfile: out,
    target: 'node20',
    external: ['level', 'undici'],
    nodePaths: [join(root, 'node_modules')],
    alias: { '#generated': join(generated, 'index.ts') },
    sourcemap: true,
    metafile: true,
    plugins
  })
}

/**
 * The folder of the parts of a bundle for the engine: what `import()` loads, and what that has in common with the rest.
 *
 * @param {string} bundle file
 */
export const partsOf = (bundle) => `${bundle}.parts`

/**
 * Bundles `entry` for the engine into the ES module `out`: the globals first, then the entry, with drop-ins in place of
 * Node's modules. Modules that it loads by `import()` get files of their own, see {@link partsOf}.
 *
 * @param {{ entry: string, out: string } & Pick<BuildOptions, 'alias' | 'define' | 'minify' | 'plugins'>} options
 */
export function embeddedBundle({ entry, out, define = {}, alias = {}, plugins = [], minify = true }) {
  rmSync(partsOf(out), { recursive: true, force: true })
  return build({
    stdin: { contents: afterGlobals(resolve(entry)), resolveDir: root, sourcefile: 'start.js' },
    outdir: dirname(out),
    entryNames: parse(out).name,
    chunkNames: `${basename(partsOf(out))}/[hash]`,
    outExtension: { '.js': parse(out).ext },
    splitting: true,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'main'],
    conditions: ['import', 'module'],
    // QuickJS is no V8, but like a V8 of this version it escapes a string faster in C than fast-json-stringify's loop does.
    define: { global: 'globalThis', 'process.versions.v8': '"13.8"', ...define },
    alias,
    plugins: [dropIns, ...plugins],
    minify,
    sourcemap: 'external',
    // The names of parts are hashes of their source maps, too, which are the same wherever the packages are.
    preserveSymlinks: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning'
  })
}

/**
 * esbuild does not keep the order of modules that are in several parts: only what is loaded later is evaluated later.
 *
 * @param {string} file
 * @returns {string} a module that has the globals before anything of a file is evaluated
 */
const afterGlobals = (file) =>
  `import ${JSON.stringify(join(embedded, 'modules/globals.ts'))}\nawait import(${JSON.stringify(file)})\n`

/**
 * Node's modules, and the packages that only work there, are the drop-ins of `modules/`.
 *
 * @type {Plugin}
 */
const dropIns = {
  name: 'drop-ins',
  setup({ onResolve }) {
    const folder = join(embedded, 'modules')
    const own = new Map(readdirSync(folder).map((name) => [parse(name).name, { path: join(folder, name) }]))
    onResolve({ filter: /^minnow:/ }, ({ path }) => ({ path, external: true }))
    onResolve({ filter: /^#hal\/native$/ }, () => own.get('native'))
    onResolve({ filter: /^\.\/serializers\.js$/ }, () => own.get('serializers'))
    onResolve({ filter: /^(node:)?[a-z_]+(\/[a-z_]+)?$/ }, ({ path, importer }) => {
      const name = path.replace(/^node:/, '')
      const dropIn = own.get(name.replace('/', '_'))
      if (dropIn !== undefined || !builtinModules.includes(name)) return dropIn
      return { errors: [{ text: `the binary has no drop-in for ${path}, imported by ${importer}` }] }
    })
  }
}
