/** @import { Node } from 'typescript' */
/**
 * Checks that the tests notice mistakes: `node test/run/mutants.mjs [N] [--seed SEED] [--near] [--least PERCENT]
 * [--workers N] [--show] [PART OF A PATH …]`.
 *
 * A mutant is the sources with one small mistake. One bundle holds all mutants of a run, with the tests that share a
 * process. The environment of a process selects the mutant that is alive in it, so the sources stay as they are. A first
 * run without mistakes records which test runs which line. Then each mutant meets the tests that run it, the nearest
 * first, until one fails. With `--near` only the tests of the same folder run, which is quick. The exit status is 1 when
 * fewer than 90 %, or PERCENT, are caught.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { findTests, groupTests } from './files.mjs'
import { bundle } from './modules.mjs'
import { clear, inParallel, placeFixtures, temporary } from './processes.mjs'
import { affectedBy } from './watch.mjs'

/**
 * One mistake, and the test files that may notice it.
 *
 * @typedef {{ file: string, node: Node, text: string, line: number, title: string, order: string, tests: Set<string>,
 *   caught?: boolean }} Mutant
 *
 * Of a test file without a mutant: the mutants whose lines it runs, and whether that was while a module loads; and the
 * files with mutants whose functions it calls.
 *
 * @typedef {{ name: string, time: number, ok: boolean, ran: [number | string, boolean][] }} Report
 */

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '../..'))
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    least: { type: 'string', default: '90' },
    near: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now()) },
    show: { type: 'boolean', default: false },
    workers: { type: 'string', default: String(availableParallelism()) }
  }
})
const folders = ['data', 'handlers', 'hal', 'runtime/request', 'runtime/service']
/** Sources without mutants: only test files that have a process to themselves run them. */
const elsewhere = [
  ...['hal/gpio/', 'hal/native/', 'hal/tty/'],
  ...['runtime/service/network/discovery.ts', 'runtime/service/network/multicast.ts']
]
const least = Number(options.least)
/** It compares declarations, which are made while modules load; no other test does so for all of them. */
const declarations = 'test/handlers/interface.test.ts'
/** Test files that a mutant meets, the nearest and quickest, and the milliseconds that they take together. */
const most = { files: 20, time: 60_000 }
const number = Number(positionals.find((word) => /^\d+$/.test(word)) ?? 1000)
const words = positionals.filter((word) => !/^\d+$/.test(word))

/** What becomes of an operator. @type {Record<string, string[]>} */
const operators = {
  ...{ '<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'], '===': ['!=='], '!==': ['==='] },
  ...{ '&&': ['||'], '||': ['&&'], '??': ['&&'], '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'] },
  ...{ '&': ['|'], '|': ['&'], '<<': ['>>'], '>>': ['<<'], '>>>': ['<<'], '+=': ['-='], '-=': ['+='] }
}
/** @type {Partial<Record<ts.SyntaxKind, string>>} */
const steps = { [ts.SyntaxKind.PlusPlusToken]: '--', [ts.SyntaxKind.MinusMinusToken]: '++' }

/** The replacements of a node; an empty one removes a statement. @param {Node} node */
function mistakes(node) {
  const { parent } = node
  const is = (/** @type {string} */ part) => /** @type {any} */ (parent)[part] === node
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [node.left.getText(), node.right.getText()]
    const others = operators[node.operatorToken.getText()] ?? []
    return others.map((operator) => `(${left}) ${operator} (${right})`)
  }
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    const step = steps[node.operator]
    if (step) return [ts.isPrefixUnaryExpression(node) ? step + node.operand.getText() : node.operand.getText() + step]
    return [node.operand.getText()]
  }
  if (ts.isNumericLiteral(node) && !is('name')) return [`${node.getText()} + 1`]
  if (node.kind === ts.SyntaxKind.TrueKeyword) return ['false']
  if (node.kind === ts.SyntaxKind.FalseKeyword) return ['true']
  if (ts.isExpressionStatement(node) && !/^super\b/.test(node.getText())) return ['']
  if (ts.isThrowStatement(node) || ts.isContinueStatement(node)) return ['']
  if ((ts.isIfStatement(parent) && is('expression')) || (ts.isConditionalExpression(parent) && is('condition')))
    return ['true', 'false']
  if (ts.isReturnStatement(parent) || (ts.isArrowFunction(parent) && is('body') && !ts.isBlock(node)))
    return node.getText() === 'undefined' ? [] : ['undefined']
  return []
}

