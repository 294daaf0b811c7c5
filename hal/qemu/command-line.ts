import { HalError } from '../errors.ts'
import { socketOf } from '../media.ts'

/** The virtual machine, as a board file describes it. Plain JSON; paths are absolute, or relative to the data directory. */
export interface QemuOptions {
  /** The program. Default `qemu-system-x86_64`, looked for in PATH. */
  readonly qemu?: unknown
  /** OVMF's code, which runs in SMM and keeps variables in a flash that only SMM can write. Default Debian's. */
  readonly firmware?: unknown
  /** The flash with the variables: see the option `path` of the back end `edk2`. */
  readonly store?: unknown
  /** MiB. Default 512. */
  readonly memory?: unknown
  readonly cpus?: unknown
  /** A disk image; by default no disk. */
  readonly disk?: unknown
  /** MiB of a raw disk image, which is created if it is missing. By default it must exist. */
  readonly diskSize?: unknown
  /** Default `raw`. */
  readonly diskFormat?: unknown
  /** For `-nic`, without an address. Default `none`. */
  readonly network?: unknown
  /** The address of its network adapter. Default QEMU's. */
  readonly mac?: unknown
  readonly uuid?: unknown
  readonly serialNumber?: unknown
  /** Bytes that the log of its serial port may have before another one is begun; one older one is kept. Default 1 MiB. */
  readonly serialLog?: unknown
  /** More arguments as they are. */
  readonly arguments?: unknown
}

/** A drive for removable media, by its id, and the image that is in it: see `Media`. */
export type Media = ReadonlyMap<string, string | undefined>

/** Paths of a machine's own files. */
export interface QemuFiles {
  readonly socket: string
  readonly pid: string
  /** The socket of the machine's serial port. */
  readonly console: string
  /** The socket of its port of POST codes. */
  readonly post: string
  /** The log of its output. */
  readonly serial: string
}

export interface QemuCommand {
  readonly program: string
  readonly args: readonly string[]
  /** Files that must be there before it can start. */
  readonly needs: readonly string[]
}

/** @throws {HalError} `EINVAL` */
export function serialLimit(options: QemuOptions): number {
  return count(options, 'serialLog', 1_048_576)
}

/** The end of a message about a missing program or file: the package of Debian that has it, or what it is a copy of. */
export function installHint(missing: string, { firmware }: QemuOptions): string {
  if (missing === 'qemu-system-x86_64') return ': install qemu-system-x86'
  const isCopy = typeof firmware === 'string' && !firmware.startsWith('/') && missing.endsWith(`/${firmware}`)
  return isCopy || missing.startsWith('/usr/share/OVMF/') ? ': install ovmf' : ''
}

/** Bytes of the disk image to create if it is missing; undefined if it must exist. @throws {HalError} `EINVAL` */
export function diskSize(options: QemuOptions): number | undefined {
  if (options.diskSize === undefined) return undefined
  if ((options.diskFormat ?? 'raw') !== 'raw') throw new HalError('EINVAL', 'qemu: only raw disk images are created')
  return count(options, 'diskSize', 0) * 1_048_576
}

/**
 * A q35 machine without an accelerator: secure boot needs SMM, which KVM of many hosts does not give. QEMU goes into the
 * background once its monitor listens, and outlives this process, as a server outlives its controller.
 *
 * @param resolve makes a path absolute
 * @throws {HalError} `EINVAL` for an option of the wrong type
 */
