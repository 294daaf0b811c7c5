import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import ts from 'typescript'

/** Files by path, each with the files of the project that it imports or includes. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** The imports of the TypeScript of some folders, those of types among them, which a bundler drops. */
function imports(...folders: string[]): Graph {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, resolve('.'))
  const cache = ts.createModuleResolutionCache(resolve('.'), (name) => name, options)
  const files = folders.flatMap((folder) => list(folder, /\.(tsx?|mjs)$/))
  return new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true)
      const found = importedFiles.flatMap(({ fileName }) => {
        const module = ts.resolveModuleName(fileName, resolve(file), options, ts.sys, cache).resolvedModule
        const path = module && relative('.', module.resolvedFileName)
        // Only types are known of what the build generates: it is no file of the project.
        return path === undefined || path.startsWith('node_modules/') || fileName.startsWith('#generated') ? [] : [path]
      })
      return [file, new Set(found)]
    })
  )
}

/** The imports of the product, which are read once for all tests of them. */
export const product = imports('handlers', 'data', 'hal', 'runtime', 'deploy')

/** The same arrows between groups of files. */
export function between(graph: Graph, groupOf: (file: string) => string): Graph {
  const groups = new Map<string, Set<string>>()
  for (const [file, targets] of graph) {
    const group = groupOf(file)
    const known = groups.get(group) ?? new Set()
    for (const target of targets) if (groupOf(target) !== group) known.add(groupOf(target))
    groups.set(group, known)
  }
  return groups
}

/** The room of a file: a folder of `runtime`, or a folder of the top level. */
export function room(file: string): string {
  const [top = '', inner = ''] = file.split('/')
  return top === 'runtime' ? `${top}/${inner}` : top
}

/** The arrows that do not follow from others (the transitive reduction). The graph has no circles. */
export function reduced(graph: Graph): Graph {
  const reached = (name: string): Set<string> =>
    new Set([...(graph.get(name) ?? [])].flatMap((next) => [next, ...reached(next)]))
  const follow = (names: ReadonlySet<string>) => new Set([...names].flatMap((name) => [...reached(name)]))
  return new Map(
    [...graph].map(([name, targets]) => {
      const indirect = follow(targets)
      return [name, new Set([...targets].filter((target) => !indirect.has(target)))]
    })
  )
}

/** Circles, each as the names along it: `a → b → a`. One for each name at which a walk meets itself. */
export function circles(graph: Graph): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const path: string[] = []
  const walk = (name: string) => {
    const before = path.indexOf(name)
    if (before >= 0) found.push([...path.slice(before), name].join(' → '))
    if (before >= 0 || done.has(name)) return
    path.push(name)
    for (const next of graph.get(name) ?? []) walk(next)
    path.pop()
    done.add(name)
  }
  for (const name of graph.keys()) walk(name)
  return found
}

function list(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name))
    .sort()
}
