/** A fixture in TypeScript as a program: for Node.js, and as static binaries with the engine. */

import { execFile } from 'node:child_process'
import { type Arch, command, missing, program, script } from './programs.ts'

export type Command = [program: string, ...words: string[]]

export interface Program {
  host: string
  /** A reason to leave it out on this machine; under CI nothing is left out. */
  skip: string | false
  /** Builds `test/embedded/fixtures/<fixture>.ts`. */
  build(fixture: string): Promise<Command>
}

export const onNode: Program = {
  host: 'Node.js',
  skip: false,
  build: async (fixture) => [process.execPath, await script(fixture)]
}

const arches: Arch[] = ['x86_64', 'armv7']

export const binaries: Program[] = arches.map((arch) => ({
  host: `${arch} binary`,
  skip: missing(arch),
  build: async (fixture) => command(arch, await program(fixture, { arch }))
}))

/** Runs a command to its end. @returns what it wrote on standard output. @throws when it fails, with what it said. */
export function output([program, ...words]: Command): Promise<string> {
  return new Promise((resolve, reject) =>
    execFile(program, words, { maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout)
    )
  )
}
