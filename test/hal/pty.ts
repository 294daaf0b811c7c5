import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'

const { buildTest } = await import(pathToFileURL('runtime/build/addon.mjs').href)

const program = 'dist/native-sanitized/pty'

/** Why there is no pseudo-terminal here. */
export const missing: string | undefined = buildTest({ files: ['../../test/hal/pty.c'], output: program })

/** The path of a serial line whose other side echoes, until the test ends; `hangUp` takes that away. */
export async function openPty(t: Test): Promise<{ path: string; hangUp(): Promise<unknown> }> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const hangUp = () => {
    child.stdin.end()
    return ended
  }
  t.teardown(hangUp)
  const [path] = await once(createInterface({ input: child.stdout }), 'line')
  return { path, hangUp }
}
