import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** One way to run the service. */
export interface Host {
  readonly name: string
  /** The program and its first arguments. */
  readonly command: readonly [string, ...string[]]
  /** How many times slower than this machine's own code it may be. */
  readonly slowness: number
  /** How to get it, if it is not installed. */
  readonly missing?: string
}

/** The service for Node.js; that of `test/run/mutants.mjs` has a mistake. */
const service = process.env.MINNOW_SERVICE ?? 'dist/minnow.mjs'

export const hosts: readonly Host[] = [
  host('Node.js', 1, [process.execPath, service], service, 'run `npm run build`'),
  host('x86-64', 1, ['dist/minnow-x86_64'], 'dist/minnow-x86_64', 'run `npm run binary`'),
  host(
    'ARMv7',
    10,
    ['qemu-arm-static', 'dist/minnow-armv7'],
    'dist/minnow-armv7',
    'install qemu-user-static and run `npm run binary -- --arch armv7`'
  )
]

/** Architectures whose packages Debian's mirror does not deliver: their tests are skipped, also under CI. */
export const undelivered = (process.env.MINNOW_UNDELIVERED ?? '').split(' ').filter((arch) => arch !== '')

/** The processors of AST2400 and AST2500. */
export const olderArm: readonly Host[] = ['arm926', 'arm1176'].map((processor) =>
  host(
    processor,
    10,
    ['qemu-arm-static', '-cpu', processor, 'dist/minnow-armv5'],
    'dist/minnow-armv5',
    'install qemu-user-static and run `npm run binary -- --arch armv5`'
  )
)

function host(name: string, slowness: number, command: Host['command'], file: string, how: string): Host {
  const here = existsSync(file) && (command[0] === file || isInstalled(command[0]))
  return here ? { name, slowness, command } : { name, slowness, command, missing: `${name}: not here; ${how}` }
}

/** Whether a program is found on the PATH. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined
}
