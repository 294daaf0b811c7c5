import process from 'node:process'
import { SettingsError } from '#data/configuration'
import type { Host } from '#runtime/open/options.ts'
import { resourcesIn } from './command.ts'
import { compared, type Verdict } from './comparison.ts'
import { parseSourceFlags, printable, readSource } from './source/source.ts'
import { whileServed } from './trial.ts'

/**
 * `minnow check RECORDING --against SOURCE`: prints a line for each resource of the source, and at last how many there
 * are of each kind. The exit status is 1 if something is different or missing for no reason that the manual lists.
 *
 * @throws SettingsError; Error in one line where the source cannot be read
 */
export async function check(file: string, options: readonly string[], host: Host): Promise<void> {
  const given = parseSourceFlags(options, ['against'])
  const from = given.get('against') ?? ''
  const recording = resourcesIn(file)
  const [source, ...others] = (
    await readSource(from, given, (line) => process.stderr.write(`minnow: not read: ${line}\n`))
  ).values()
  if (source === undefined || others.length > 0)
    throw new SettingsError(`${from} has several mockups: name one of them`)
  const counts: Record<Verdict, number> = { equal: 0, live: 0, different: 0, missing: 0 }
  let unexplained = 0
  await whileServed(file, host, async (get) => {
    for await (const { path, verdict, reasons, isListed } of compared(source, recording, get)) {
      counts[verdict] += 1
      if (!isListed) unexplained += 1
      const said = Array.from(reasons, ([reason, members]) => [reason, members.join(', ')].filter(Boolean).join(': '))
      process.stdout.write(`${printable([`${verdict} ${path}`, ...said].join('; '))}\n`)
    }
  })
  const all = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`)
  process.stdout.write(`minnow: ${all.join(', ')}; ${unexplained} without a known reason\n`)
  if (unexplained > 0) process.exitCode = 1
}
