import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { isInstalled } from '#test/host/hosts.ts'

const firmware = '/usr/share/OVMF'

/** OVMF's builds with secure boot, which run in SMM and keep their variables in a flash that is protected by it. */
const builds = { '4M': `${firmware}/OVMF_CODE_4M.secboot.fd`, '2M': `${firmware}/OVMF_CODE.secboot.fd` } as const

export type Build = keyof typeof builds

/** The packages to install before {@link boot} works, if any. */
export const missingMachine =
  isInstalled('qemu-system-x86_64') && existsSync(builds['4M'])
    ? undefined
    : 'OVMF: not here; install qemu-system-x86 and ovmf'

export interface Machine {
  /** File with the variable store; firmware writes to it. */
  readonly store: string
  /** Which of OVMF's builds, by the layout of the store. Default 4M. */
  readonly build?: Build
  /** Folder that becomes the machine's disk: it boots `EFI/BOOT/BOOTX64.EFI`. */
  readonly disk: string
  /** Folder for files of its own. */
  readonly directory: string
  /** Switches the machine off as soon as this stands on the firmware's console. */
  readonly until?: RegExp
  /** Milliseconds after which it is switched off. Default two minutes. */
  readonly timeout?: number
}

export interface Boot {
  /** The output of the firmware on its console, the serial port. */
  readonly console: string
  /** The lines that report.c has written. */
  readonly report: readonly string[]
  /** The variables that the report names: attributes and data by `<GUID>/<name>`. */
  readonly variables: ReadonlyMap<string, { attributes: number; data: Uint8Array }>
  readonly milliseconds: number
}

/**
 * Boots OVMF under QEMU until it switches itself off: q35 without an accelerator, so that it needs nothing of the
 * machine that it runs on. While it runs, the store belongs to it.
 *
 * @throws when QEMU does not end by itself or with `until` in time
 */
export async function boot(machine: Machine): Promise<Boot> {
  const { store, build = '4M', disk, directory, until, timeout } = machine
  const report = `${directory}/report.txt`
  const start = Date.now()
  const console = await runMachine(
    'qemu-system-x86_64',
    [
      ...['-nodefaults', '-machine', 'q35,smm=on', '-accel', 'tcg', '-m', '256', '-display', 'none', '-no-reboot'],
      ...['-global', 'driver=cfi.pflash01,property=secure,value=on', '-global', 'ICH9-LPC.disable_s3=1'],
      ...['-drive', `if=pflash,unit=0,format=raw,readonly=on,file=${builds[build]}`],
      ...['-drive', `if=pflash,unit=1,format=raw,file=${store}`],
      ...['-drive', `if=none,id=disk,format=vvfat,read-only=on,dir=${disk}`, '-device', 'virtio-blk-pci,drive=disk'],
      ...['-serial', 'stdio', '-debugcon', `file:${report}`, '-global', 'isa-debugcon.iobase=0xe9']
    ],
    { until, timeout }
  )
  const milliseconds = Date.now() - start
  const lines = readFileSync(report, 'utf8').split('\n').slice(0, -1)
  return { console, report: lines, variables: new Map(lines.flatMap(variable)), milliseconds }
}

/**
 * Runs QEMU, whose serial port is its standard output, until it ends or says what is waited for.
 *
 * @returns what it said
 * @throws when it does neither in time
 */
export async function runMachine(
  command: string,
  args: readonly string[],
  { until, timeout = 120_000 }: { readonly until: RegExp | undefined; readonly timeout: number | undefined }
): Promise<string> {
  const qemu = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout })
  let output = ''
  let complaints = ''
  let stopped = false
  qemu.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  qemu.stdout.setEncoding('latin1').on('data', (text: string) => {
    output += text
    if (stopped || !until?.test(output)) return
    stopped = true
    qemu.kill()
  })
  const [status, signal] = await once(qemu, 'close')
  if (status !== 0 && !stopped) throw new Error(`QEMU ended with ${status ?? signal}: ${complaints}\n${output}`)
  return output
}

/** A line `variable <GUID> <name> <attributes> <data>`, all digits hexadecimal. */
function variable(line: string): [string, { attributes: number; data: Uint8Array }][] {
  const [, guid, name, attributes, data] = /^variable (\S+) (.+) ([0-9a-f]{8}) ([0-9a-f]*)$/.exec(line) ?? []
  if (guid === undefined) return []
  return [[`${guid}/${name}`, { attributes: Number.parseInt(attributes!, 16), data: Buffer.from(data!, 'hex') }]]
}

/** Words in QEMU's log of a serial port: it writes a character once more where the reader of the port's socket was late. */
export const inLog = (words: RegExp) =>
  new RegExp(
    words.source.replace(/(\(\?:)|[\w :"-]/g, (each, group) => group ?? `${each}+`),
    words.flags
  )
