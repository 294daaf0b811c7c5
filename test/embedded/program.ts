/** A fixture in TypeScript as a program: for Node.js, and as static binaries with the engine. */
import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { isInstalled } from '../host/hosts.ts'
import { workFolder } from './dropIn.ts'

const { architectures, available } = await import(pathToFileURL('runtime/embedded/sysroot.mjs').href)
const { buildBinary, embeddedBundle } = await import(pathToFileURL('runtime/embedded/build.mjs').href)

export type Command = [program: string, ...words: string[]]

export interface Program {
  host: string
  /** A reason to leave it out on this machine; under CI nothing is left out. */
  skip: string | false
  /** Builds `test/embedded/fixtures/<fixture>.ts`. */
  build(fixture: string): Promise<Command>
}

const source = (fixture: string) => resolve(`test/embedded/fixtures/${fixture}.ts`)

export const onNode: Program = {
  host: 'Node.js',
  skip: false,
  async build(fixture) {
    const outfile = join(workFolder, `${fixture}-node.mjs`)
    await build({
      entryPoints: [source(fixture)],
      outfile,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm'
    })
    return [process.execPath, outfile]
  }
}

export const binaries: Program[] = ['x86_64', 'armv7'].map((arch) => {
  const { emulator } = architectures[arch]
  const missing: string[] = [
    ...available(arch),
    ...(emulator && !isInstalled(emulator) ? [`${emulator} (qemu-user-static)`] : [])
  ]
  return {
    host: `${arch} binary`,
    skip: missing.length > 0 && process.env.CI !== 'true' && `left out: it needs ${missing.join(', ')}`,
    async build(fixture) {
      const out = join(workFolder, `${fixture}-${arch}`)
      await embeddedBundle({ entry: source(fixture), out: `${out}.mjs` })
      buildBinary({ arch, bundle: `${out}.mjs`, out })
      return emulator ? [emulator, out] : [out]
    }
  }
})

/** Runs a command to its end. @returns what it wrote on standard output. @throws when it fails, with what it said. */
export function output([program, ...words]: Command): Promise<string> {
  return new Promise((resolve, reject) =>
    execFile(program, words, { maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout)
    )
  )
}
