/** The page: a document, a script, a style and an icon, with digests of their content in the names. */
/** @import { BuildOptions, Plugin } from 'esbuild' */
/** @import { Words } from './brand.mjs' */
/** @import { Document } from './documents.mjs' */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, dirname, extname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { applyBrand } from './brand.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const source = join(root, 'runtime/page')

/**
 * The files of the page. The terminal is an option of a build, and is loaded by who opens the console.
 *
 * @typedef {object} Page
 * @property {Document[]} files
 * @property {Document[]} terminal
 * @property {string[]} inputs files that the page was bundled from
 * @property {string[]} terminalInputs the same of the terminal
 */

/**
 * Bundles the page.
 *
 * @param {Plugin[]} plugins put the maker's words into the sources
 * @param {Words} words
 * @returns {Promise<Page>}
 * @throws {Error} if it needs what no browser has
 */
export async function buildPage(plugins, words) {
  const terminal = await bundle(['terminal.ts'], { plugins, loader: { '.css': 'text' } })
  const terminalScript = JSON.stringify(`/page/${terminal.files[0]?.name}`)
  const page = await bundle(['main.tsx', 'style.css'], { plugins, define: { terminalScript } })
  const own = [...page.files, named('icon.svg', readFileSync(join(source, 'icon.svg'), 'utf8'))]
  const html = own.reduce(
    (text, { name, from }) => text.replace(`{${from}}`, name),
    applyBrand(readFileSync(join(source, 'index.html'), 'utf8'), words)
  )
  return {
    files: [...own, { name: 'index.html', text: html }].map(document),
    terminal: terminal.files.map(document),
    inputs: page.inputs,
    terminalInputs: terminal.inputs
  }
}

/** @param {Document} file of the page */
const document = ({ name, text }) => ({ name: `page/${name}`, text })

/**
 * @param {string[]} entries files of the page
 * @param {BuildOptions} options
 */
async function bundle(entries, { plugins = [], ...options }) {
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: entries.map((name) => join(source, name)),
    outdir: 'page',
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome109', 'firefox115', 'safari16'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    nodePaths: [join(root, 'node_modules')],
    // Modules of the domain import them for functions that the page has no use for.
    external: ['node:*', '/page/*'],
    plugins: [...plugins, pure],
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    logLevel: 'warning'
  })
  const needed = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  const left = needed.filter((path) => !path.startsWith('/page/'))
  if (left.length > 0) throw new Error(`the page would need ${left.join(', ')}`)
  const files = outputFiles.map(({ path, text }) => named(basename(path), text))
  return { files, inputs: Object.keys(metafile.inputs) }
}

/**
 * A file under the name by which it is served: with a digest of its content.
 *
 * @param {string} from its own name
 * @param {string} text
 */
function named(from, text) {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  const ending = extname(from)
  return { from, name: `${basename(from, ending)}-${digest}${ending}`, text }
}

/**
 * The page uses rules of the domain, and nothing of what their modules declare beside them for the service: a module of
 * which nothing is used is left out.
 *
 * @type {Plugin}
 */
const pure = {
  name: 'pure',
  setup(builder) {
    builder.onResolve({ filter: /^[#.]/ }, async ({ path, pluginData, ...rest }) => {
      if (pluginData === pure) return undefined
      const { path: found, errors } = await builder.resolve(path, { ...rest, pluginData: pure })
      if (errors.length > 0) return { errors }
      return found.startsWith(source + sep) ? undefined : { path: found, sideEffects: false }
    })
  }
}
