/** Programs that see the lines of a {@link Board} as the kernel's, in a process of their own. */

import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { workFolder } from '#test/embedded/dropIn.ts'
import type { Board } from './board.ts'

const { buildNative } = await import(pathToFileURL('runtime/build/addon.mjs').href)

/** The missing tools to run such programs, for which tests are left out; under CI nothing may be missing. */
export function missing(): string | false {
  const { missing } = buildNative({ out: 'dist/native' }) as { missing: string[] }
  return missing.length > 0 && process.env.CI !== 'true' && `it needs ${missing.join(', ')}`
}

/** Builds the library to preload. @returns its path */
function kernel(): string {
  const library = `${workFolder}/gpio_kernel.so`
  const flags = ['-std=gnu11', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror', '-O1', '-fPIC', '-shared']
  const { status, stderr } = spawnSync('gcc', [...flags, 'test/hal/fixtures/gpio_kernel.c', '-o', library, '-ldl'], {
    encoding: 'utf8'
  })
  if (status !== 0) throw new Error(stderr)
  return library
}

/**
 * Starts Node.js on the machine that `board` is, with the addons.
 *
 * @param options `sanitized`: the addons with AddressSanitizer and UBSan
 */
export function nodeOn(
  board: Board,
  args: string[],
  { sanitized = false, env = {}, ...options }: SpawnOptions & { sanitized?: boolean } = {}
): ChildProcess {
  return spawn(process.execPath, args, {
    ...options,
    env: { ...process.env, ...environmentOn(board, sanitized), ...env }
  })
}

/** Variables of the environment of a Node.js on the machine that `board` is. */
export function environmentOn(board: Board, sanitized = false): Record<string, string> {
  const native = sanitized ? 'dist/native-sanitized' : 'dist/native'
  buildNative({ out: native, sanitize: sanitized })
  const asan = spawnSync('gcc', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).stdout.trim()
  return {
    MINNOW_NATIVE: resolve(native),
    MINNOW_GPIO_BOARD: board.folder,
    LD_PRELOAD: sanitized ? `${asan} ${kernel()}` : kernel(),
    ASAN_OPTIONS: 'detect_leaks=0'
  }
}
