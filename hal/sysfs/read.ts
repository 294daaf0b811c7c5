import { readdirSync, readFileSync } from 'node:fs'

/** What a file of the kernel holds, without the line's end; undefined where there is none, or it cannot be read now. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** What there is in a folder, for a sentence about what is not there. */
export function known(folder: string): string {
  try {
    return readdirSync(folder).sort().join(', ') || 'none'
  } catch {
    return `no ${folder}`
  }
}
