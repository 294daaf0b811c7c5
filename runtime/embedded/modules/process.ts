import engine from 'minnow:engine'
import system, { type Watch } from 'minnow:system'
import { EventEmitter } from './events.ts'

const signals: Record<string, number> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGUSR1: 10, SIGUSR2: 12, SIGTERM: 15 }

class Output {
  readonly fd: number
  readonly isTTY: boolean

  constructor(fd: number) {
    this.fd = fd
    this.isTTY = system.isTerminal(fd) === 1
  }

  /** Synchronous. False if the reader has closed its end: the program continues without a reader of its log. */
  write(data: string | Uint8Array): boolean {
    return system.write(this.fd, data) === 0
  }
}

const memoryUsage = Object.assign(() => ({ rss: system.residentMemory(), heapUsed: engine.heap().used }), {
  rss: () => system.residentMemory()
})

const hrtime = { bigint: () => system.monotonicTime() }

/** Node's `process`, as far as the service and its packages use it. */
class Process extends EventEmitter {
  readonly argv = [engine.arguments[0] ?? '', 'minnow', ...engine.arguments.slice(1)]
  readonly env = system.environment()
  readonly pid = system.pid()
  readonly platform = 'linux'
  readonly versions: Record<string, string> = {}
  readonly stdout = new Output(1)
  readonly stderr = new Output(2)
  readonly memoryUsage = memoryUsage
  readonly hrtime = hrtime
  exitCode: number | undefined
  #watches = new Map<string, Watch>()
  #exiting = false

  constructor() {
    super()
    engine.onUncaught((error, origin) => this.#handle(error, origin))
    engine.onExit(() => this.#leave())
  }

  /** A listener for a signal replaces its default action. */
  override on(name: string, listener: (...values: never[]) => unknown): this {
    super.on(name, listener)
    const number = signals[name]
    if (number !== undefined && !this.#watches.has(name)) {
      const watch = system.watchSignal(number, () => this.emit(name, name, number))
      if (typeof watch === 'number') throw new Error(`cannot watch ${name}: ${system.describeError(watch).text}`)
      this.#watches.set(name, watch)
    }
    return this
  }

  override addListener(name: string, listener: (...values: never[]) => unknown): this {
    return this.on(name, listener)
  }

  override once(name: string, listener: (...values: never[]) => unknown): this {
    const wrapped = (...values: never[]) => {
      this.off(name, wrapped)
      listener(...values)
    }
    return this.on(name, wrapped)
  }

  override off(name: string, listener: (...values: never[]) => unknown): this {
    super.off(name, listener)
    const watch = this.#watches.get(name)
    if (watch && this.listenerCount(name) === 0) {
      system.stop(watch)
      this.#watches.delete(name)
    }
    return this
  }

  exit(code?: number): never {
    if (code !== undefined) this.exitCode = code
    return engine.exit(this.#leave())
  }

  /** @throws Error with the code `ESRCH` if the process does not exist */
  kill(pid: number, signal: keyof typeof signals = 'SIGTERM'): true {
    const failed = system.kill(pid, signals[signal] as number)
    if (failed === 0) return true
    const { code } = system.describeError(failed)
    throw Object.assign(new Error(`kill ${code}`), { code, errno: failed, syscall: 'kill' })
  }

  cwd(): string {
    const folder = system.cwd()
    if (typeof folder === 'number') throw new Error(`cwd: ${system.describeError(folder).text}`)
    return folder
  }

  #handle(error: unknown, origin: 'uncaughtException' | 'unhandledRejection'): boolean {
    return (
      (origin === 'unhandledRejection' && this.emit(origin, error)) || this.emit('uncaughtException', error, origin)
    )
  }

  #leave(): number {
    if (!this.#exiting) {
      this.#exiting = true
      this.emit('exit', this.exitCode ?? 0)
    }
    return this.exitCode ?? 0
  }
}

const process = new Process()

export default process
