import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Host, isInstalled } from '#test/host/hosts.ts'
import { directory, type Options, type Server, start } from '#test/host/server.ts'
import type { Measurement } from './measurement.ts'

/**
 * User-space instructions of a binary for one of the things that `work` does a number of times, counted by callgrind:
 * the difference of two runs divided by the times between them, so that the start, the first login and the end do not
 * count.
 */
export async function instructionsFor(
  measurement: Measurement,
  { host, ...options }: Options & { readonly host: Host },
  [few, many]: readonly [number, number],
  work: (server: Server, times: number) => Promise<void>
): Promise<number> {
  if (!isInstalled('valgrind')) throw new Error('valgrind: not here; install valgrind')
  const counted = [await count(few), await count(many)] as const
  return (counted[1] - counted[0]) / (many - few)

  async function count(times: number): Promise<number> {
    const file = join(directory(measurement), 'callgrind.out')
    const valgrind = ['--tool=callgrind', `--callgrind-out-file=${file}`, '--log-file=/dev/null'] as const
    const server = await start(measurement, { ...host, command: ['valgrind', ...valgrind, ...host.command] }, options)
    await work(server, times)
    await server.stop()
    const total = Number(/^(?:totals|summary): (\d+)/m.exec(readFileSync(file, 'utf8'))?.[1])
    if (!total) throw new Error('callgrind counted nothing')
    return total
  }
}
