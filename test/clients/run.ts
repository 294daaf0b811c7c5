import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The output of a client program, and its exit status. */
export interface Result {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a client program to its end, three minutes at most, without the settings of whoever runs the tests. */
export async function run(program: string, ...args: string[]): Promise<Result> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 180_000,
    env: { PATH: process.env.PATH }
  })
  const result = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      result[stream] += text
    })
  }
  const [status] = await once(child, 'close')
  return { status, ...result }
}
