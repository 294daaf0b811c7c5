/** True when a resource matches the filter. */
export type Filter = (resource: object) => boolean

/**
 * The test that a `$filter` expression makes (DSP0266): comparisons `eq ne gt ge lt le` between property paths and
 * literals, joined by `and`, `or`, `not` and parentheses.
 *
 * A property that is absent is null. Values of different types are unequal and in no order; date-times are compared as
 * points in time.
 *
 * @param depth how deep parentheses and `not` may nest
 * @returns undefined for what is no such expression
 */
export function parseFilter(text: string, depth: number): Filter | undefined {
  const tokens = tokenize(text)
  if (tokens === undefined) return undefined
  const parser = new Parser(tokens, depth)
  const filter = parser.any()
  return parser.atEnd() ? filter : undefined
}

type Token =
  | { readonly word: string }
  | { readonly bracket: '(' | ')' }
  | { readonly literal: string | number | boolean | null }

type Operand = (resource: object) => unknown

/** A bracket, a quoted text, a time, a number or a word, with the white space around it. */
const pattern = new RegExp(
  [
    String.raw`\s*(?:([()])`,
    "'((?:[^']|'')*)'",
    String.raw`(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d))`,
    String.raw`(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![^\s()])`,
    String.raw`([^\s()']+))\s*`
  ].join('|'),
  'y'
)

function tokenize(text: string): Token[] | undefined {
  const tokens: Token[] = []
  const scan = new RegExp(pattern)
  while (scan.lastIndex < text.length) {
    const found = scan.exec(text)
    if (found === null) return undefined
    const [, bracket, quoted, time, number, word] = found
    if (bracket !== undefined) tokens.push({ bracket: bracket as '(' | ')' })
    else if (quoted !== undefined) tokens.push({ literal: quoted.replaceAll("''", "'") })
    else if (time !== undefined) tokens.push({ literal: time })
    else if (number !== undefined) tokens.push({ literal: Number(number) })
    else if (word === 'true' || word === 'false') tokens.push({ literal: word === 'true' })
    else if (word === 'null') tokens.push({ literal: null })
    else if (word !== undefined) tokens.push({ word })
  }
  return tokens
}

/** Recursive descent, no deeper than it is allowed; `undefined` says that the text is wrong. */
class Parser {
  readonly #tokens: readonly Token[]
  #next = 0
  #depth: number

  constructor(tokens: readonly Token[], depth: number) {
    this.#tokens = tokens
    this.#depth = depth
  }

  atEnd(): boolean {
    return this.#next === this.#tokens.length
  }

  any(): Filter | undefined {
    const terms = this.#terms('or', () => this.#all())
    return terms && ((resource) => terms.some((term) => term(resource)))
  }

  #all(): Filter | undefined {
    const terms = this.#terms('and', () => this.#term())
    return terms && ((resource) => terms.every((term) => term(resource)))
  }

  #terms(joint: string, parse: () => Filter | undefined): Filter[] | undefined {
    const terms: Filter[] = []
    do {
      const term = parse()
      if (term === undefined) return undefined
      terms.push(term)
    } while (this.#takes('word', joint))
    return terms
  }

  #term(): Filter | undefined {
    if (this.#takes('word', 'not')) {
      const negated = this.#deeper(() => this.#term())
      return negated && ((resource) => !negated(resource))
    }
    if (this.#takes('bracket', '(')) {
      const inner = this.#deeper(() => this.any())
      return this.#takes('bracket', ')') ? inner : undefined
    }
    return this.#comparison()
  }

  #deeper(parse: () => Filter | undefined): Filter | undefined {
    if (this.#depth === 0) return undefined
    this.#depth--
    const filter = parse()
    this.#depth++
    return filter
  }

  #comparison(): Filter | undefined {
    const left = this.#operand()
    const operator = this.#tokens[this.#next++]
    const right = this.#operand()
    if (left === undefined || right === undefined || operator === undefined || !('word' in operator)) return undefined
    const holds = operators.get(operator.word)
    return holds && ((resource) => holds(left(resource), right(resource)))
  }

  #operand(): Operand | undefined {
    const token = this.#tokens[this.#next++]
    if (token === undefined || 'bracket' in token) return undefined
    if ('literal' in token) return () => token.literal
    const path = token.word.split('/')
    return path.includes('') ? undefined : (resource) => follow(resource, path)
  }

  #takes(kind: 'word' | 'bracket', text: string): boolean {
    const token = this.#tokens[this.#next]
    const taken = token !== undefined && kind in token && (token as Record<string, unknown>)[kind] === text
    if (taken) this.#next++
    return taken
  }
}

function follow(resource: object, path: readonly string[]): unknown {
  let value: unknown = resource
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value ?? null
}

const operators = new Map<string, (left: unknown, right: unknown) => boolean>([
  ['eq', (left, right) => equal(left, right)],
  ['ne', (left, right) => !equal(left, right)],
  ['gt', (left, right) => order(left, right) > 0],
  ['ge', (left, right) => order(left, right) >= 0],
  ['lt', (left, right) => order(left, right) < 0],
  ['le', (left, right) => order(left, right) <= 0]
])

function equal(left: unknown, right: unknown): boolean {
  return left === right || order(left, right) === 0
}

/** Negative, zero or positive; NaN for values that are in no order. */
function order(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left !== 'string' || typeof right !== 'string') return Number.NaN
  if (dateTime.test(left) && dateTime.test(right)) return Date.parse(left) - Date.parse(right)
  return left < right ? -1 : left > right ? 1 : 0
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
