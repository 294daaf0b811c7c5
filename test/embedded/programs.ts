/** Programs of the embedded host, built for tests; the same entry also bundles for Node.js. */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { isInstalled, undelivered } from '#test/host/hosts.ts'
import { workFolder } from './dropIn.ts'

const load = (name: string) => import(pathToFileURL(`runtime/build/${name}.mjs`).href)
const { buildBinary } = await load('binary')
const { embeddedBundle } = await load('bundle')
const { architectures, available, hostArch } = await load('sysroot')

export type Arch = 'x86_64' | 'armv7' | 'armv5' | 'aarch64'
export const native: Arch = hostArch

/** The missing tools to build for `arch` and run it; under CI nothing may be missing. */
export function missing(arch: Arch): string | false {
  const emulator: string | undefined = arch === native ? undefined : architectures[arch].emulator
  if (undelivered.includes(arch)) return `Debian's mirror does not deliver the packages for ${arch}`
  const list: string[] = available(arch)
  if (emulator && !isInstalled(emulator)) list.push(`${emulator} (apt-get install qemu-user-static)`)
  return list.length > 0 && process.env.CI !== 'true' && `it needs ${list.join('; ')}`
}

/** How to run a program of `arch` here. */
export function command(arch: Arch, program: string): [string, ...string[]] {
  return arch === native ? [program] : [architectures[arch].emulator, program]
}

export interface Options {
  arch?: Arch
  sanitize?: boolean
  documents?: string
  modules?: Record<string, { sources: string[]; libraries: string[]; wraps?: string[] }>
}

/** Builds `test/embedded/fixtures/<name>.ts` as a program and returns its path. */
export async function program(name: string, { arch = native, ...options }: Options = {}): Promise<string> {
  const out = join(workFolder, `${name}-${arch}${options.sanitize ? '-sanitized' : ''}`)
  await embeddedBundle({ entry: `test/embedded/fixtures/${name}.ts`, out: `${out}.mjs`, minify: false })
  buildBinary({ arch, bundle: `${out}.mjs`, out, ...options })
  return out
}

/** Bundles the same file for Node.js and returns the path; `minnow:<name>` is the addon at `addons[name]`. */
export async function script(name: string, addons: Record<string, string> = {}): Promise<string> {
  const outfile = join(workFolder, `${name}-node.mjs`)
  await build({
    entryPoints: [`test/embedded/fixtures/${name}.ts`],
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    outfile,
    plugins: [
      {
        name: 'addons',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^minnow:/ }, ({ path }) => ({ path: path.slice('minnow:'.length), namespace: 'addon' }))
          onLoad({ filter: /./, namespace: 'addon' }, ({ path }) => ({
            contents: `import { createRequire } from 'node:module'
              export default createRequire(import.meta.url)(${JSON.stringify(addons[path])})`
          }))
        }
      }
    ]
  })
  return outfile
}
