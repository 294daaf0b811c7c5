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
  const open: { readonly isArray: boolean; key: string | undefined }[] = []
  let [found, place] = [0, 0]
  const look = (index: number) => {
    const isThere = open.length > found && open.every(({ key }, depth) => key !== undefined && key === path[depth])
    if (isThere) [found, place] = [open.length, index]
  }
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const inside = open.at(-1)
    if (token === '}' || token === ']') open.pop()
    else if (token === ',') inside!.key = inside!.isArray ? String(Number(inside!.key) + 1) : undefined
    else if (token !== ':') {
      if (inside?.isArray) look(index)
      else if (inside !== undefined && inside.key === undefined) {
        inside.key = JSON.parse(token)
        look(index)
        continue
      }
      if (token === '{' || token === '[') open.push({ isArray: token === '[', key: token === '[' ? '0' : undefined })
    }
  }
  return found === 0 ? undefined : lineAt(text, place)
}

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length
