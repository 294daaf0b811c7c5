import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { directory } from '#test/host/server.ts'

/**
 * Builds an image as a page says, boots it, and waits until its service listens. It is gone when the test ends.
 *
 * @param make the command on the page
 * @param port of this machine, where the service is to answer
 * @param places `folder` that the command runs in, `out` that the image is written to
 * @returns the lines that were shown until then
 */
export async function booted(
  t: Test,
  make: string,
  port: number,
  { folder = '.', out = directory(t) } = {}
): Promise<string[]> {
  // npm would build the binary first; it is built already, and other tests use it.
  const image = `node ${process.cwd()}/deploy/image/image.mjs --out ${out} --port ${port}`
  const board = spawn('bash', ['-euc', `exec env ${make.replace('npm run image --', image)}`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const ended = once(board, 'close')
  t.teardown(() => {
    board.kill('SIGTERM')
    return ended
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: board.stdout })) {
    lines.push(line)
    if (/minnow: listening on/.test(line)) break
  }
  board.stdout.resume()
  return lines
}
