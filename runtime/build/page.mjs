/** The page: a document, scripts, a style and an icon, with digests of their content in the names. */
/** @import { Plugin } from 'esbuild' */
/** @import { Words } from './brand.mjs' */
/** @import { Document } from './documents.mjs' */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { applyBrand } from './brand.mjs'
import { translations } from './translations.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const source = join(root, 'runtime/page')

/** The page of a fleet, made from the same parts. */
const fleet = 'fleet'

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
 * Bundles the page of a controller. A browser loads the document, the style and two scripts: `main` and the one that it
 * shares with all screens. Each screen, language and the terminal have a file of their own.
 *
 * @param {Plugin[]} plugins put the maker's words into the sources
 * @param {Words} words
 * @throws {Error} if it needs what no browser has
 */
export const buildPage = (plugins, words) => bundlePage('page', source, plugins, words)

/**
 * Bundles the page of a fleet.
 *
 * @param {Plugin[]} plugins
 * @param {Words} words
 */
export const buildFleetPage = (plugins, words) => bundlePage(fleet, join(source, fleet), plugins, words)

/**
 * @param {string} folder of its files among the documents
 * @param {string} from the folder of its document, style and `main.tsx`
 * @param {Plugin[]} plugins
 * @param {Words} words
 * @returns {Promise<Page>}
 */
async function bundlePage(folder, from, plugins, words) {
  const { outputFiles, metafile } = await build({
    entryPoints: ['main.tsx', 'style.css'].map((name) => join(from, name)),
    absWorkingDir: root,
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
    plugins: [oneShared(from), translations(join(source, 'words'), join(from, 'app.tsx'), plugins), ...plugins, pure],
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    logLevel: 'warning'
  })
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({ name: basename(path), ...output }))
  const left = outputs.flatMap(({ imports }) => imports).filter(({ external }) => external)
  if (left.length > 0) throw new Error(`the page would need ${left.map(({ path }) => path).join(', ')}`)
  const icon = readFileSync(join(source, 'icon.svg'), 'utf8')
  const names = namesOf(outputs, [...outputFiles.map(({ text }) => text), icon])
  const final = (/** @type {string} */ text) =>
    text.replace(/[\w-]+-[A-Z0-9]{8}\.(?:js|css)/g, (name) => names.get(name) ?? name)
  const texts = outputFiles.map(({ path, text }) => ({ name: final(basename(path)), text: final(text) }))
  const main = outputs.find(({ name }) => name.startsWith('main-'))
  const shared = main?.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => final(basename(path)))
  const html = applyBrand(readFileSync(join(source, 'index.html'), 'utf8'), words)
    .replace('{icon.svg}', names.get('icon.svg') ?? '')
    .replace('{style.css}', texts.find(({ name }) => name.startsWith('style-'))?.name ?? '')
    .replace('{main.js}', final(main?.name ?? ''))
    .replace(/(.*)\{shared\.js\}(.*\n)/, (_, before, after) =>
      (shared ?? []).map((name) => `${before}${name}${after}`).join('')
    )
  const document = (/** @type {Document} */ { name, text }) => ({ name: `${folder}/${name}`, text })
  const isTerminal = (/** @type {{ name: string }} */ { name }) => name.startsWith('terminal-')
  const inputs = (/** @type {typeof outputs} */ of) => [...new Set(of.flatMap((each) => Object.keys(each.inputs)))]
  return {
    files: [
      ...texts.filter((each) => !isTerminal(each)),
      { name: names.get('icon.svg') ?? '', text: icon },
      { name: 'index.html', text: html }
    ].map(document),
    terminal: texts.filter(isTerminal).map(document),
    inputs: inputs(outputs.filter((each) => !isTerminal(each))),
    terminalInputs: inputs(outputs.filter(isTerminal))
  }
}

/**
 * The names under which the files of a bundle are served, by those that esbuild gave them: with a digest of the whole
 * page, so that browsers keep each file as long as nothing changes. esbuild's own depend on the folder of the build.
 *
 * @param {{ name: string, inputs: object }[]} outputs
 * @param {string[]} texts of all files
 */
function namesOf(outputs, texts) {
  const own = (/** @type {{ inputs: object }} */ { inputs }) =>
    Object.keys(inputs)
      .filter((each) => !each.includes('node_modules'))
      .sort()
      .join()
  const ordered = [...outputs].sort((a, b) => (own(a) < own(b) ? -1 : 1))
  const plain = new Map(
    ordered.map(({ name }, index) => {
      const [, base = '', ending = ''] = /^(.*)-[A-Z0-9]{8}(\.\w+)$/.exec(name) ?? []
      return [name, { base: base === 'chunk' ? `shared-${index}` : base, ending }]
    })
  )
  const neutral = texts.map((text) => [...plain].reduce((so, [name, { base }]) => so.replaceAll(name, base), text))
  const digest = createHash('sha256').update(neutral.sort().join()).digest('hex').slice(0, 12)
  return new Map([
    ...[...plain].map(([name, { base, ending }]) => /** @type {const} */ ([name, `${base}-${digest}${ending}`])),
    ['icon.svg', `icon-${digest}.svg`]
  ])
}

/**
 * Splitting makes a file for each set of screens that share modules, which would take dozens of requests. Each screen
 * therefore imports the frame of the page, so that all modules of the frame are in one file.
 *
 * @param {string} from the folder of the page
 * @returns {Plugin}
 */
const oneShared = (from) => ({
  name: 'one shared file',
  setup(builder) {
    const namespace = 'screen'
    // Paths from the folder of the page: they count for the names of files, which are the same in any folder.
    builder.onResolve({ filter: /\.tsx$/ }, ({ path, kind, resolveDir }) =>
      kind === 'dynamic-import' ? { path: relative(from, join(resolveDir, path)), namespace } : undefined
    )
    builder.onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `import './app.tsx'\nexport * from './${path}'`,
      resolveDir: from
    }))
  }
})

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
