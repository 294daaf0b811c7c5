/** @import { Plugin } from 'esbuild' */
/** @import { Group } from './files.mjs' */
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

/**
 * The bundle of a group of test files.
 *
 * @typedef {{ file: string, group: Group }} Module
 */

/**
 * Bundles test files: those that share a process become one module. Packages and build products stay outside.
 *
 * @param {string} out folder for the modules
 * @param {readonly Group[]} groups
 * @param {import('esbuild').BuildOptions} [more]
 * @returns {Promise<{ modules: Module[], imports: Record<string, string[]>, required: Record<string, string[]> }>} a module
 *   for each group, in their order, what each file imports, and what of it whenever it runs
 */
export async function bundle(out, groups, more = {}) {
  const { metafile } = await build({
    entryPoints: groups.map(({ files: [file = ''], shared }, index) => ({
      in: shared ? `ring:${index}` : file,
      out: `${index}`
    })),
    outdir: out,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false, // each process reads the map when it starts
    logLevel: 'warning',
    ...more,
    metafile: true,
    alias: { '#generated': resolve('dist/generated/index.ts') },
    external: ['*.node'],
    plugins: [rings(groups), ...(more.plugins ?? [])]
  })
  const inputs = Object.entries(metafile.inputs)
  const imports = inputs.map(([file, { imports }]) => [file, imports.map(({ path }) => path)])
  const required = inputs.map(([file, { imports }]) => [
    file,
    imports.flatMap(({ path, kind }) => (kind === 'dynamic-import' ? [] : [path]))
  ])
  const modules = groups.map((group, index) => ({ file: join(out, `${index}.mjs`), group }))
  return { modules, imports: Object.fromEntries(imports), required: Object.fromEntries(required) }
}

/**
 * A module for each group that is shared: it runs its files one after the other, each with a `t` of its own.
 *
 * @param {readonly Group[]} groups
 * @returns {Plugin}
 */
function rings(groups) {
  const runner = resolve('test/run/tap.mjs')
  const contents = (/** @type {Group | undefined} */ group) =>
    group?.files.map((file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(resolve(file))})`).join(',\n')
  return {
    name: 'rings of tests',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^ring:/ }, ({ path }) => ({ path: path.slice('ring:'.length), namespace: 'ring' }))
      onLoad({ filter: /^/, namespace: 'ring' }, ({ path }) => ({
        contents: `import { runFiles } from ${JSON.stringify(runner)}
await runFiles({ ${contents(groups[Number(path)])} })`,
        resolveDir: '.'
      }))
      onResolve({ filter: /^tap$/ }, ({ importer }) => (importer === runner ? undefined : { path: runner }))
    }
  }
}

/**
 * A file and all that it imports, directly or not.
 *
 * @param {string} file
 * @param {Record<string, string[]>} imports what each file imports
 */
export function reach(file, imports) {
  const reached = new Set([file])
  for (const each of reached) for (const imported of imports[each] ?? []) reached.add(imported)
  return reached
}
