import { execFileSync } from 'node:child_process'
import { existsSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { resident } from '#test/host/process.ts'
import { directory } from '#test/host/server.ts'
import { instructionsFor } from './counting.ts'
import type { Figure } from './figures.ts'
import { resources, works } from './instructions.ts'
import { hostNamed, type Measurement, startAsShipped } from './measurement.ts'

const builds = { 'x86-64': 'minnow-x86_64', ARMv7: 'minnow-armv7' } as const

/**
 * The binaries of another commit beside those of this tree: size, resident memory and instructions of each.
 *
 * @param commit anything that git knows one by
 */
export async function* compare(measurement: Measurement, commit: string): AsyncGenerator<Figure> {
  const other = join(buildOf(measurement, commit), 'dist')
  const uris = await resources(measurement)
  const host = hostNamed('x86-64')
  for (const [processor, file] of Object.entries(builds)) {
    for (const [of, folder] of [
      [commit, other],
      ['this tree', 'dist']
    ] as const) {
      const name = (what: string) => `${of}: ${what}, ${processor}`
      const program = join(folder, file)
      yield { name: name('size'), value: statSync(program).size, unit: 'B' }
      if (processor === 'x86-64') {
        const server = await startAsShipped(measurement, { ...host, command: [program] })
        yield { name: name('memory idle'), value: resident(server.process.pid), unit: 'B' }
        await server.stop()
      }
    }
    for (const work of works(uris)) {
      const options = { processor: processor as keyof typeof builds }
      const theirs = await instructionsFor(measurement, { ...options, program: join(other, file) }, work)
      const ours = await instructionsFor(measurement, options, work)
      yield { name: `${commit}: ${work.name}, ${processor}`, value: theirs, unit: 'instructions' }
      yield { name: `this tree: ${work.name}, ${processor}`, value: ours, unit: 'instructions' }
      yield { name: `this tree / ${commit}: ${work.name}, ${processor}`, value: ours / theirs, unit: 'ratio' }
    }
  }
}

/** A working tree of a commit with its binaries; removed when the measurement ends. */
function buildOf(measurement: Measurement, commit: string): string {
  const tree = join(directory(measurement), 'tree')
  const git = (...args: string[]) => execFileSync('git', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  git('worktree', 'add', '--detach', tree, commit)
  measurement.teardown(() => git('worktree', 'remove', '--force', tree))
  const samePackages = execFileSync('git', ['diff', '--name-only', commit, '--', 'package-lock.json']).length === 0
  if (samePackages && existsSync('node_modules'))
    symlinkSync(join(process.cwd(), 'node_modules'), join(tree, 'node_modules'))
  for (const arch of ['x86_64', 'armv7']) {
    execFileSync(process.execPath, ['build.mjs', '--binary', '--arch', arch], { cwd: tree, stdio: 'inherit' })
  }
  return tree
}
