import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name))
const pages = [...readdirSync('.'), ...docs].filter((name) => name.endsWith('.md'))
const text = (page: string) => readFileSync(page, 'utf8')

/** A page without its blocks of code. */
const prose = (page: string) => text(page).replace(/^```[\s\S]*?^```/gm, '')

/** The files that a page links, each with the heading in it that is meant. */
function links(page: string): { file: string; anchor: string | undefined }[] {
  return [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link.split('#'))
    .filter(([path = '']) => !/^[a-z]+:/.test(path))
    .map(([path = '', anchor]) => ({ file: path === '' ? page : normalize(join(dirname(page), path)), anchor }))
}

/** The anchors of a page's headings, as forges make them. */
function anchors(page: string): string[] {
  return [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
  )
}

t.test('the README is short', async (t) => {
  const lines = text('README.md').split('\n').length
  t.ok(lines <= 160, `${lines} lines`)
})

t.test('every link leads to a file, and to a heading in it', async (t) => {
  for (const page of pages) {
    for (const { file, anchor } of links(page)) {
      const there = existsSync(file) && (anchor === undefined || anchors(file).includes(anchor))
      t.ok(there, `${page} links ${file}${anchor === undefined ? '' : `#${anchor}`}`)
    }
  }
})

t.test('the README leads to every page of docs', async (t) => {
  const linked = new Set(links('README.md').map(({ file }) => file))
  t.same(
    docs.filter((page) => page.endsWith('.md') && !linked.has(page)),
    []
  )
})

t.test('every path that a page names is there', async (t) => {
  const path = /`((?:handlers|data|runtime|hal|registries|deploy|test|bench|docs)\/[^`\s…*<]*)`/g
  for (const page of pages)
    for (const [, name = ''] of prose(page).matchAll(path)) t.ok(existsSync(name), `${page} names ${name}`)
})

t.test('a page that runs the command minnow links to its installation', async (t) => {
  const source = ({ file, anchor }: { file: string; anchor: string | undefined }) =>
    file === 'docs/binary.md' && anchor === 'the-command'
  const running = docs.filter((page) => page.endsWith('.md') && /^minnow [a-z-]/m.test(text(page)))
  t.ok(running.length >= 3, running.join())
  for (const page of running) t.ok(links(page).some(source), page)
})

t.test('each task in CONTRIBUTING changes at most four files', async (t) => {
  const [, section = ''] = text('CONTRIBUTING.md').split('## Tasks\n')
  const tasks = (section.split('\n## ')[0] ?? '').match(/^\| .+ \|$/gm)?.slice(1) ?? []
  t.ok(tasks.length >= 13)
  for (const task of tasks) {
    const [, name = '', , changed = ''] = task.split('|')
    const files = changed.split(/[,;]/).filter((each) => each.trim() !== '')
    t.ok(files.length <= 4, `${name.trim()}: ${files.length} files`)
  }
})

t.test('every cause that docs/debugging.md explains is one that the service logs', async (t) => {
  const sources = ['runtime/request', 'runtime/service'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) =>
      name.endsWith('.ts') ? text(join(folder, name)) : []
    )
  )
  const causes = [...prose('docs/debugging.md').matchAll(/^\| `([^`]+)` \| [^|]* \|/gm)]
    .map(([, cause = '']) => cause)
    .filter((cause) => !/^an? /.test(cause) && !cause.startsWith('the '))
  t.ok(causes.length > 12)
  for (const cause of causes)
    t.ok(
      sources.some((source) => source.includes(`'${cause}'`)),
      cause
    )
})

t.test('the figures of the README are those of docs/figures.md', async (t) => {
  const rows = (page: string) => (text(page).split('| | measured | bound |\n')[1] ?? '').match(/^\| .+$/gm) ?? []
  const figures = new Set(rows('docs/figures.md'))
  t.ok(rows('README.md').length > 5)
  for (const row of rows('README.md')) t.ok(figures.has(row), row)
})
