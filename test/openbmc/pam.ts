import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

const strict = ['-std=gnu11', '-O1', '-g', '-Wall', '-Wextra', '-Wconversion', '-Werror']

/** The missing prerequisite of the password tests; undefined if it is installed. */
export function missingPam(): string | undefined {
  try {
    execFileSync('gcc', ['-E', '-'], { input: '#include <security/pam_appl.h>\n', stdio: ['pipe', 'ignore', 'ignore'] })
    return undefined
  } catch {
    return 'PAM: not here; install libpam0g-dev'
  }
}

let built: { readonly module: string; readonly helper: string } | undefined

/** PAM's module and the helper, which a process compiles once. */
function programs() {
  if (built !== undefined) return built
  const folder = mkdtempSync(join(tmpdir(), 'pam-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const module = join(folder, 'pam_users.so')
  const helper = join(folder, 'minnow-pam')
  execFileSync('gcc', [...strict, '-shared', '-fPIC', '-o', module, 'test/openbmc/pam_users.c', '-lpam'])
  const sanitized = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all']
  execFileSync('gcc', [...strict, ...sanitized, '-o', helper, 'deploy/openbmc/minnow-pam.c', '-lpam'])
  built = { module, helper }
  return built
}

/** The helper that asks PAM, and a PAM of its own with these users: name, password and state. */
export function pamWith(t: Test, users: readonly string[]) {
  const folder = t.testdir({})
  const services = join(folder, 'services')
  const file = join(folder, 'users')
  const { module, helper } = programs()
  mkdirSync(services)
  const kinds = ['auth', 'account', 'password']
  writeFileSync(join(services, 'minnow'), kinds.map((kind) => `${kind} required ${module} ${file}\n`).join(''))
  writeFileSync(file, users.map((each) => `${each}\n`).join(''))
  return { command: [helper, services] as const, users: () => readFileSync(file, 'utf8').trim().split('\n') }
}

/** The helper behind a socket, as systemd starts it: once per connection. @returns the path of the socket */
export async function pamSocket(t: Test, command: readonly [string, ...string[]]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pam-'))
  const path = join(folder, 'socket')
  const server = createServer((socket) => {
    const helper = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
    socket.on('error', () => helper.kill())
    helper.stdin.on('error', () => undefined)
    socket.pipe(helper.stdin)
    helper.stdout.pipe(socket)
  })
  server.listen(path)
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return path
}
