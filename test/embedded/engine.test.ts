import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type Arch, command, missing, native, program, script } from './programs.ts'

t.setTimeout(900_000)

/** Resolves with the content of a file when it is there. */
function appears(folder: string, name: string): Promise<string> {
  return new Promise((resolve) => {
    const look = () => {
      if (!existsSync(join(folder, name)) || readFileSync(join(folder, name)).length === 0) return
      watcher.close()
      resolve(readFileSync(join(folder, name), 'utf8'))
    }
    const watcher = watch(folder, look)
    look()
  })
}

/** Runs the contract in a folder of its own, and gives it the signal it waits for. */
async function lines(...[first, ...rest]: string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'minnow-contract-'))
  try {
    const child = spawn(first!, [...rest, folder], { env: { ...process.env, MINNOW_CONTRACT: 'naïve' } })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    }
    const closed = once(child, 'close')
    const ready = appears(folder, 'ready')
    await Promise.race([ready.then(() => child.kill('SIGUSR2')), closed])
    const [status] = await closed
    return [...output.trimEnd().split('\n'), `status: ${status}`]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const expected = missing(native) ? [] : await lines(process.execPath, await script('contract'))

t.test('Node.js itself keeps the contract to its end', { skip: missing(native) }, async (t) => {
  t.equal(expected.at(-1), 'status: 3')
  t.ok(expected.length > 150)
})

for (const arch of ['x86_64', 'armv7', 'armv5', 'aarch64'] as Arch[]) {
  t.test(`the drop-ins behave as Node's own on ${arch}`, { skip: missing(arch) }, async (t) => {
    const actual = await lines(...command(arch, await program('contract', { arch })))
    t.equal(actual.length, expected.length, actual.slice(-3).join('\n'))
    for (const [index, line] of expected.entries()) t.equal(actual[index], line)
  })
}
