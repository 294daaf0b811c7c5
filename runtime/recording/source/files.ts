import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { filesInArchive, type SourceFile } from './archive.ts'

/** How many folders may lie within one another. */
const deepest = 64

/** The files in a folder or archive, in order. @throws Error that names it */
export function filesIn(from: string): SourceFile[] {
  try {
    const files = statSync(from).isDirectory() ? filesInFolder(from, '', 0) : filesInArchive(readFileSync(from))
    return files.sort((one, other) => (one.name < other.name ? -1 : 1))
  } catch (error) {
    throw new Error(`${from}: ${(error as Error).message}`)
  }
}

function filesInFolder(folder: string, prefix: string, depth: number): SourceFile[] {
  return readdirSync(folder).flatMap((entry) => {
    const [path, name] = [`${folder}/${entry}`, `${prefix}${entry}`]
    if (lstatSync(path)?.isDirectory()) return depth < deepest ? filesInFolder(path, `${name}/`, depth + 1) : []
    return { name, read: () => readFileSync(path) }
  })
}
