/** Programs that a build runs. */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * A program and its arguments.
 *
 * @typedef {readonly [program: string, ...args: string[]]} Command
 */

/**
 * A prefix that ends a command with this process, if the system supports that (prctl(2), PR_SET_PDEATHSIG).
 *
 * @type {string[] | undefined}
 */
let bound

/**
 * Runs a program and waits for its end. It does not outlive this process.
 *
 * @param {Command} command
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, input?: string }} [options]
 * @returns {string} its standard output
 * @throws {Error} with its words when it fails
 */
export function run(command, options) {
  bound ??= isInstalled('setpriv') ? ['setpriv', '--pdeathsig', 'TERM'] : []
  const [program = '', ...args] = [...bound, ...command]
  const { error, status, signal, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${command[0]} failed (${status ?? signal}):\n${stderr}${stdout}`)
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

/**
 * Runs a script that was started, and not imported. Its error is printed, and the exit status is 1.
 *
 * @param {string} url of the script
 * @param {() => void} main
 */
export function runScript(url, main) {
  if (!process.argv[1] || resolve(process.argv[1]) !== fileURLToPath(url)) return
  try {
    main()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
}
