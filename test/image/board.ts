import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { isInstalled } from '#test/host/hosts.ts'
import { Process } from '#test/host/process.ts'
import { directory, type Scope, Server } from '#test/host/server.ts'
import { Monitor } from './monitor.ts'

const { available } = await import(pathToFileURL('runtime/build/sysroot.mjs').href)
const { readBoard } = await import(pathToFileURL('deploy/image/boards.mjs').href)
const { buildImage, missingTools } = await import(pathToFileURL('deploy/image/image.mjs').href)
const { emulator } = await import(pathToFileURL('deploy/image/emulator.mjs').href)

/** The description of the board that the tests boot. */
export const description = readBoard('ast2600-evb')

/** The missing tools to build and boot an image, if any. */
export const missingImage = missingFor(description)

/** The same for another board. */
export function missingFor({ arch, emulator }: typeof description): string | undefined {
  const lacking: string[] = [...available(arch), ...missingTools()]
  if (!isInstalled(emulator.command)) lacking.push('qemu-system-arm')
  if (!existsSync(`dist/minnow-${arch}`)) lacking.push(`npm run binary -- --arch ${arch}`)
  return lacking.length === 0 ? undefined : `firmware image: not here: ${lacking.join(', ')}`
}

const gpio = '/machine/soc/gpio'
const unattached = '/machine/unattached'
/** By their names in the device tree, what QEMU calls them. */
const lines = {
  POWER_OUT: 'gpioP0',
  RESET_OUT: 'gpioP1',
  NMI_OUT: 'gpioP2',
  FACTORY_RESET: 'gpioP3',
  PS_PWROK: 'gpioN2',
  identify: 'gpioP4'
}

export type Line = keyof typeof lines

export interface Image {
  readonly board: typeof description
  /** With a file for each flash chip, which keeps what a board does to it. */
  readonly folder: string
  /** The file that updates another board to this image. */
  readonly update: string
  /** Bytes used in the flash, and without the kernel. */
  readonly whole: number
  readonly besidesKernel: number
}

interface Options {
  readonly password: string
  readonly board?: typeof description
  readonly host?: 'binary' | 'node'
  readonly version?: string
  readonly config?: object
  readonly init?: Readonly<Record<string, string>>
  readonly initSources?: readonly string[]
}

/** An image in a folder that is gone when the test ends; for the options see buildImage. */
export function build(t: Scope, options: Options): Image {
  const folder = directory(t)
  const board = options.board ?? description
  return { folder, board, ...buildImage({ ...options, board, out: folder }) }
}

/** An emulated board that was switched on. */
export class Board {
  /** QEMU; what it says, and what is typed, is the board's console. */
  readonly process: Process
  /** The service on it. */
  readonly service: Server
  /** Ports of this machine by the board's that they lead to. */
  readonly ports: ReadonlyMap<number, number>

  readonly #monitor: Monitor
  readonly #folder: string

  private constructor(process: Process, folder: string, ports: ReadonlyMap<number, number>, monitor: Monitor) {
    this.process = process
    this.#folder = folder
    this.ports = ports
    this.#monitor = monitor
    this.service = new Server(folder, ports.get(description.service.port) ?? 0, process)
  }

