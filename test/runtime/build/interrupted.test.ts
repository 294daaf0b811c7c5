// own process: it waits for what takes long
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, watch } from 'node:fs'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'

const { href: temporary } = pathToFileURL('runtime/build/temporary.mjs')
const { href: progress } = pathToFileURL('runtime/build/progress.mjs')
const { href: command } = pathToFileURL('runtime/build/command.mjs')

/** A build in a process group of its own, as a shell starts it. */
function build(t: Test, lines: string, folder: string): ChildProcess {
  const source = `import { writeFileSync } from 'node:fs'
    import { run } from '${command}'
    import { step } from '${progress}'
    import { temporaryFolder } from '${temporary}'
    ${lines}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true
  })
  t.teardown(() => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {} // it has ended
  })
  return child
}

/** Until nothing is in a folder. */
async function emptied(folder: string): Promise<void> {
  const changes = watch(folder)
  while (readdirSync(folder).length > 0) await once(changes, 'change')
  changes.close()
}

const compiling = `
  const { path } = temporaryFolder()
  writeFileSync(path + '/object.o', 'half of it')
  run(['sh', '-c', 'echo compiling >&2; exec sleep 600'], { stdio: 'inherit' })`

for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
  t.test(`a build that ${signal} ends leaves neither folder nor compiler behind`, async (t) => {
    const folder = t.testdir({})
    const child = build(t, compiling, folder)
    const closed = once(child, 'close') // as soon as no process has its standard error
    await once(child.stderr!, 'data')
    t.equal(readdirSync(folder).length, 1)
    process.kill(signal === 'SIGINT' ? -child.pid! : child.pid!, signal)
    await emptied(folder)
    t.same(readdirSync(folder), [])
    await closed
  })
}

t.test('a build that fails or is done leaves no folder behind', async (t) => {
  for (const [end, status] of [
    ["run(['false'])", 1],
    ["run(['true'])", 0]
  ] as const) {
    const folder = t.testdir({})
    const lines = `const { path, remove } = temporaryFolder()
      writeFileSync(path + '/object.o', '')
      try { ${end} } finally { remove() }`
    const [ended] = await once(build(t, lines, folder), 'close')
    t.equal(ended, status)
    t.same(readdirSync(folder), [])
  }
})

t.test('a build names the innermost step that takes longer than five seconds', async (t) => {
  const child = build(
    t,
    `step('building the image', () => {
      step('reading the board', () => run(['true']))
      step('compiling U-Boot', () => run(['sleep', '600']))
    })`,
    t.testdir({})
  )
  const [line] = await once(createInterface({ input: child.stderr! }), 'line')
  t.match(line, /^compiling U-Boot … \d+ s$/)
})
