/** Declarations in the text of a source file that its exports do not show. */
import { readFileSync } from 'node:fs'
import ts from 'typescript'

/** @param {string} file */
const parse = (file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)

/**
 * Which of the parameters of its path the functions in a handler file use: they name it, or give all parameters away.
 *
 * @param {string} file
 * @param {readonly string[]} functions names of exports
 * @returns {(parameter: string) => boolean}
 */
export function usedParameters(file, functions) {
  const written = declaredAs(file, functions)
  const used = new Set(written.flatMap((each) => (each && ts.isArrowFunction(each) ? [...usedBy(each)] : [everything])))
  return (parameter) => used.has(everything) || used.has(parameter)
}

/**
 * Which of the functions in a handler file copy their context with `...`.
 *
 * @param {string} file
 * @param {readonly string[]} functions names of exports
 */
export function copyingFunctions(file, functions) {
  const written = declaredAs(file, functions)
  return functions.filter((_, index) => {
    const method = written[index]
    if (method === undefined || !ts.isArrowFunction(method)) return false
    const context = method.parameters[0]?.name
    if (context === undefined) return false
    if (ts.isObjectBindingPattern(context)) return context.elements.some(({ dotDotDotToken }) => dotDotDotToken)
    /** @type {(node: import('typescript').Node) => boolean} */
    const copies = (node) =>
      (ts.isSpreadAssignment(node) && node.expression.getText() === context.getText()) ||
      (ts.forEachChild(node, (child) => copies(child) || undefined) ?? false)
    return copies(method)
  })
}

/**
 * The values of constants.
 *
 * @param {string} file
 * @param {readonly string[]} names
 */
function declaredAs(file, names) {
  const declared = new Map(
    parse(file)
      .statements.filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => declarationList.declarations)
      .map(({ name, initializer }) => [name.getText(), initializer])
  )
  return names.map((name) => declared.get(name))
}

/** Stands for all parameters. */
const everything = '*'

/**
 * @param {import('typescript').ArrowFunction} method
 * @returns {Set<string>}
 */
function usedBy(method) {
  /** Names of the context, or of its `params`. */
  const whole = new Set(['params'])
  const [context] = method.parameters
  if (context && ts.isIdentifier(context.name)) whole.add(context.name.text)
  /** @type {Set<string>} */
  const used = new Set()
  const visit = (/** @type {import('typescript').Node} */ node) => {
    if (ts.isTypeNode(node)) return
    if (ts.isBindingElement(node) && node.dotDotDotToken) whole.add(node.name.getText())
    if (ts.isStringLiteral(node)) used.add(node.text)
    if (ts.isIdentifier(node)) used.add(whole.has(node.text) && isGivenAway(node) ? everything : node.text)
    ts.forEachChild(node, visit)
  }
  visit(method)
  return used
}

/**
 * Whether an object is passed on as a whole, instead of one of its members being read.
 *
 * @param {import('typescript').Identifier} node
 */
function isGivenAway(node) {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return false
  if (ts.isVariableDeclaration(parent)) return !ts.isObjectBindingPattern(parent.name)
  return !ts.isBindingElement(parent) && !ts.isParameter(parent)
}

/**
 * The members that a file adds to the interfaces of `#runtime/contract`, by interface.
 *
 * @param {string} file
 * @returns {Map<string, string[]>}
 */
export function additions(file) {
  /** @type {Map<string, string[]>} */
  const found = new Map()
  const { statements } = parse(file)
  const named = (/** @type {readonly import('typescript').NamedDeclaration[]} */ members) =>
    members.flatMap(({ name }) => (name !== undefined && ts.isIdentifier(name) ? [name.text] : []))
  const classes = new Map(statements.filter(ts.isClassDeclaration).map((each) => [each.name?.text, each.members]))
  for (const { name, body } of statements.filter(ts.isModuleDeclaration)) {
    if (name.text !== '#runtime/contract' || body === undefined || !ts.isModuleBlock(body)) continue
    for (const each of body.statements.filter(ts.isInterfaceDeclaration)) {
      const inherited = (each.heritageClauses ?? []).flatMap(({ types }) =>
        types.flatMap(({ expression }) => classes.get(expression.getText()) ?? [])
      )
      found.set(each.name.text, [...(found.get(each.name.text) ?? []), ...named([...each.members, ...inherited])])
    }
  }
  return found
}

/**
 * The tables that a file declares with `table('name', …)`.
 *
 * @param {string} file
 */
export function declaredTables(file) {
  return parse(file).statements.flatMap((statement) => {
    if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) return []
    const {
      expression,
      arguments: [name]
    } = statement.expression
    return expression.getText() === 'table' && name && ts.isStringLiteral(name) ? [name.text] : []
  })
}
