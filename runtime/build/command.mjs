/** Programs that a build runs. */
import { spawnSync } from 'node:child_process'

/**
 * A program and its arguments.
 *
 * @typedef {readonly [program: string, ...args: string[]]} Command
 */

/**
 * Runs a program and waits for its end.
 *
 * @param {Command} command
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, input?: string }} [options]
 * @returns {string} its standard output
 * @throws {Error} with its words when it fails
 */
export function run([program, ...args], options) {
  const { error, status, signal, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${program} failed (${status ?? signal}):\n${stderr}${stdout}`)
  return stdout
}

/**
 * Whether there is a program of this name.
 *
 * @param {string} program
 */
export function isInstalled(program) {
  return spawnSync('sh', ['-c', 'command -v "$0" >/dev/null', program]).status === 0
}