  /** From reset, with the chips of an image. It is gone when the test ends. */
  static async start(t: Scope, { board, folder }: Image, ...more: number[]): Promise<Board> {
    const socket = `${directory(t)}/monitor`
    const ports = Object.fromEntries([description.service.port, ...more].map((port) => [port, 0]))
    const [program, ...args] = emulator(board, folder, ports) as [string, ...string[]]
    const host = { name: description.name, command: [program, ...args] as const, slowness: 1 }
    const process = new Process(host, ['-qmp', `unix:${socket},server=on,wait=off`], {}, 'pipe')
    t.teardown(() => process.kill('SIGKILL'))
    await process.ready()
    const monitor = await Monitor.open(socket)
    const forwarded = await monitor.ask<string>('human-monitor-command', { 'command-line': 'info usernet' })
    const forwards = [...forwarded.matchAll(/HOST_FORWARD\]\s+\d+\s+127\.0\.0\.1\s+(\d+)\s+\S+\s+(\d+)/g)]
    const found = new Map(forwards.map(([, outside, inside]) => [Number(inside), Number(outside)]))
    return new Board(process, folder, found, monitor)
  }

  /** Settles when the service accepts connections, which the board says on its console after line `from`. */
  async up(from = 0): Promise<void> {
    await this.process.saying(/minnow: listening on https/, from)
  }

  /** The service's resident memory in bytes, as the board's init process has seen it. */
  async memory(): Promise<number> {
    const line = await this.process.saying(/the service answers, with \d+ KiB/)
    return 1024 * Number(/(\d+) KiB/.exec(line)?.[1])
  }

  /** The service at another address of the board, in QEMU's user network of its first port or of another one. */
  async at(address: string, network = ''): Promise<Server> {
    const { port } = description.service
    const monitor = (command: string) => this.#monitor.ask<string>('human-monitor-command', { 'command-line': command })
    await monitor(`hostfwd_add ${network} tcp:127.0.0.1:0-${address}:${port}`)
    const line = new RegExp(`HOST_FORWARD\\]\\s+\\d+\\s+127\\.0\\.0\\.1\\s+(\\d+)\\s+${address}\\s+${port}`)
    const [, outside] = line.exec(await monitor('info usernet')) ?? []
    return new Server(this.service.data, Number(outside), this.process)
  }

  /** Has each frame of the first port from now on written to a file, see framesFrom. */
  async capture(file: string): Promise<void> {
    await this.#monitor.ask('object-add', { 'qom-type': 'filter-dump', id: 'capture', netdev: 'port1', file })
  }

  /** The host's end of the serial line between them. */
  async serial(): Promise<Socket> {
    const line = connect(`${this.#folder}/host.serial`)
    await once(line, 'connect')
    return line
  }

  /** Drives a GPIO line from outside, as the host's power supply does. */
  drive(line: Line, high: boolean): Promise<unknown> {
    return this.#monitor.ask('qom-set', { path: gpio, property: lines[line], value: high })
  }

  /** Settles when a GPIO line has been seen at a level. */
  async level(line: Line, high: boolean): Promise<void> {
    while ((await this.#monitor.ask('qom-get', { path: gpio, property: lines[line] })) !== high);
  }

  /** Sets what the chip at the board's I2C bus measures, in degrees Celsius. */
  async heat(celsius: number): Promise<void> {
    const devices = await this.#monitor.ask<{ name: string; type: string }[]>('qom-list', { path: unattached })
    const chip = devices.find(({ type }) => type === 'child<tmp105>')
    await this.#monitor.ask('qom-set', {
      path: `${unattached}/${chip?.name}`,
      property: 'temperature',
      value: celsius * 1000
    })
  }

  /** Cuts the power: nothing on the board gets to run any more. */
  async cut(): Promise<void> {
    await this.service.kill()
  }
}

/** The controller's own port, behind QEMU's user network, as the kernel has it. IPv6 comes after the service. */
export async function seesItsOwnPort(t: Test, { service }: Board): Promise<void> {
  const { json } = await service.until(
    () => service.get('/redfish/v1/Managers/1/EthernetInterfaces/1/'),
    ({ json }) => json.IPv6Addresses.length === 2
  )
  t.match(json, {
    IPv4Addresses: [{ Address: '10.0.2.15', SubnetMask: '255.255.255.0', Gateway: '10.0.2.2' }],
    DHCPv4: { DHCPEnabled: true },
    DHCPv6: { OperatingMode: 'Stateless', UseDNSServers: true, UseDomainName: true, UseNTPServers: true },
    LinkStatus: 'LinkUp',
    MACAddress: /^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/
  })
  const origins = json.IPv6Addresses.map(({ AddressOrigin }: { AddressOrigin: string }) => AddressOrigin)
  t.strictSame(origins.sort(), ['LinkLocal', 'SLAAC'])
}
