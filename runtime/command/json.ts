/** Strings, structure and other values of JSON (RFC 8259). */
const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+|"/g

/** The value that a file contains. @throws Error that says where the file ends, if it is incomplete; else the engine's */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (isComplete(text)) throw error
    throw new Error(`it is incomplete, and ends in line ${lineAt(text, text.trimEnd().length)}`)
  }
}

function isComplete(text: string): boolean {
  let depth = 0
  for (const [token] of text.matchAll(tokens)) {
    if (token === '"') return false
    if (token === '{' || token === '[') depth += 1
    else if ((token === '}' || token === ']') && --depth === 0) return true
  }
  return depth === 0 && text.trim() !== ''
}

/**
 * The line of a member of a file.
 *
 * @param text of valid JSON
 * @param path names and indices that lead to the member
 * @returns that of the longest part of the path that the file has, from 1; undefined if it has none
 */
export function lineOf(text: string, path: readonly string[]): number | undefined {
  let [found, place] = [0, 0]
  for (const { open, index } of places(text)) {
    const isThere = open.length > found && open.every(({ key }, depth) => key !== undefined && key === path[depth])
    if (isThere) [found, place] = [open.length, index]
  }
  return found === 0 ? undefined : lineAt(text, place)
}

/**
 * The lines where the elements of a list begin, from 1.
 *
 * @param text of valid JSON
 * @param path names and indices that lead to the list
 */
export function linesOf(text: string, path: readonly string[]): number[] {
  const lines: number[] = []
  let [line, before] = [1, 0]
  for (const { open, index } of places(text)) {
    if (open.length !== path.length + 1 || path.some((name, depth) => open[depth]!.key !== name)) continue
    line += text.slice(before, index).split('\n').length - 1
    before = index
    lines.push(line)
  }
  return lines
}

/** Objects and arrays around a place, the outermost first, with the name or index in each. */
type Open = { readonly isArray: boolean; key: string | undefined }[]

/** The places at which members and elements begin, in their order. The array `open` is the same each time. */
function* places(text: string): Generator<{ readonly open: Open; readonly index: number }> {
  const open: Open = []
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const inside = open.at(-1)
    if (token === '}' || token === ']') open.pop()
    else if (token === ',') inside!.key = inside!.isArray ? String(Number(inside!.key) + 1) : undefined
    else if (token !== ':') {
      if (inside?.isArray) yield { open, index }
      else if (inside !== undefined && inside.key === undefined) {
        inside.key = JSON.parse(token) as string
        yield { open, index }
        continue
      }
      if (token === '{' || token === '[') open.push({ isArray: token === '[', key: token === '[' ? '0' : undefined })
    }
  }
}

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length
