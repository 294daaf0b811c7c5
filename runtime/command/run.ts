import process from 'node:process'
import { withMachine } from '#data/board'
import { type Configuration, SettingsError } from '#data/configuration'
import { pageDocument } from '#data/page'
import { simulatedClock, systemClock } from '#hal/clock.ts'
import { log, setLogLevel } from '#runtime/base/log.ts'
import { bracketed, HttpsServers } from '#runtime/listen/servers.ts'
import type { Host } from '#runtime/open/options.ts'
import { openService } from '#runtime/open/service.ts'
import { startsPrograms } from '#runtime/service/machine/devices.ts'
import { Discovery } from '#runtime/service/network/discovery.ts'
import { checkCommand, readBoardFile } from './board-file.ts'
import { becomesHealthy } from './health.ts'
import { licenses } from './licenses.ts'
import { nvramCommand } from './nvram.ts'
import { schemaCommand } from './schema.ts'
import { help, readSettings, type Start } from './settings.ts'

/** How long requests in flight may take once the service stops, in milliseconds. */
export const grace = 4000

/** The exit status that asks who has started the service to reset the whole controller. */
const resetStatus = 3

/** Runs the service, or a command, from the command line to the exit status. */
export async function run(host: Host): Promise<void> {
  try {
    const args = process.argv.slice(2)
    if (args[0] === 'nvram') {
      process.exitCode = nvramCommand(args.slice(1))
      return
    }
    const fleet = args[0] === 'fleet' ? await host.fleet?.() : undefined
    if (fleet !== undefined) return await fleet(args.slice(1), host)
    const recordings = args[0] === 'record' ? await host.recordings?.() : undefined
    if (recordings !== undefined) {
      host.unlimitHeap?.()
      return await recordings.record(args.slice(1), host)
    }
    if (args[0] === 'check') return await checkCommand(args.slice(1), host)
    if (args[0] === 'schema') return schemaCommand(args.slice(1), host.documents)
    const wish = readSettings(args)
    if ('show' in wish) process.stdout.write(words[wish.show](host))
    else await serve(host, wish)
  } catch (error) {
    // QuickJS throws null if it has no memory for an error.
    const message = error === null ? 'out of memory' : (error as Error).message
    process.stderr.write(`minnow: ${message.split('\n')[0]}\n`)
    process.exitCode = error instanceof SettingsError ? 2 : 1
  }
}

const words = {
  help: () => help,
  version: ({ version }: Host) => `minnow ${version}\n`,
  licenses
} as const

/** Serves until a signal stops it; starts anew, as a controller does, when the service is to restart. */
async function serve(host: Host, { configuration, adminPassword, namesPort }: Start): Promise<void> {
  setLogLevel(configuration.log)
  log.keep(`${configuration.data}/service.log`, configuration.logSaveEvery)
  const machine = await readBoardFile(configuration.board, host)
  const board = withMachine(machine.board, configuration.machine)
  const programs = startsPrograms(board, machine.backends) || configuration.enrollment.dnsHook !== ''
  const unconfined = host.confine?.(programs)
  if (unconfined !== undefined) log.warning('the kernel does not filter system calls', { error: unconfined })
  const clock = configuration.simulatedClock ? simulatedClock() : systemClock
  const stopped = signalled()
  let announced = false
  let configured = configuration.port
  for (let running = true; running; ) {
    const service = await openService({ ...host, ...machine, configuration, board, adminPassword, clock })
    const { httpsPort } = service
    const servers = new HttpsServers(service, configuration, grace)
    let discovery: Discovery | undefined
    try {
      // Before anything that may fail: it is never shown again.
      if (service.generatedPassword !== undefined) {
        process.stderr.write(`minnow: the password of admin is ${service.generatedPassword}\n`)
      }
      configured = await httpsPort.open(servers, configured, namesPort && !announced)
      if (!announced) announce(configuration, httpsPort.port, host.documents.names.includes(pageDocument))
      announced = true
      log.info('listening', { address: configuration.address, port: httpsPort.port, board: board.name })
      const port = () => httpsPort.port
      const listens = configuration.address
      discovery = new Discovery({ store: service.store, board: service.hardware.board, listens, port })
      let isOver = false
      const end = await Promise.race([
        stopped.then(() => 'stopping' as const),
        service.restarted.then((isReset) =>
          isReset && service.needsReset() ? ('resetting' as const) : ('restarting' as const)
        ),
        service.prove(() => becomesHealthy(configuration.address, port, () => isOver)).then(unlessGood)
      ])
      isOver = true
      log.info(end)
      discovery.close()
      if (end !== 'stopping') await Promise.race([stopped, servers.drain()])
      if (end === 'resetting') {
        process.exitCode = resetStatus
        await service
          .reset()
          .catch((error: Error) => log.error('the controller was not reset', { cause: error.message }))
      }
      running = end === 'restarting'
    } finally {
      discovery?.close()
      await servers.close()
      await service.close()
    }
  }
}

/** Prints the addresses of the service and of its page. */
function announce({ address, page }: Configuration, port: number, hasPage: boolean): void {
  process.stdout.write(`minnow: listening on https://${bracketed(address)}:${port}/redfish/v1/\n`)
  const anywhere = address === '0.0.0.0' || address === '::'
  const host = anywhere ? 'localhost' : bracketed(address)
  if (page && hasPage) process.stdout.write(`minnow: open https://${host}:${port}/ in a browser\n`)
}

/** Settles where a version on trial is not good. */
const unlessGood = (isGood: boolean) => new Promise<'resetting'>((settle) => isGood || settle('resetting'))

/** Settles when a signal says stop. */
export function signalled(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
}
