/** @import { Node } from 'typescript' */
/** The small mistakes that can be made in a source file: see mutants.mjs. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import ts from 'typescript'

/**
 * One mistake, the test files that may notice it, and how many of them it has met.
 *
 * @typedef {{ file: string, node: Node, text: string, line: number, title: string, order: string, tests: Set<string>,
 *   met: number, caught?: boolean }} Mutant
 */

/** The operators that take the place of another one. @type {Record<string, string[]>} */
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

/** A line of the log or its condition, which are not tested, and the declaration of a table, which the build checks. */
const untested = /^([\w.#]+\.)?log\.(debug|info|warning|error)\(|^table\(/

/** Nodes that tests in a bundle cannot check: types, declarations for the build, the log. @param {Node} node */
function isUntested(node) {
  if (ts.isExpressionStatement(node) && untested.test(node.getText())) return true
  if (ts.isCallExpression(node) && node.expression.getText() === 'logs') return true
  const isConst = ts.isAsExpression(node) && ts.isConstTypeReference(node.type)
  return isConst || ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isModuleDeclaration(node)
}

/**
 * The mutants of a file, in its order.
 *
 * @param {string} file
 * @param {string} seed of their `order`, by which a sample is taken
 * @returns {Mutant[]}
 */
export function mutantsOf(file, seed) {
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
      const order = createHash('sha256').update(`${seed} ${file} ${title} ${twins}`).digest('hex')
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
      found.push({ file, node, text, line, title, order, tests: new Set(), met: 0 })
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

/**
 * A file's text with those of the mutants that are its own, each behind a condition.
 *
 * @param {string} file
 * @param {readonly Mutant[]} chosen
 */
export function textOf(file, chosen) {
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
