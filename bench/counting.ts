import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Host, isInstalled } from '#test/host/hosts.ts'
import { directory, type Options, type Server, start } from '#test/host/server.ts'
import { hostNamed, type Measurement } from './measurement.ts'

/** The binaries whose instructions are counted, by their processors. */
export type Processor = 'x86-64' | 'ARMv7'

const binaries: Readonly<Record<Processor, string>> = { 'x86-64': 'dist/minnow-x86_64', ARMv7: 'dist/minnow-armv7' }

/** A thing that a service does, and that is counted. */
export interface Work {
  readonly name: string
  /** How often it is done in the two runs whose difference counts. */
  readonly times: readonly [number, number]
  /** Requests in each of these times; 1 without it. */
  readonly requests?: number
  /**
   * Whether the sensors are read meanwhile, as often as usual: a request that is counted takes fifty times its time.
   */
  readonly polls?: boolean
  /** Whether passwords are hashed as in the service that is shipped, and not as in tests. */
  readonly slowHash?: boolean
  perform(server: Server, times: number): Promise<void>
}

/** A host that counts, and where the count is once it has ended. */
interface Counting {
  readonly host: Host
  read(): number
}

/**
 * User-space instructions of a binary for one request of a workload: the difference of two runs divided by the
 * additional requests, so that the start, the first login and the end do not count.
 *
 * @param options `program`: the file of another build
 */
export async function instructionsFor(
  measurement: Measurement,
  {
    processor = 'x86-64',
    program = binaries[processor],
    ...options
  }: Options & { processor?: Processor; program?: string },
  { times: [few, many], requests = 1, polls = false, slowHash = false, perform }: Omit<Work, 'name'>
): Promise<number> {
  const configuration = {
    ...(!polls && { sensors: { interval: 3600 } }),
    ...(slowHash && { password: {} }),
    ...options.configuration
  }
  const counted = [await count(few), await count(many)] as const
  return (counted[1] - counted[0]) / (many - few) / requests

  async function count(times: number): Promise<number> {
    const { host, read } = processors[processor](program, directory(measurement))
    const server = await start(measurement, host, { ...options, configuration })
    await perform(server, times)
    await server.stop()
    return read()
  }
}

/** User-space instructions of a binary for a start with a first answer, and an orderly end. @param data directory */
export async function instructionsOfStart(measurement: Measurement, processor: Processor, data: string) {
  const { host, read } = processors[processor](binaries[processor], directory(measurement))
  const server = await start(measurement, host, { data, configuration: { password: {} } })
  await server.get('/redfish/v1/', {})
  await server.stop()
  return read()
}

const processors: Readonly<Record<Processor, (program: string, folder: string) => Counting>> = {
  'x86-64': (program, folder) => {
    needs('valgrind')
    const out = join(folder, 'callgrind.out')
    const valgrind = ['--tool=callgrind', `--callgrind-out-file=${out}`, '--log-file=/dev/null'] as const
    const host = hostNamed('x86-64')
    return {
      host: { ...host, command: ['valgrind', ...valgrind, program] },
      read: () => positive(/^(?:totals|summary): (\d+)/m.exec(readFileSync(out, 'utf8'))?.[1])
    }
  },
  // A static qemu-user loads no plugins: this is the other one.
  ARMv7: (program, folder) => {
    needs('qemu-arm')
    const plugin = join(folder, 'counter.so')
    const out = join(folder, 'instructions')
    execFileSync(process.env.CC ?? 'gcc', ['-O2', '-shared', '-fPIC', '-o', plugin, 'bench/instruction-counter.c'])
    const host = hostNamed('ARMv7')
    return {
      host: { ...host, command: ['qemu-arm', '-plugin', `${plugin},out=${out}`, program] },
      read: () => positive(readFileSync(out, 'utf8'))
    }
  }
}

function needs(program: string): void {
  const packages: Readonly<Record<string, string>> = { 'qemu-arm': 'qemu-user' }
  if (!isInstalled(program)) throw new Error(`${program}: not here; install ${packages[program] ?? program}`)
}

function positive(count: string | undefined): number {
  const number = Number(count)
  if (!(number > 0)) throw new Error('nothing was counted')
  return number
}