export function qemuCommand(
  options: QemuOptions,
  files: QemuFiles,
  media: Media,
  resolve: (path: string) => string
): QemuCommand {
  const firmware = resolve(text(options, 'firmware', '/usr/share/OVMF/OVMF_CODE_4M.secboot.fd'))
  const store = resolve(text(options, 'store', 'nvram.fd'))
  const disk = options.disk === undefined ? undefined : resolve(text(options, 'disk', ''))
  const more = options.arguments ?? []
  if (!Array.isArray(more)) throw new HalError('EINVAL', 'qemu: arguments must be a list of strings')
  const args = [
    ...['-nodefaults', '-machine', 'q35,smm=on', '-accel', 'tcg', '-display', 'none', '-daemonize'],
    // A reset ends the process, so that changes that wait for it can be written to the flash.
    // The controller decides about a crash, or a watchdog that has run out; the chipset has one.
    ...['-action', 'reboot=shutdown,panic=none,watchdog=none', '-global', 'ICH9-LPC.noreboot=off'],
    ...['-m', String(count(options, 'memory', 512)), '-smp', String(count(options, 'cpus', 1))],
    ...['-pidfile', files.pid, '-qmp', `unix:${comma(files.socket)},server=on,wait=off`],
    ...['-global', 'driver=cfi.pflash01,property=secure,value=on', '-global', 'ICH9-LPC.disable_s3=1'],
    ...['-drive', `if=pflash,unit=0,format=raw,readonly=on,file=${comma(firmware)}`],
    ...['-drive', `if=pflash,unit=1,format=raw,file=${comma(store)}`],
    ...['-chardev', serial(files), '-serial', 'chardev:serial'],
    ...['-chardev', `socket,id=post,path=${comma(files.post)},server=on,wait=off`],
    ...['-device', `isa-debugcon,iobase=${postPort},chardev=post`],
    ...['-nic', network(options), '-device', 'pvpanic', ...identity(options)],
    ...(disk === undefined ? [] : hardDisk(disk, text(options, 'diskFormat', 'raw'))),
    ...[...media].flatMap(([id, file], port) => drive(id, port, file)),
    ...more.map(String)
  ]
  return {
    program: text(options, 'qemu', 'qemu-system-x86_64'),
    args,
    needs: [
      firmware,
      store,
      ...(disk && options.diskSize === undefined ? [disk] : []),
      ...[...media.values()].flatMap((file) => (file && (socketOf(file) ?? file)) ?? [])
    ]
  }
}

/** Of the chipset: what the guest writes to it is shown by a card in a real machine. */
const postPort = '0x80'

/** QEMU writes the log itself, also without a connection. */
function serial(files: QemuFiles): string {
  const log = `logfile=${comma(files.serial)},logappend=on`
  return `socket,id=serial,path=${comma(files.console)},server=on,wait=off,${log}`
}

function network(options: QemuOptions): string {
  const [wanted, mac] = [text(options, 'network', 'none'), text(options, 'mac', '')]
  return wanted === 'none' || mac === '' ? wanted : `${wanted},mac=${mac}`
}

/** The SMBIOS fields that the guest sees. */
function identity(options: QemuOptions): string[] {
  const [uuid, serial] = [text(options, 'uuid', ''), text(options, 'serialNumber', '')]
  return [
    ...(uuid === '' ? [] : ['-uuid', uuid]),
    ...(serial === '' ? [] : ['-smbios', `type=1,serial=${comma(serial)}`])
  ]
}

function hardDisk(file: string, format: string): string[] {
  const drive = `if=none,id=disk,format=${comma(format)},file=${comma(file)}`
  return ['-drive', drive, '-device', 'virtio-blk-pci,drive=disk,addr=0x4']
}

/** The devices sit where a board's boot options say. Without a `bootindex`, which the firmware would put before its own order. */
function drive(id: string, port: number, file: string | undefined): string[] {
  const medium = file === undefined ? '' : `,format=raw,${source(file)}`
  const device = `ide-cd,bus=ide.${port},id=${id},drive=${id}-medium`
  return ['-drive', `if=none,id=${id}-medium,media=cdrom,readonly=on${medium}`, '-device', device]
}

/** Seconds that reads wait while the server of an image is away, as during the restart of the service that it belongs to. */
const reconnectDelay = 60

function source(image: string): string {
  const socket = socketOf(image)
  if (socket === undefined) return `file=${comma(image)}`
  const server = `file.driver=nbd,file.server.type=unix,file.server.path=${comma(socket)}`
  return `${server},file.reconnect-delay=${reconnectDelay}`
}

/** The same for the command that changes the medium of a machine that runs. */
export function mediumOf(image: string): { readonly filename: string; readonly format?: string } {
  const path = socketOf(image)
  if (path === undefined) return { filename: image, format: 'raw' }
  const file = { driver: 'nbd', server: { type: 'unix', path }, 'reconnect-delay': reconnectDelay }
  return { filename: `json:${JSON.stringify({ driver: 'raw', file })}` }
}

/** QEMU reads a doubled comma as one within a value. */
function comma(value: string): string {
  return value.replaceAll(',', ',,')
}

function text(options: QemuOptions, name: keyof QemuOptions, fallback: string): string {
  const value = options[name] ?? fallback
  if (typeof value !== 'string') throw new HalError('EINVAL', `qemu: ${name} must be a string`)
  return value
}

function count(options: QemuOptions, name: keyof QemuOptions, fallback: number): number {
  const value = options[name] ?? fallback
  if (!Number.isInteger(value) || (value as number) < 1)
    throw new HalError('EINVAL', `qemu: ${name} must be a whole number above 0`)
  return value as number
}
