import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface, type Interface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { Host } from './hosts.ts'

/** How a process ended, and all it said. */
export interface Ended {
  /** The exit status; null after a signal. */
  readonly status: number | null
  readonly stdout: readonly string[]
  readonly stderr: readonly string[]
}

/** One run of the service's program. */
export class Process {
  readonly pid: number
  readonly stdout: string[] = []
  readonly stderr: string[] = []
  /** How it ended, once it has. */
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  readonly #firstLine: Promise<string>
  readonly #output: Interface

  constructor(
    host: Host,
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>> = {},
    input: 'ignore' | 'pipe' = 'ignore'
  ) {
    const [program, ...first] = host.command
    this.#child = spawn(program, [...first, ...args], {
      stdio: [input, 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, ...env }
    })
    this.pid = this.#child.pid ?? 0
    const stdout = createInterface({ input: this.#child.stdout! }).on('line', (line) => this.stdout.push(line))
    this.#output = stdout
    createInterface({ input: this.#child.stderr! }).on('line', (line) => this.stderr.push(line))
    this.#firstLine = once(stdout, 'line').then(([line]) => line)
    this.ended = once(this.#child, 'close').then(([status]) => {
      return { status, stdout: this.stdout, stderr: this.stderr }
    })
  }

  /**
   * The line that says connections are accepted.
   *
   * @throws Error with what the program said, when it ended instead
   */
  async ready(): Promise<string> {
    const failed = this.ended.then(({ status, stderr }) => {
      throw new Error(`the service ended with status ${status}:\n${stderr.join('\n')}`)
    })
    return Promise.race([this.#firstLine, failed])
  }

  /**
   * The first line of output, from the one with that number on, that is like this.
   *
   * @throws Error with the last lines, when the program ended before
   */
  async saying(pattern: RegExp, from = 0): Promise<string> {
    for (;;) {
      const found = this.stdout.slice(from).find((line) => pattern.test(line))
      if (found !== undefined) return found
      const ended = this.ended.then(({ stdout, stderr }) => {
        throw new Error(`ended without ${pattern}: ${[...stdout.slice(-5), ...stderr].join('\n')}`)
      })
      await Promise.race([once(this.#output, 'line'), ended])
    }
  }

  /** Sends text to its standard input, where that is a pipe. */
  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  kill(signal: NodeJS.Signals): Promise<Ended> {
    this.#child.kill(signal)
    return this.ended
  }
}

/** Stops a process. A signal stops its threads one after another, and until then they go on: waits for the last. */
export async function freeze(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP')
  const isStopped = (thread: string) =>
    /^.*\) T /s.test(readFileSync(`/proc/${child.pid}/task/${thread}/stat`, 'latin1'))
  while (!readdirSync(`/proc/${child.pid}/task`).every(isStopped)) await pause(1)
}

/** The processes that a process has started (proc_tid_children(5)). */
export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

/** The resident memory of a process in bytes (proc_pid_status(5)). */
export function resident(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

/** The processor's time that a process had so far, in milliseconds (proc_pid_stat(5)). */
export function busy(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13)
  return 10 * (Number(user) + Number(system))
}
