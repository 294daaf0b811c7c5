import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Board } from '#data/board'
import { type Configuration, configuration as defaults } from '#data/configuration'
import { handlers } from '#generated'
import type { Console } from '#hal/console.ts'
import { simStore } from '#hal/edk2/devices.ts'
import { fileCerts } from '#hal/file/certs.ts'
import type { PostCodes } from '#hal/post-codes.ts'
import { simConsole } from '#hal/sim/console.ts'
import { type SimFirmware, simFirmware } from '#hal/sim/firmware.ts'
import { simIndicator } from '#hal/sim/indicators.ts'
import { type SimMedia, simMedia } from '#hal/sim/media.ts'
import { type SimPort, simPort } from '#hal/sim/ports.ts'
import { simPostCodes } from '#hal/sim/post-codes.ts'
import { type SimPower, simPower } from '#hal/sim/power.ts'
import { type SimPowerLimit, type SimPowerLimitOptions, simPowerLimit } from '#hal/sim/power-limit.ts'
import { type SimSensors, simSensors } from '#hal/sim/sensors.ts'
import { readBoard } from '#runtime/command/board-file.ts'
import type { ServiceOptions } from '#runtime/open/options.ts'
import { openService, type Service } from '#runtime/open/service.ts'
import type { HandlerEntry } from '#runtime/request/routes.ts'
import { keepAttributeRegistries } from '#runtime/service/machine/attribute-registry.ts'
import type {
  BackendArguments,
  ConsoleArguments,
  FirmwareArguments,
  SensorsArguments
} from '#runtime/service/machine/devices.ts'
import { openDocuments } from '#runtime/store/documents.ts'
import { ownEventLog } from './event-log.ts'

export const password = 'correct horse'

/** An answer with its headers by lower-case name and its body as text and as JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly bytes: Uint8Array
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into what a client would parse
  readonly json: any
}

/** A simulated machine in the hands of a test. */
export interface Simulation {
  readonly power: SimPower
  /** By chassis. */
  readonly sensors: Readonly<Record<string, SimSensors>>
  readonly powerLimits: Readonly<Record<string, SimPowerLimit>>
  /** By `<manager>-<drive>`: those of the board that a host sees. */
  readonly drives: Readonly<Record<string, SimMedia>>
  /** By `<manager>-<port>`. */
  readonly ports: Readonly<Record<string, SimPort>>
  /** By component. */
  readonly firmware: Readonly<Record<string, SimFirmware>>
  /** Lets so much time pass for the service. */
  sleep(seconds: number): void
  /** Milliseconds since 1970, as the clock of the service is set. */
  now(): number
  /** Sets the clock of the service forward, or back. */
  setClock(seconds: number): void
}