/** A line of the log, which is not tested, and the declaration of a table, which the build checks. */
const untested = /^([\w.#]+\.)?log\.(debug|info|warning|error)\(|^table\(/

/** Nodes that tests in a bundle cannot check: types, declarations for the build, the log. @param {Node} node */
function isUntested(node) {
  if (ts.isExpressionStatement(node) && untested.test(node.getText())) return true
  const isConst = ts.isAsExpression(node) && ts.isConstTypeReference(node.type)
  return isConst || ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isModuleDeclaration(node)
}

/** @param {string} file @returns {Mutant[]} */
function mutantsOf(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true)
  /** @type {Mutant[]} */
  const found = []
  /** @param {Node} node */
  const visit = (node) => {
    if (isUntested(node)) return
    for (const text of mistakes(node)) {
      const title = `${short(node.getText())} → ${short(text) || 'nothing'}`
      // The order does not change with the rest of the tree, so that a sample stays much the same.
      const twins = found.filter((other) => other.title === title).length
      const order = createHash('sha256').update(`${options.seed} ${file} ${title} ${twins}`).digest('hex')
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
      found.push({ file, node, text, line, title, order, tests: new Set() })
    }
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(source, visit)
  return found
}

/** @param {string} code */
function short(code) {
  const line = code.replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}

/** A file's text with all of its mutants, each of them behind a condition. @param {string} file */
function textOf(file) {
  const text = readFileSync(file, 'utf8')
  const own = chosen.filter((mutant) => mutant.file === file)
  const name = JSON.stringify(file)
  /** @param {Node} node @returns {string} */
  const write = (node) => {
    if (isUntested(node)) return node.getText()
    let at = node.getStart()
    let written = ''
    ts.forEachChild(node, (child) => {
      written += text.slice(at, child.getStart()) + write(child)
      at = child.end
    })
    written += text.slice(at, node.end)
    for (const mutant of own.filter((mutant) => mutant.node === node)) {
      const alive = `$alive(${chosen.indexOf(mutant)})`
      written = ts.isStatement(node)
        ? `{ if (!${alive}) { ${written} } }`
        : `(${alive} ? (${mutant.text}) : (${written}))`
    }
    if (ts.isFunctionLike(node.parent) && 'body' in node.parent && node.parent.body === node)
      written = ts.isBlock(node) ? written.replace('{', `{ $enter(${name});`) : `($enter(${name}), ${written})`
    // Without a semicolon before it, a line that begins with a parenthesis goes on with the one before.
    return ts.isExpressionStatement(node) && written.startsWith('(') ? `{ ${written} }` : written
  }
  const [first] = own
  return `$loading++;${first ? write(first.node.getSourceFile()) : text}\n;$loading--`
}

/** The first lines of the bundle. What runs while a module loads runs in the first file that imports it only. */
const banner = `import $tap from 'tap'
const $number = Number(process.env.MINNOW_MUTANT), $ran = new Map()
let $loading = 0
const $alive = (id) => {
  if ($number < 0) $ran.set(id, $ran.get(id) || $loading > 0)
  return id === $number
}
const $enter = (file) => { if ($number < 0 && $loading === 0) $ran.set(file, false) }
$tap.on('subtestEnd', ({ name, time, results }) => {
  process.send({ name, time, ok: results.ok, ran: [...$ran] })
  $ran.clear()
})`

const files = folders.flatMap((folder) =>
  readdirSync(folder, { encoding: 'utf8', recursive: true }).map((name) => join(folder, name))
)
const all = files
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !/\.(test|generated)\.ts$/.test(file))
  .filter((file) => !elsewhere.some((path) => file.startsWith(path)))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .flatMap(mutantsOf)
  .sort((a, b) => (a.order < b.order ? -1 : 1))
const folderOf = (/** @type {Mutant} */ { file }) => folders.find((folder) => file.startsWith(`${folder}/`)) ?? ''
const share = Math.ceil(number / new Set(all.map(folderOf)).size)
const chosen = folders.flatMap((folder) => all.filter((mutant) => folderOf(mutant) === folder).slice(0, share))
console.log(`${chosen.length} of ${all.length} mutants, seed ${options.seed}`)

placeFixtures()
const own = mkdtempSync(join(temporary, 'minnow-mutants-')) // of the tests that end in the middle
const out = `dist/mutants-${process.pid}` // packages are found from there
/** Such a file has a process of its own, but can share that of a mutant. */
const alone = /^\/\/ own process: (it takes|it starts message buses|thousands of)/m
const tests = groupTests(findTests([]))
  .flatMap(({ files: [first = '', ...more], shared }) =>
    shared || alone.test(readFileSync(first, 'utf8')) ? [first, ...more] : []
  )
  .filter((file) => !file.startsWith('test/conformance/')) // they read the sources, not what these do
  .filter(
    (file) =>
      !options.near || file === declarations || chosen.some((mutant) => file.startsWith(`test/${folderOf(mutant)}/`))
  )
const { modules, imports } = await bundle(out, [{ files: tests, shared: true }], {
  sourcemap: false,
  banner: { js: banner },
  plugins: [
    {
      name: 'mutants',
      setup({ onLoad }) {
        onLoad({ filter: /\.ts$/ }, ({ path }) => {
          const file = relative('.', path)
          return folders.some((folder) => file.startsWith(`${folder}/`))
            ? { contents: textOf(file), loader: 'ts' }
            : null
        })
      }
    }
  ]
})

/** Milliseconds of each test file. @type {Map<string, number>} */
const times = new Map()
/** The tests that import a file. @type {Map<string, string[]>} */
const importing = new Map()
/** The tests that call functions of a file. @type {Map<string, string[]>} */
const entering = new Map()
/** Mutants that run while a module loads. @type {Set<number>} */
const loaded = new Set()
/** Tests that fail as it is. @type {Set<string>} */
const broken = new Set()
const workers = Number(options.workers)
const near = tests.filter((test) => chosen.some(({ file }) => testsOf(file).includes(test)))
const parts = Array.from({ length: 4 * workers }, (_, index) => near.filter((_, at) => at % (4 * workers) === index))
await inParallel(
  workers,
  parts.filter(({ length }) => length > 0).map((part, index) => () => run(part, -index - 1))
)
for (const number of loaded) {
  const { file = '', tests } = chosen[number] ?? {}
  for (const test of [declarations, ...(entering.get(file) ?? testsOf(file))]) tests?.add(test)
}
const tested = chosen.map((mutant, number) => () => meet(mutant, number))
await inParallel(workers, tested)
rmSync(own, { recursive: true, force: true })
clear(out)

const figures = [...folders, 'all'].map((folder) => {
  const own = chosen.filter((mutant) => folder === 'all' || folderOf(mutant) === folder)
  const caught = own.filter((mutant) => mutant.caught).length
  if (own.length > 0)
    console.log(`${folder}: ${caught} of ${own.length}, ${((100 * caught) / own.length).toFixed(1)} %`)
  return { enough: own.length < 50 && folder !== 'all' ? true : 100 * caught >= least * own.length }
})
process.exitCode = broken.size === 0 && figures.every(({ enough }) => enough) ? 0 : 1

/** @param {Mutant} mutant @param {number} number */
async function meet(mutant, number) {
  // The nearest have most words of the path in theirs.
  const words = mutant.file.replace(/\.ts$/, '').split(/[/.-]/)
  const near = (/** @type {string} */ test) =>
    test === declarations ? words.length : words.filter((word) => test.includes(word)).length
  const able = [...mutant.tests]
    .filter((test) => !broken.has(test))
    .sort((a, b) => near(b) - near(a) || (times.get(a) ?? 0) - (times.get(b) ?? 0))
    .slice(0, most.files)
  const until = (/** @type {number} */ index) =>
    able.slice(0, index + 1).reduce((sum, test) => sum + (times.get(test) ?? 0), 0)
  const met = able.filter((_, index) => index === 0 || until(index) < most.time)
  const status = met.length === 0 ? 0 : await run(met, number)
  mutant.caught = status !== 0
  const seen = met.length === 0 ? 'no test runs it' : `${met.length} tests`
  const line = `${mutant.file}:${mutant.line}: ${mutant.title}`
  if (!mutant.caught) console.log(`survived: ${line} (${seen})`)
  else if (options.show) console.log(`caught: ${line} (${status})`)
}

/**
 * Runs test files until one fails. Without a mutant (a number below zero), they report what they run.
 *
 * @param {string[]} files
 * @param {number} mutant
 * @returns {Promise<number | string>} how it ended
 */
function run(files, mutant) {
  // A process makes its folders below its arguments.
  const child = spawn(process.execPath, [modules[0]?.file ?? '', String(mutant)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      ...process.env,
      ...{ MINNOW_MUTANT: String(mutant), MINNOW_TESTS: files.join(' ') },
      ...{ TMPDIR: own, TAP_TIMEOUT: '900', TAP_BAIL: mutant < 0 ? '0' : '1' }
    }
  })
  /** @type {number | string | undefined} */
  let ending
  const end = (/** @type {string | number} */ how) => {
    ending ??= how
    child.kill('SIGKILL')
  }
  /** Ends it when a file takes much longer than it should. @param {string | undefined} file */
  const wait = (file = '') => setTimeout(end, mutant < 0 ? 900_000 : 20_000 + 10 * (times.get(file) ?? 0), 'timeout')
  let timer = wait(files[0])
  child.on('message', (/** @type {Report} */ report) => {
    if (!report.ran) return // tap's own
    clearTimeout(timer)
    const next = files[files.indexOf(report.name) + 1]
    if (mutant < 0) note(report)
    else if (!report.ok || next === undefined) return end(report.ok ? 0 : 1)
    timer = wait(next)
  })
  return new Promise((resolve) =>
    child.on('close', (status, signal) => {
      clearTimeout(timer)
      resolve(ending ?? status ?? signal ?? '')
    })
  )
}

/** @param {Report} report */
function note({ name, time, ok, ran }) {
  if (!ok) {
    console.log(`fails without a mutant: ${name}`)
    broken.add(name)
  }
  times.set(name, time)
  for (const [what, loading] of ran) {
    if (typeof what === 'string') entering.set(what, [...(entering.get(what) ?? []), name])
    else if (loading) loaded.add(what)
    else chosen[what]?.tests.add(name)
  }
}

/** The tests that import a file, directly or not. @param {string} file */
function testsOf(file) {
  const known = importing.get(file) ?? affectedBy([file], tests, imports)
  importing.set(file, known)
  return known
}
