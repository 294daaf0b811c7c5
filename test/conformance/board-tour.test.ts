// own process: it starts what was built
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { needing } from '#test/host/every-host.ts'
import { directory } from '#test/host/server.ts'
import { missingImage } from '#test/image/board.ts'
import { freePort } from './free-port.ts'
import { bash, blocks } from './pages.ts'

t.setTimeout(900_000)

for (const [host, name] of [
  ['binary', 'the binary'],
  ['node', 'Node.js']
] as const)
  needing(`the tour of the emulated controller works as printed, with ${name}`, missingImage, (t) => tour(t, host))

async function tour(t: Test, host: string): Promise<void> {
  const [make = '', ...steps] = blocks('docs/tours/emulated-controller.md')
  const port = await freePort()
  // npm would build the binary first; it is built already, and other tests use it.
  const image = `node runtime/image/image.mjs --host ${host} --out ${directory(t)} --port ${port}`
  const board = spawn('bash', ['-euc', `exec env ${make.replace('npm run image --', image)}`], {
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
  for (const shown of [/^kernel-a .* MiB$/, /^rofs-a .* MiB$/, /^besides the kernels .* MiB$/, /^U-Boot /]) {
    t.ok(
      lines.some((line) => shown.test(line)),
      `it shows ${shown}`
    )
  }
  const { status, printed } = await bash(steps.join('echo\n').replaceAll('localhost:8443', `127.0.0.1:${port}`))
  t.equal(status, 0, printed)
  t.match(printed, /"Model":"AST2600-EVB"/)
  t.match(printed, /Base\.1\.12\.Success/)
  t.match(printed, /"HostName":"rack7"/)
  t.match(printed, /"Address":"10\.0\.2\.15","AddressOrigin":"Static"/)
}
