import { readdirSync, readlinkSync } from 'node:fs'

/** The files below a folder, or the file of a path, that this process has open. */
export const openFiles = (path: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((each) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${each}`)
      return file === path || file.startsWith(`${path}/`) ? [file] : []
    } catch {
      return [] // the list itself, which is closed by now
    }
  })
