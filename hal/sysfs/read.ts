import { readdirSync, readFileSync } from 'node:fs'

/** The text of a kernel file without its newline; undefined when there is no such file or it cannot be read now. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** The names in a folder, for a message about a missing one. */
export function known(folder: string): string {
  try {
    return readdirSync(folder).sort().join(', ') || 'none'
  } catch {
    return `no ${folder}`
  }
}
