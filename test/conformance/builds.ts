import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Agent, fetch } from 'undici'

const defaultPassword = 'correct horse'

/** Builds the product for Node.js into a folder; what is asked for are flags of build.mjs. */
export function build(flags: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs', ...flags], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

/** Runs a command of the product for Node.js to its end. */
export async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['dist/minnow.mjs', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe']
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const [status] = await once(child, 'close')
  return { status, stderr }
}

export interface Running {
  readonly port: string
  get(
    path: string,
    headers?: Readonly<Record<string, string>>
  ): Promise<{ status: number; headers: string; text: string }>
  /** Without credentials, except in the headers. */
  ask(
    method: string,
    path: string,
    body: object | undefined,
    headers: Readonly<Record<string, string>>
  ): Promise<{ status: number; headers: Readonly<Record<string, string>>; text: string }>
  stop(): Promise<void>
}

/** Starts what was built into a folder, on a free port. */
export async function start(
  folder: string,
  data: string,
  password = defaultPassword,
  more: readonly string[] = []
): Promise<Running> {
  const service: ChildProcess = spawn(
    process.execPath,
    [`${folder}/minnow.mjs`, '--port', '0', '--address', '127.0.0.1', '--data', data, ...more],
    { env: { ...process.env, MINNOW_ADMIN_PASSWORD: password }, stdio: ['ignore', 'pipe', 'ignore'] }
  )
  const ended = new Promise<void>((resolve) => service.once('close', () => resolve()))
  const base = await listening(service)
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  return {
    port: new URL(base).port,
    async get(path, headers = {}) {
      const authorization = `Basic ${btoa(`admin:${password}`)}`
      const answer = await fetch(new URL(path, base), { dispatcher, headers: { authorization, ...headers } })
      return { status: answer.status, headers: JSON.stringify([...answer.headers]), text: await answer.text() }
    },
    async ask(method, path, body, headers) {
      const json = body && { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }
      const answer = await fetch(new URL(path, base), { dispatcher, method, headers, ...json })
      return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
    },
    async stop() {
      service.kill('SIGTERM')
      await ended
      await dispatcher.close()
    }
  }
}

async function listening(service: ChildProcess): Promise<string> {
  if (service.stdout === null) throw new Error('no standard output')
  for await (const line of createInterface({ input: service.stdout })) {
    const url = /^minnow: listening on (https:\S+)$/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('the service ended before it listened')
}
