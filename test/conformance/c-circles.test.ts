import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

/** A C file and the header of the same name are one unit, named by their path without the ending. */
type Unit = string

const unitOf = (path: string): Unit => path.replace(/\.[ch]$/, '')

/** Comments and the contents of strings are blanked; line ends stay. */
const codeOf = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, (found) =>
      found.replace(/[^\n"]/g, ' ')
    )
    .replace(/\\\n/g, '  ')

/** The includes of a file among our own, as written. */
const includesOf = (text: string): string[] => [...text.matchAll(/^#include "(.*)"$/gm)].map((found) => found[1]!)

/** Functions and variables that other files can name: those that begin a line and are not static. */
function definedIn(code: string): string[] {
  const functions = /^(?!static\b|extern\b|typedef\b|struct \w+ \{)[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*\)\s*\{/gm
  const variables = /^(?!static\b|extern\b|typedef\b|return\b)[A-Za-z_][\w *]*?\b(\w+)(?:\[[^\]\n]*\])*(?: = |;)/gm
  return [functions, variables].flatMap((pattern) => [...code.matchAll(pattern)].map((found) => found[1]!))
}

/** Which units each unit includes, calls or reads variables of, among the files of `texts`. */
export function unitsUsed(texts: ReadonlyMap<string, string>): Map<Unit, Set<Unit>> {
  const codes = new Map([...texts].map(([path, text]) => [path, codeOf(text)]))
  const homes = new Map<string, Unit>()
  for (const [path, code] of codes)
    if (path.endsWith('.c')) for (const name of definedIn(code)) homes.set(name, unitOf(path))

  const headers = (path: string, seen = new Set<string>()): Set<string> => {
    for (const name of includesOf(texts.get(path) ?? '')) {
      const found = [normalize(join(dirname(path), name)), name].find((each) => texts.has(each))
      if (found === undefined || seen.has(found)) continue
      seen.add(found)
      headers(found, seen)
    }
    return seen
  }

  const used = new Map<Unit, Set<Unit>>()
  const wordsOf = new Map([...codes].map(([path, code]) => [path, words(code)]))
  for (const [path, code] of codes) {
    const unit = unitOf(path)
    const uses = used.get(unit) ?? new Set<Unit>()
    used.set(unit, uses)
    for (const name of includesOf(texts.get(path)!)) {
      const found = [normalize(join(dirname(path), name)), name].find((each) => texts.has(each))
      if (found !== undefined) uses.add(unitOf(found))
    }
    const included = [...headers(path)]
    const declared = new Set([...included, path].flatMap((each) => wordsOf.get(each)!))
    const own = new Set(definedIn(code.replace(/^static /gm, '')))
    for (const name of wordsOf.get(path)!) {
      const home = homes.get(name)
      if (home === undefined || own.has(name) || !declared.has(name)) continue
      if (/^(node_api|napi)_/.test(name) || declares(name, included, codes)) uses.add(home)
    }
    uses.delete(unit)
  }
  return used
}

const words = (code: string): string[] => [...new Set(code.match(/(?<![.\w]|->)[A-Za-z_]\w*/g))]

/** Whether one of the headers says that there is such a function or variable somewhere. */
const declares = (name: string, headers: readonly string[], codes: ReadonlyMap<string, string>): boolean =>
  headers.some((path) =>
    new RegExp(`^(?!typedef|static)[A-Za-z_][^;{}=]*\\b${name}\\b *[(;,[]`, 'm').test(codes.get(path)!)
  )

/** The circles, each as the units that lead back to each other (strongly connected components, by Tarjan). */
export function circles(used: ReadonlyMap<Unit, ReadonlySet<Unit>>): Unit[][] {
  const found: Unit[][] = []
  const index = new Map<Unit, number>()
  const low = new Map<Unit, number>()
  const stack: Unit[] = []
  const visit = (unit: Unit): void => {
    index.set(unit, index.size)
    low.set(unit, index.get(unit)!)
    stack.push(unit)
    for (const next of used.get(unit) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(unit, Math.min(low.get(unit)!, low.get(next)!))
    }
    if (low.get(unit) !== index.get(unit)) return
    const circle = stack.splice(stack.indexOf(unit))
    if (circle.length > 1) found.push(circle.sort())
  }
  for (const unit of used.keys()) if (!index.has(unit)) visit(unit)
  return found
}

/** Every C file of the product. Fuzzers take the place of files, and are programs of their own. */
const product = (): Map<string, string> =>
  new Map(
    ['hal', 'runtime']
      .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
      .filter((path) => /\.[ch]$/.test(path) && !path.includes('/fuzz/'))
      .sort()
      .map((path) => [path, readFileSync(path, 'utf8')])
  )

t.test('no two C files depend on each other, by includes or by calls', async (t) => {
  const used = unitsUsed(product())
  t.ok(used.size > 50)
  t.ok(used.get('runtime/embedded/main')?.has('runtime/embedded/engine'))
  t.same(circles(used), [])
})

t.test('a circle is found through includes, calls and variables', async (t) => {
  const texts = new Map([
    ['a.h', 'int a_count(void);\nextern int a_total;\n'],
    ['a.c', '#include "a.h"\n#include "b.h"\nint a_total = 1;\nint a_count(void) {\n  return b_count();\n}\n'],
    ['b.h', 'int b_count(void);\n'],
    ['b.c', '#include "b.h"\n/* a_count() */\nint b_count(void) {\n  return 1;\n}\n']
  ])
  t.same(circles(unitsUsed(texts)), [], 'a comment calls nothing')
  t.same(circles(unitsUsed(new Map([...texts, ['b.h', '#include "a.h"\nint b_count(void);\n']]))), [['a', 'b']])
  const called = 'int b_count(void);\nint a_count(void);\nextern int a_total;\n'
  for (const expression of ['a_count()', 'a_total']) {
    const back = `#include "b.h"\nint b_count(void) {\n  return ${expression};\n}\n`
    t.same(circles(unitsUsed(new Map([...texts, ['b.h', called], ['b.c', back]]))), [['a', 'b']], expression)
  }
})
