/** The texts of the page's languages, without their keys. */
/** @import { Plugin } from 'esbuild' */
import { basename, dirname, join } from 'node:path'
import { build } from 'esbuild'

/** The module of the keys that the names in all languages have. */
const keysOfNames = 'keys-of-names'

/**
 * Replaces the objects of the languages by lists of their texts, in the order of the English keys: the keys are a third of
 * a file as it is sent. English words keep theirs, as they are always there.
 *
 * @param {string} folder of the languages: `en.ts`, and `names-en.ts` with what forms need
 * @param {string} app what English belongs to: with it in every language, esbuild gives it no file of its own
 * @param {Plugin[]} plugins put the maker's words into the sources
 * @returns {Plugin}
 * @throws {Error} if a text has more than one line
 */
export const translations = (folder, app, plugins) => ({
  name: 'translations',
  setup(builder) {
    /** @param {string} name of a module that exports a language */
    const load = async (name) => {
      const { outputFiles } = await build({
        entryPoints: [join(folder, `${name}.ts`)],
        write: false,
        bundle: true,
        format: 'esm',
        charset: 'utf8',
        plugins
      })
      const exported = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`)
      const [[language, content] = ['', {}]] = Object.entries(exported)
      return { language, content }
    }
    builder.onLoad({ filter: /[/\\](names-)?[a-z]{2}\.ts$/ }, async ({ path }) => {
      const name = basename(path, '.ts')
      if (dirname(path) !== folder || name === 'en') return undefined
      const { language, content } = await load(name)
      if (name.startsWith('names-')) {
        const { content: english } = await load('names-en')
        return {
          contents: `import keys from '${keysOfNames}'\nexport const ${language} = ${zip('keys', english, content)}`,
          resolveDir: folder
        }
      }
      const { content: english } = await load('en')
      const parts = Object.keys(english).map(
        (part) => `${part}: ${zip(`Object.keys(en.${part})`, english[part], content[part])}`
      )
      return {
        contents: `import { en } from './en.ts'\nimport ${JSON.stringify(app)}\nexport const ${language} = { ${parts.join()} }`,
        resolveDir: folder
      }
    })
    builder.onResolve({ filter: new RegExp(`^${keysOfNames}$`) }, ({ path }) => ({ path, namespace: keysOfNames }))
    builder.onLoad({ filter: /./, namespace: keysOfNames }, async () => {
      const { content } = await load('names-en')
      return { contents: `export default ${list(Object.keys(content))}` }
    })
  }
})

/**
 * @param {string} keys JavaScript for the list of keys
 * @param {Readonly<Record<string, string>>} english
 * @param {Readonly<Record<string, string>>} texts
 */
function zip(keys, english, texts) {
  const inOrder = Object.keys(english).map((key) => texts[key] ?? '')
  return `(texts => Object.fromEntries(${keys}.map((key, at) => [key, texts[at]])))(${list(inOrder)})`
}

/** @param {string[]} texts @returns JavaScript for them: one string packs better than many */
function list(texts) {
  const broken = texts.find((text) => text.includes('\n'))
  if (broken !== undefined) throw new Error(`a text of the page has more than one line: ${broken}`)
  return `${JSON.stringify(texts.join('\n'))}.split('\\n')`
}
