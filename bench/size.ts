import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { pageDocument } from '#data/page'
import { openDocuments } from '#runtime/store/documents.ts'
import type { Figure } from './figures.ts'

/** esbuild's account of a bundle. */
interface Meta {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, { bytesInOutput: number }>> }>>
}

/** The binaries, plain and as xz, the page, and what each package contributes to the bundle. */
export async function* size(): AsyncGenerator<Figure> {
  for (const arch of ['x86_64', 'armv7', 'armv5', 'aarch64']) {
    const file = `dist/minnow-${arch}`
    if (!existsSync(file)) continue
    yield { name: `size ${arch}`, value: statSync(file).size, unit: 'B' }
    yield { name: `size ${arch}, xz`, value: packed(file), unit: 'B' }
  }
  const { first, largest, all, terminal } = pageSizes()
  yield { name: 'page: what the login and the overview need, gzip', value: first, unit: 'B' }
  yield { name: 'page: the largest other file, gzip', value: largest, unit: 'B' }
  yield { name: 'page: all files, gzip', value: all, unit: 'B' }
  yield { name: 'terminal of the page, gzip', value: terminal, unit: 'B' }
  for (const [host, file] of [
    ['Node.js', 'dist/meta.json'],
    ['binary', 'dist/meta-embedded.json']
  ] as const) {
    if (!existsSync(file)) continue
    const meta: Meta = JSON.parse(readFileSync(file, 'utf8'))
    for (const [name, value] of [...bytesByPackage(meta)].sort(([, a], [, b]) => b - a)) {
      yield { name: `bundle of the ${host} host: ${name}`, value, unit: 'B' }
    }
  }
}

/** The bytes of the page's files as they are sent. */
export interface PageSizes {
  /** The files that a browser loads for the login and the overview. */
  readonly first: number
  readonly firstFiles: number
  /** The largest file of a screen or a language. */
  readonly largest: number
  /** All files without the terminal. */
  readonly all: number
  readonly terminal: number
}

export function pageSizes(): PageSizes {
  const documents = openDocuments(readFileSync('dist/documents.bin'))
  const size = (name: string) => documents.get(name)?.gzip.length ?? 0
  const sum = (names: readonly string[]) => names.reduce((total, name) => total + size(name), 0)
  const isTerminal = (name: string) => name.startsWith('page/terminal')
  const files = documents.names.filter((name) => name.startsWith('page/') && !isTerminal(name))
  const html = String(gunzipSync(documents.get(pageDocument)!.gzip))
  const linked = [...html.matchAll(/"\/(page\/[^"]+\.(?:css|js))"/g)].map(([, name = '']) => name)
  const first = [pageDocument, ...linked]
  return {
    first: sum(first),
    firstFiles: first.length,
    largest: Math.max(...files.filter((name) => !first.includes(name)).map(size)),
    all: sum(files),
    terminal: sum(documents.names.filter(isTerminal))
  }
}

/** The length of a file as `xz -9e` packs it. */
export function packed(file: string): number {
  const { stdout, status } = spawnSync('xz', ['-9e', '--stdout', file], { maxBuffer: 2 ** 26 })
  if (status !== 0) throw new Error(`xz ${file}: is xz-utils installed?`)
  return stdout.length
}

/** Bytes in the bundles by package; our own by their folder. */
function bytesByPackage({ outputs }: Meta): Map<string, number> {
  const bytes = new Map<string, number>()
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      if (bytesInOutput === 0) continue
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? `our ${path.split('/')[0]}/`
      bytes.set(name, (bytes.get(name) ?? 0) + bytesInOutput)
    }
  }
  return bytes
}
