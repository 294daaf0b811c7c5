import { execFileSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { description } from './board.ts'

const { sysroot } = await import(pathToFileURL('runtime/build/sysroot.mjs').href)

/** Compiles fixtures/<name>.c for the board. @returns the program, in `directory` */
export function compileFixture(directory: string, name: string): string {
  const [command, ...target] = sysroot(description.arch).cc as [string, ...string[]]
  const program = `${directory}/${name}`
  const flags = ['-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror', '-static', '-s']
  execFileSync(command, [...target, ...flags, `test/image/fixtures/${name}.c`, '-o', program])
  return program
}
