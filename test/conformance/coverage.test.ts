import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { handlers } from '#generated'

/** A line of the table. */
interface Line {
  /** The requirement of the specification; for an endpoint it begins with its methods. */
  readonly asked: string
  readonly methods: readonly string[]
  /** The files that do it. */
  readonly done: readonly string[]
  /** The tests that show it. */
  readonly shown: readonly { readonly file: string; readonly title: string }[]
}

const lines = readFileSync('test/conformance/coverage.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!---)/.test(line) && !line.startsWith('| Requirement |'))
  .map(parse)

function parse(line: string): Line {
  const [asked = '', done = '', shown = ''] = line.slice(2, -2).split(' | ')
  return {
    asked,
    methods: /^(?:`[A-Z]+` )+/.exec(asked)?.[0].match(/[A-Z]+/g) ?? [],
    done: quoted(done),
    shown: shown.split('<br>').map((each) => ({ file: quoted(each)[0] ?? '', title: each.replace(/^`[^`]*` /, '') }))
  }
}

function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, inside = '']) => inside)
}

/** The titles of a file's tests, as they are written there. */
function titles(file: string): Set<string> {
  return new Set([...read(file).matchAll(/\.test\(\s*(['"`])(.*?)\1,/g)].map(([, , title = '']) => title))
}

const source = new Map<string, string>()

function read(file: string): string {
  const text = source.get(file) ?? (existsSync(file) ? readFileSync(file, 'utf8') : '')
  source.set(file, text)
  return text
}

t.test('each line names files that are there', async (t) => {
  t.ok(lines.length > 250, `${lines.length} lines`)
  t.same(
    lines.filter(({ done }) => done.length === 0 || !done.every((file) => existsSync(file))),
    []
  )
})

t.test('each test that a line names is there, and one of them asks over HTTPS on both hosts', async (t) => {
  const missing: string[] = []
  const alone: string[] = []
  for (const { asked, shown } of lines) {
    for (const { file, title } of shown) if (!titles(file).has(title)) missing.push(`${asked}: ${file} ${title}`)
    const overall = shown.filter(({ file }) =>
      /\bon(BothHosts|EveryHost|Boards|EveryHostAndBoard)\(|of hosts\b/.test(read(file))
    )
    if (overall.length === 0) alone.push(asked)
  }
  t.same(missing, [])
  t.same(alone, [])
})

t.test('the lines of endpoints are the methods of the handlers, all of them', async (t) => {
  const served = handlers.flatMap(({ template, module }) =>
    ['GET', 'PATCH', 'POST', 'PUT', 'DELETE']
      .filter((method) => method in module)
      .map((method) => `${method} handlers${template}.ts`)
  )
  const named = lines.flatMap(({ methods, done }) => methods.map((method) => `${method} ${done.join()}`))
  const missing = served.filter((each) => !named.includes(each))
  t.same(missing, [], 'add a row for each to test/conformance/coverage.md')
  t.same(named.sort(), served.sort())
})
