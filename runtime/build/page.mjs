/** The page: a document, scripts, a style and an icon, with digests of their content in the names. */
/** @import { Plugin } from 'esbuild' */
/** @import { Words } from './brand.mjs' */
/** @import { Document } from './documents.mjs' */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { applyBrand } from './brand.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const source = join(root, 'runtime/page')

/**
 * The files of the page. The terminal is an option of a build.
 *
 * @typedef {object} Page
 * @property {Document[]} files
 * @property {Document[]} terminal
 * @property {string[]} inputs files that the page was bundled from
 * @property {string[]} terminalInputs the same of the terminal
 */

/**
 * Bundles the page. A browser loads the document, the style and two scripts: `main` and the one that it shares with all
 * screens. Each screen, language and the terminal have a file of their own.
 *
 * @param {Plugin[]} plugins put the maker's words into the sources
 * @param {Words} words
 * @returns {Promise<Page>}
 * @throws {Error} if it needs what no browser has
 */
export async function buildPage(plugins, words) {
  const { outputFiles, metafile } = await build({
    entryPoints: ['main.tsx', 'style.css'].map((name) => join(source, name)),
    outdir: 'page',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome109', 'firefox115', 'safari16'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    nodePaths: [join(root, 'node_modules')],
    // Modules of the domain import them for functions that the page has no use for.
    external: ['node:*'],
    plugins: [oneShared, ...plugins, pure],
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    logLevel: 'warning'
  })
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({ name: basename(path), ...output }))
  const left = outputs.flatMap(({ imports }) => imports).filter(({ external }) => external)
  if (left.length > 0) throw new Error(`the page would need ${left.map(({ path }) => path).join(', ')}`)
  const main = outputs.find(({ name }) => /^main-.*js$/.test(name))
  const named = (/** @type {string} */ name) => outputs.find((each) => each.name.startsWith(`${name}-`))?.name ?? ''
  const texts = outputFiles.map(({ path, text }) => ({ name: basename(path), text }))
  const icon = readFileSync(join(source, 'icon.svg'), 'utf8')
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`
  const preloaded = main?.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path))
  const html = applyBrand(readFileSync(join(source, 'index.html'), 'utf8'), words)
    .replace('{icon.svg}', iconName)
    .replace('{style.css}', named('style'))
    .replace('{main.js}', main?.name ?? '')
    .replace(/(.*)\{shared\.js\}(.*\n)/, (_, before, after) =>
      (preloaded ?? []).map((name) => `${before}${name}${after}`).join('')
    )
  const isTerminal = (/** @type {{ name: string }} */ { name }) => name.startsWith('terminal-')
  const inputs = (/** @type {typeof outputs} */ of) => [...new Set(of.flatMap((each) => Object.keys(each.inputs)))]
  return {
    files: [
      ...texts.filter((each) => !isTerminal(each)),
      { name: iconName, text: icon },
      { name: 'index.html', text: html }
    ].map(document),
    terminal: texts.filter(isTerminal).map(document),
    inputs: inputs(outputs.filter((each) => !isTerminal(each))),
    terminalInputs: inputs(outputs.filter(isTerminal))
  }
}

/** @param {Document} file of the page */
const document = ({ name, text }) => ({ name: `page/${name}`, text })

/**
 * Modules that several files need get files of their own, one for each set of users: dozens of requests. What the frame
 * of the page needs counts as needed by each screen, so that it is one file.
 *
 * @type {Plugin}
 */
const oneShared = {
  name: 'one shared file',
  setup(builder) {
    const namespace = 'screen'
    builder.onResolve({ filter: /\.tsx$/ }, ({ path, kind, resolveDir }) =>
      kind === 'dynamic-import' ? { path: join(resolveDir, path), namespace } : undefined
    )
    builder.onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `import ${JSON.stringify(join(source, 'app.tsx'))}\nexport * from ${JSON.stringify(path)}`,
      resolveDir: source
    }))
  }
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
