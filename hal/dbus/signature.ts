import { HalError } from '../errors.ts'

/** Codes of the types that contain no others (D-Bus Specification 0.38, "Basic types"). */
const basic = ['y', 'b', 'n', 'q', 'i', 'u', 'x', 't', 'd', 's', 'o', 'g', 'h'] as const

type BasicCode = (typeof basic)[number]

/** A complete type: a basic one, a variant, or a container of others. */
export type Type =
  | { readonly code: BasicCode | 'v' }
  | { readonly code: 'a'; readonly item: Type }
  | { readonly code: '('; readonly members: readonly Type[] }
  | { readonly code: '{'; readonly members: readonly [key: Type, value: Type] }

/** Bytes to a multiple of which a value of a type is aligned. */
export const alignments: Readonly<Record<Type['code'], 1 | 2 | 4 | 8>> = {
  ...{ y: 1, g: 1, v: 1, n: 2, q: 2, b: 4, i: 4, u: 4, h: 4, s: 4, o: 4, a: 4, x: 8, t: 8, d: 8, '(': 8, '{': 8 }
}

/** "Valid Signatures": the length in bytes, and how deep arrays and structures are nested, each on their own. */
export const longestSignature = 255
const deepest = 32

const isBasic = (code: string): code is BasicCode => (basic as readonly string[]).includes(code)

/** Those read last, as a message has a signature for each of its variants. */
const read = new Map<string, readonly Type[]>()
const mostRead = 200

/**
 * The types that a signature lists.
 *
 * @throws {HalError} `EINVAL` if it is not valid
 */
export function typesOf(signature: string): readonly Type[] {
  const known = read.get(signature)
  if (known !== undefined) return known
  const types = new Signature(signature).types()
  if (read.size >= mostRead) read.clear()
  read.set(signature, types)
  return types
}

/**
 * The type of a signature that has just one, such as that of a variant.
 *
 * @throws {HalError} `EINVAL`
 */
export function typeOf(signature: string): Type {
  const [type, ...more] = typesOf(signature)
  if (type === undefined || more.length > 0) throw invalid(signature)
  return type
}

class Signature {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  types(): readonly Type[] {
    if (this.#text.length > longestSignature) throw invalid(this.#text)
    const types: Type[] = []
    while (this.#at < this.#text.length) types.push(this.#type(0, 0))
    return types
  }

  #type(arrays: number, structures: number): Type {
    const code = this.#text[this.#at++] ?? ''
    if (code === 'v' || isBasic(code)) return { code }
    if (code === 'a' && arrays < deepest) {
      const isDictionary = this.#text[this.#at] === '{'
      return { code, item: isDictionary ? this.#entry(arrays + 1, structures) : this.#type(arrays + 1, structures) }
    }
    if (code !== '(' || structures >= deepest) throw invalid(this.#text)
    const members = [this.#type(arrays, structures + 1)]
    while (this.#text[this.#at] !== ')') members.push(this.#type(arrays, structures + 1))
    this.#at += 1
    return { code, members }
  }

  /** An entry of a dictionary: only an array has them. Its nesting counts as that of a structure. */
  #entry(arrays: number, structures: number): Type {
    this.#at += 1
    const key = this.#type(arrays, structures + 1)
    const value = this.#type(arrays, structures + 1)
    if (!isBasic(key.code) || structures >= deepest || this.#text[this.#at++] !== '}') throw invalid(this.#text)
    return { code: '{', members: [key, value] }
  }
}

function invalid(signature: string): HalError {
  return new HalError('EINVAL', `dbus: ${JSON.stringify(signature.slice(0, longestSignature))} is no valid signature`)
}
