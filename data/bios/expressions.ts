import type { Attribute } from './registry.ts'

/** Compiled expressions by their text: no more than registries have. */
const expressions = new Map<string, RegExp>()

/** True when a text matches the expression of an attribute. */
export function matches({ ValueExpression }: Attribute, text: string): boolean {
  if (ValueExpression === undefined) return true
  let expression = expressions.get(ValueExpression)
  if (expression === undefined) {
    expression = new RegExp(ValueExpression, 'u')
    expressions.set(ValueExpression, expression)
  }
  return expression.test(text)
}

/** The fault of an expression in a registry, or undefined. */
export function faultOfExpression(expression: string): string | undefined {
  try {
    new RegExp(expression, 'u')
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return backtracks(expression) ? `${expression} may take forever` : undefined
}

/**
 * True when a repeated group contains a choice or a repetition itself: a backtracking engine may then take exponential
 * time. A bounded choice up to four times, as in an IPv4 address, is allowed.
 */
function backtracks(expression: string): boolean {
  // A number for each open group: 0 it matches in one way, 1 it has a bounded choice, 2 it has an unbounded repetition.
  const groups = [0]
  const hold = (what: number) => groups.push(Math.max(groups.pop() ?? 0, what))
  const tokens = /\\.|\[(?:\\.|[^\\\]])*\]|\((?:\?[:=!<]+)?|\)(?:[*+]|\{\d+(?:,\d*)?\})?|[|*+?]|\{\d+,\d*\}/gu
  for (const [token] of expression.matchAll(tokens)) {
    if (token.startsWith('(')) groups.push(0)
    else if (token.startsWith(')')) {
      const inner = groups.pop() ?? 0
      const times = token === ')' ? 1 : Number(/^\)\{(?:\d+,)?(\d+)\}/.exec(token)?.[1] ?? Number.POSITIVE_INFINITY)
      if ((inner === 1 && times > 4) || (inner === 2 && times > 1)) return true
      hold(times === Number.POSITIVE_INFINITY ? 2 : Math.max(inner, token.includes(',') ? 1 : 0))
    } else if (/^([*+]|\{\d+,\})$/.test(token)) hold(2)
    else if (/^[|?{]/.test(token)) hold(1)
  }
  return false
}