export interface Fixture extends Simulation {
  readonly service: Service
  readonly directory: string
  /** A request by the administrator, unless `headers` say who sends it. */
  ask(method: string, target: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** A request whose body and headers are as they are. */
  send(method: string, target: string, body: Uint8Array | undefined, headers: Record<string, string>): Promise<Answer>
  /** Closes the service, and opens it anew over what it left. @param isHealthy whether it then answers over loopback */
  restart(isHealthy?: boolean): Promise<void>
  close(): Promise<void>
}

const basic = (user: string, secret: string) => `Basic ${btoa(`${user}:${secret}`)}`

export const as = (user: string, secret: string) => ({ authorization: basic(user, secret) })

/** The message keys of an answer, without registry versions. */
export function keys({ json }: Answer): string[] {
  const messages: { MessageId: string }[] = json.error['@Message.ExtendedInfo']
  return messages.map(({ MessageId }) => MessageId.replace(/\.\d+\.\d+\./, '.'))
}

// Reading these at each start would take a quarter of its time. A fleet shares them too.
const documents = openDocuments(readFileSync('dist/documents.bin'))
keepAttributeRegistries(documents)
const board = readBoard('sim', documents)

/** The back ends of a device: the simulated one, opened so. */
const of = <Device, T extends BackendArguments = BackendArguments>(open: (args: T) => Device) => ({
  sim: { options: { type: 'object', properties: {} }, open } as const
})

/** The parts of a service over the simulated machine, whose transitions take no time. */
export function simulated(
  directory: string,
  change: (configuration: Configuration) => void = () => undefined,
  alter: (board: Board) => Board = (board) => board,
  served: readonly HandlerEntry[] = handlers
): { parts: ServiceOptions; simulation: Simulation } {
  const configuration = structuredClone(defaults)
  Object.assign(configuration, { data: directory })
  configuration.password.iterations = 10
  change(configuration)
  let [now, elapsed] = [Date.now(), Math.round(performance.now())]
  let power: SimPower | undefined
  const sensors: Record<string, SimSensors> = {}
  const powerLimits: Record<string, SimPowerLimit> = {}
  const drives: Record<string, SimMedia> = {}
  const ports: Record<string, SimPort> = {}
  const firmware: Record<string, SimFirmware> = {}
  const parts: ServiceOptions = {
    configuration,
    board: alter(board),
    backends: {
      power: of((options) => {
        power = simPower({ ...options, onTime: 0, offTime: 0, gracefulTime: 0, resetTime: 0 })
        return power
      }),
      firmware: of<SimFirmware, FirmwareArguments>((options) => {
        const made = simFirmware({ ...options, writeTime: 0 })
        firmware[options.name.replace('firmware-', '')] = made
        return made
      }),
      indicator: of(simIndicator),
      port: of((options) => {
        const made = simPort(options)
        ports[options.name.replace('port-', '')] = made
        return made
      }),
      console: of<Console, ConsoleArguments>(simConsole),
      drive: {},
      postCodes: of<PostCodes, ConsoleArguments>(simPostCodes),
      bios: {},
      bootOverride: {},
      inventory: {},
      eventLog: of(ownEventLog),
      users: {},
      certificates: {},
      network: {},
      watchdog: {},
      dumps: {},
      nvram: of(simStore),
      media: of((options) => {
        const made = simMedia(options)
        drives[options.name.replace('media-', '')] = made
        return made
      }),
      sensors: of<SimSensors, SensorsArguments>((options) => {
        const made = simSensors({ ...options, now: () => now })
        sensors[options.name.replace('sensors-', '')] = made
        return made
      }),
      powerLimit: of<SimPowerLimit, BackendArguments & SimPowerLimitOptions>((options) => {
        const made = simPowerLimit(options)
        powerLimits[options.name.replace('powerLimit-', '')] = made
        return made
      })
    },
    openCerts: fileCerts,
    documents,
    handlers: served,
    version: 'test',
    adminPassword: password,
    clock: { now: () => now, elapsed: () => elapsed }
  }
  const simulation = {
    get power() {
      return power!
    },
    sensors,
    powerLimits,
    drives,
    ports,
    firmware,
    sleep(seconds: number) {
      now += seconds * 1000
      elapsed += seconds * 1000
    },
    now: () => now,
    setClock(seconds: number) {
      now += seconds * 1000
    }
  }
  return { parts, simulation }
}

/** The service over a temporary data directory and the simulated machine. */
export async function openFixture(
  change?: (configuration: Configuration) => void,
  directory = mkdtempSync(join(tmpdir(), 'minnow-')),
  alter?: (board: Board) => Board,
  served?: readonly HandlerEntry[]
): Promise<Fixture> {
  const { parts, simulation } = simulated(directory, change, alter, served)
  let service = await openService(parts)
  const send: Fixture['send'] = async (method, target, body, headers) =>
    read(await service.handling.handle({ method, target, headers, address: '127.0.0.1', ...(body && { body }) }))
  return {
    get service() {
      return service
    },
    get power() {
      return simulation.power
    },
    sensors: simulation.sensors,
    powerLimits: simulation.powerLimits,
    drives: simulation.drives,
    ports: simulation.ports,
    firmware: simulation.firmware,
    sleep: simulation.sleep,
    now: simulation.now,
    setClock: simulation.setClock,
    directory,
    async ask(method, target, body, headers = as('admin', password)) {
      const bytes = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
      const content = bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': '1' }
      const encoded = bytes === undefined ? undefined : new TextEncoder().encode(bytes)
      return send(method, target, encoded, { ...content, ...headers })
    },
    send,
    async restart(isHealthy = true) {
      await service.close()
      service = await openService(parts)
      if (isHealthy) await service.prove(async () => true)
    },
    async close() {
      await service.close()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

function read({
  status,
  headers,
  body
}: {
  status: number
  headers: readonly string[]
  body: Uint8Array | undefined
}): Answer {
  const byName: Record<string, string> = {}
  for (let index = 0; index < headers.length; index += 2) byName[headers[index]!.toLowerCase()] = headers[index + 1]!
  const text = body === undefined ? '' : new TextDecoder().decode(body)
  const isJson = byName['content-type']?.startsWith('application/json') && byName['content-encoding'] === undefined
  return {
    status,
    headers: byName,
    text,
    bytes: body ?? new Uint8Array(),
    json: isJson && text !== '' ? JSON.parse(text) : undefined
  }
}
