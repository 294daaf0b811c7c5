// own process: it builds programs, and runs them for a minute
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import t from 'tap'
import { memory, points, seed } from '#test/campaign.ts'
import { dropIn, skip, workFolder } from '#test/embedded/dropIn.ts'

/** Faults, and damages, for each LevelDB. */
const count = points(300)

t.setTimeout(600_000 + count * 300)
t.jobs = 2

async function program(fixture: string, level?: string): Promise<string> {
  const outfile = join(workFolder, `${fixture}-${level === undefined ? 'node' : 'binary'}.mjs`)
  await build({
    entryPoints: [`test/runtime/store/fixtures/${fixture}.ts`],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outfile,
    alias: { '#generated': resolve('dist/generated/index.ts'), ...(level !== undefined && { level }) }
  })
  return outfile
}

let made: string | undefined

/** Built once: another campaign may be starting with it. */
function library(): string {
  made ??= buildLibrary()
  return made
}

function buildLibrary(): string {
  const out = join(workFolder, 'faults.so')
  const flags = ['-D_GNU_SOURCE', '-O1', '-Wall', '-Wextra', '-Wconversion', '-Werror', '-shared', '-fPIC']
  const { status, stderr } = spawnSync('gcc', [...flags, '-o', out, 'test/runtime/store/fixtures/faults.c'], {
    encoding: 'utf8'
  })
  if (status !== 0) throw new Error(stderr)
  return out
}

interface Line {
  readonly points?: number
  readonly fault?: object
  readonly wrong?: string
}

/** Runs a program over all its points. @throws Error with how the program ended, if not by itself */
async function campaign(program: string, preload: string, ...more: string[]): Promise<Line[]> {
  const folder = mkdtempSync(join(memory, 'minnow-faults-'))
  const control = join(folder, 'control')
  writeFileSync(control, new Uint8Array(4096))
  mkdirSync(join(folder, 'work'))
  const child = spawn(process.execPath, [program, control, join(folder, 'work'), String(count), seed, ...more], {
    env: { ...process.env, LD_PRELOAD: preload, MINNOW_FAULTS: control },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const ended = once(child, 'close')
  let complaints = ''
  child.stderr.on('data', (chunk) => (complaints += chunk))
  const lines: Line[] = []
  for await (const line of createInterface({ input: child.stdout })) lines.push(JSON.parse(line))
  const [status, signal] = await ended
  if (status !== 0) throw new Error(`it ended with ${signal ?? status}: ${complaints}`)
  rmSync(folder, { recursive: true, force: true })
  return lines
}

const levels = [
  ['classic-level', async () => undefined],
  [
    'the LevelDB of the binary',
    async () => {
      await dropIn('level', 'leveldb')
      return join(workFolder, 'level.mjs')
    }
  ]
] as const

for (const [name, built] of levels) {
  t.test(name, { skip }, async (t) => {
    const level = await built()
    // Before any of them runs: two campaigns have the same one.
    const programs = {
      'fault-points': await program('fault-points', level),
      damage: await program('damage', level)
    }
    const fails = 'whatever call of the file system fails, nothing is lost and nothing is halved'
    for (const [title, fixture, preload, ...more] of [
      [fails, 'fault-points', library()],
      [`${fails} in a fleet`, 'fault-points', library(), 'one'],
      ['whatever is damaged, there are no other records without a word', 'damage', '']
    ] as const) {
      t.test(`${title} (seed ${seed})`, async (t) => {
        const lines = await campaign(programs[fixture], preload, ...more)
        t.equal(lines.at(-1)?.points, count, 'all points were tried')
        t.comment(JSON.stringify(lines.at(-1)))
        for (const { fault, wrong } of lines.filter((line) => line.wrong !== undefined)) {
          t.fail(`${wrong} ${JSON.stringify(fault)} (seed ${seed})`)
        }
      })
    }
  })
}
