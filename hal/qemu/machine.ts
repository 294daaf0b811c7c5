import { existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { utf8 } from '#runtime/base/bytes.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { SerialQueue } from '#runtime/base/serial-queue.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { HalError } from '../errors.ts'
import { Memory } from '../memory.ts'
import { installHint, type Media, type QemuFiles, type QemuOptions, qemuCommand, serialLimit } from './command-line.ts'
import { Disk } from './disk.ts'
import { isProgram, kill, lookEvery, processOf, runProcess } from './process.ts'
import { Qmp } from './qmp.ts'
import { SerialLog } from './serial-log.ts'

export interface MachineOptions extends QemuOptions {
  /** Unique among the machines of the directory. */
  readonly name: string
  readonly directory: string
  /** Milliseconds that QEMU may take for an answer, and to start. Default 30 s. */
  readonly timeout?: unknown
  readonly warn: (text: string) => void
}

/** Why a process has ended: the guest wants a reset, or whatever else there is. */
export type End = 'reset' | 'off'

/** The longest path of a socket (unix(7)), in bytes. */
const longestSocket = 107

/** One virtual machine: no process is off. It outlives this process, and the next one finds it again. */
export class QemuMachine {
  readonly #options: MachineOptions
  readonly #files: QemuFiles
  readonly #timeout: number
  readonly #memory: Memory<{ media: Readonly<Record<string, string>> }>
  readonly #media = new Map<string, string | undefined>()
  readonly #started = new Listeners<undefined>()
  readonly #ended = new Listeners<End>()
  readonly #failed = new Listeners<string>()
  readonly #hung = new Listeners<undefined>()
  readonly #panicked = new Listeners<undefined>()
  readonly #log: SerialLog
  readonly #disk: Disk
  /** True once the process said that it would end. */
  #leaving = false
  /** True once the guest asked for a reset. */
  #resetting = false
  #monitor: Promise<Qmp> | undefined
  /** Starts and stops. */
  readonly #changes = new SerialQueue()
  #closed = false

  constructor(options: MachineOptions) {
    const { name, timeout } = options
    // QEMU in the background has another working directory.
    const directory = resolve(options.directory)
    this.#options = { ...options, directory }
    this.#timeout = typeof timeout === 'number' ? timeout : 30_000
    const file = (ending: string) => `${directory}/${name}.${ending}`
    this.#files = {
      socket: file('qmp'),
      pid: file('pid'),
      console: file('console'),
      post: file('post'),
      serial: file('serial.log')
    }
    this.#memory = new Memory(`${name}.media`, { directory, warn: options.warn })
    this.#log = new SerialLog(this.#files.serial, serialLimit(options), options.warn)
    this.#disk = new Disk(this.#options, this.#files, this.#timeout)
    const { pid } = this
    if (pid !== undefined) {
      // A process that ends before it answers has ended all the same.
      void this.#connect().catch((error: Error) => {
        options.warn(error.message)
        return this.#lost(pid)
      })
    }
  }

  /** The image in each drive for removable media, whether the machine runs or not. */
  get media(): Media {
    return this.#media
  }

  /** A drive that the machine has from its next start on, with what was in it when it was last used. */
  addDrive(id: string): void {
    this.#media.set(id, this.#memory.load(isKept)?.media[id])
  }

  setMedium(id: string, image: string | undefined): void {
    this.#media.set(id, image)
    this.#memory.save({
      media: Object.fromEntries([...this.#media].filter(([, file]) => file !== undefined)) as Record<string, string>
    })
  }

  /** The process that the file of its number names, if it still is this machine. */
  get pid(): number | undefined {
    return processOf(this.#files)
  }

  /** True while there is a process. The kernel tells: also when an earlier process of this service started it. */
  get running(): boolean {
    return this.pid !== undefined
  }

  /**
   * The reason why it cannot be started: `ENODEV` that names the missing part, `EIO` when the kernel rejects the
   * socket.
   */
  missing(): HalError | undefined {
    const { program, needs } = this.#command()
    const { console: longer } = this.#files
    if (utf8(longer).length > longestSocket) {
      return new HalError('EIO', `qemu: no socket can have a path of more than ${longestSocket} bytes: ${longer}`)
    }
    if (!isProgram(program))
      return new HalError('ENODEV', `qemu: there is no program ${program}${installHint(program, this.#options)}`)
    const file = needs.find((each) => !existsSync(each))
    return file === undefined
      ? undefined
      : new HalError('ENODEV', `qemu: there is no file ${file}${installHint(file, this.#options)}`)
  }

  /** @throws {HalError} what is `missing` */
  check(): void {
    const missing = this.missing()
    if (missing !== undefined) throw missing
  }

  /**
   * Starts the process, after what is under way. @throws {HalError} `EIO` with what QEMU says when it does not start
   */
  start(): Promise<void> {
    return this.#changes.run(() => this.#start())
  }

  async #start(): Promise<void> {
    if (this.running) return
    const { program, args } = this.#command()
    await this.#disk.create(program)
    rmSync(this.#files.socket, { force: true })
    this.#log.bound()
    await runProcess(program, args, this.#timeout)
    await this.#connect()
  }

  /**
   * Overwrites its disk, after what is under way: starts wait for the end.
   *
   * @throws {HalError} `EBUSY` while it runs, `ENODEV` without a disk, `EIO`
   */
  eraseDisk(): Promise<void> {
    return this.#changes.run(async () => {
      if (this.running) throw new HalError('EBUSY', 'qemu: the machine uses its disk')
      await this.#disk.erase(this.#command().program)
    })
  }

  /** @throws {HalError} of `Qmp.execute`, and `ENODEV` where there is no process */
  async execute(command: string, parameters?: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (!this.running) throw new HalError('ENODEV', 'qemu: the machine is off')
    const monitor = await this.#connect()
    return monitor.execute(command, parameters)
  }

  /** Ends the process, after what is under way and if need be without its consent; settles when it is gone. */
  stop(): Promise<void> {
    return this.#changes.run(() => this.#stop())
  }

  async #stop(): Promise<void> {
    const { pid } = this
    if (pid === undefined) return
    try {
      await this.execute('quit')
    } catch (error) {
      this.#options.warn(`${(error as Error).message}; it is killed`)
      this.#leaving = true
      kill(pid)
    }
    const start = performance.now()
    while (this.running) {
      if (performance.now() - start > this.#timeout) {
        this.#leaving = true
        kill(pid)
      }
      await sleep(lookEvery)
    }
  }

  /** The address of its serial port, for one client, while it runs. */
  get serialSocket(): string {
    return this.#files.console
  }

  /** The address of its port of POST codes, likewise. */
  get postSocket(): string {
    return this.#files.post
  }

  /** Calls back whenever the process has begun, or is found running; the function returned ends that. */
  onStart(listener: () => void): () => void {
    return this.#started.add(listener)
  }

  /** Calls back whenever the process has ended, whoever ended it; the function returned ends that. */
  onEnd(listener: (end: End) => void): () => void {
    return this.#ended.add(listener)
  }

  /** Calls back with what the machine did wrong by itself; the function returned ends that. */
  onFailure(listener: (reason: string) => void): () => void {
    return this.#failed.add(listener)
  }

  /** Tells that the operating system says that it has crashed. */
  onPanic(listener: () => void): () => void {
    return this.#panicked.add(listener)
  }

  /** Calls back when the watchdog timer of its guest has run out; the function returned ends that. */
  onWatchdog(listener: () => void): () => void {
    return this.#hung.add(listener)
  }

  /** Lets go of the machine, which goes on. */
  async close(): Promise<void> {
    this.#closed = true
    this.#log.close()
    this.#started.clear()
    this.#ended.clear()
    this.#failed.clear()
    this.#hung.clear()
    this.#panicked.clear()
    const monitor = await this.#monitor?.catch(() => undefined)
    monitor?.close()
  }

  #command() {
    const { directory } = this.#options
    return qemuCommand(this.#options, this.#files, this.#media, (path) => resolve(directory, path))
  }

  #connect(): Promise<Qmp> {
    this.#monitor ??= this.#open().catch((error) => {
      this.#monitor = undefined
      throw error
    })
    return this.#monitor
  }

  async #open(): Promise<Qmp> {
    const monitor = await Qmp.open(this.#files.socket, this.#timeout)
    this.#leaving = false
    this.#resetting = false
    monitor.onEvent = ({ event, data }) => {
      if (event === 'GUEST_PANICKED') this.#panicked.emit(undefined)
      if (event === 'WATCHDOG') this.#hung.emit(undefined)
      if (event === 'SHUTDOWN') this.#leaving = true
      if (event === 'SHUTDOWN' && data?.reason === 'guest-reset') this.#resetting = true
    }
    const { pid } = this
    monitor.onClose = () => void this.#lost(pid)
    this.#started.emit(undefined)
    return monitor
  }

  /**
   * The monitor is closed by what ends the process a moment later, or by a process that goes on without it.
   *
   * @param pid of that process: another one may have been started by then
   */
  async #lost(pid: number | undefined): Promise<void> {
    this.#monitor = undefined
    const start = performance.now()
    const lives = () => pid !== undefined && this.pid === pid
    while (!this.#closed && lives() && performance.now() - start < this.#timeout) {
      await sleep(lookEvery)
    }
    if (this.#closed) return
    if (lives()) return this.#failed.emit('qemu: the machine runs on, but its monitor is closed')
    if (this.running) return
    if (!this.#leaving) this.#failed.emit('qemu: the process of the machine ended without a message')
    this.#ended.emit(this.#resetting ? 'reset' : 'off')
  }
}

function isKept(kept: unknown): kept is { media: Readonly<Record<string, string>> } {
  const { media } = (kept ?? {}) as { media?: unknown }
  return typeof media === 'object' && media !== null
}
