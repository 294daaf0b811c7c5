import { connect, type Socket } from 'node:net'
import { utf8Text } from '#runtime/base/bytes.ts'
import { HalError } from '../errors.ts'

/** Events of QEMU (QAPI, run-state.json). */
export interface QmpEvent {
  readonly event: string
  readonly data?: Readonly<Record<string, unknown>>
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: HalError) => void
  readonly late: ReturnType<typeof setTimeout>
}

/** The most that one line may have: answers of the commands that are used have a few hundred bytes. */
const longest = 65_536

/** One connection to the monitor of a QEMU process (QEMU Machine Protocol). */
export class Qmp {
  readonly #socket: Socket
  readonly #timeout: number
  readonly #waiting = new Map<number, Waiting>()
  #rest = ''
  #last = 0
  /** The reason why the connection has ended. */
  #lost = new HalError('ENODEV', 'qemu: the machine ended before it answered')
  /** Hears all that QEMU tells on its own, in order. */
  onEvent: (event: QmpEvent) => void = () => undefined
  /** Called once, when there is no QEMU behind the socket any longer. */
  onClose: () => void = () => undefined

  private constructor(socket: Socket, timeout: number) {
    this.#socket = socket
    this.#timeout = timeout
    socket.on('data', (chunk: Uint8Array) => this.#read(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#closed())
  }

  /**
   * Connects, and leaves QEMU's negotiation mode.
   *
   * @param timeout milliseconds that QEMU may take for an answer
   * @throws {HalError} `ENODEV` when nothing listens there, `ETIMEDOUT` when no answer arrives
   */
  static async open(path: string, timeout: number): Promise<Qmp> {
    const socket = connect({ path })
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', (error) =>
        reject(new HalError('ENODEV', `qemu: nothing listens on ${path}: ${error.message}`))
      )
    })
    const qmp = new Qmp(socket, timeout)
    try {
      await qmp.execute('qmp_capabilities')
      return qmp
    } catch (error) {
      qmp.close()
      throw error
    }
  }

  /**
   * @returns what the command answers
   * @throws {HalError} `EIO` when QEMU refuses the command, `ETIMEDOUT`, `ENODEV` when QEMU ends before it answers
   */
  execute(command: string, parameters?: Readonly<Record<string, unknown>>): Promise<unknown> {
    this.#last += 1
    const id = this.#last
    if (this.#socket.destroyed) return Promise.reject(this.#lost)
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(id)
        reject(new HalError('ETIMEDOUT', `qemu: ${command}: no answer in ${this.#timeout} ms`))
      }, this.#timeout)
      this.#waiting.set(id, { resolve, reject, late })
      this.#socket.write(`${JSON.stringify({ execute: command, arguments: parameters, id })}\n`)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Uint8Array): void {
    const lines = (this.#rest + utf8Text(chunk)).split('\n')
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > longest) this.#leave()
    for (const line of lines) if (!this.#socket.destroyed && line.trim() !== '') this.#hear(line)
  }

  /** Ends the connection to what is no QEMU. */
  #leave(): void {
    this.#lost = new HalError('EIO', 'qemu: the monitor speaks no QMP')
    this.close()
  }

  #hear(line: string): void {
    const message = parse(line)
    if (message === undefined) this.#leave()
    else if (typeof message.event === 'string') this.onEvent(message as unknown as QmpEvent)
    else this.#answered(message)
  }

  #answered(message: Readonly<Record<string, unknown>>): void {
    const waiting = this.#waiting.get(message.id as number)
    if (waiting === undefined) return
    this.#waiting.delete(message.id as number)
    clearTimeout(waiting.late)
    const { desc } = (message.error ?? {}) as { desc?: string }
    if ('error' in message) waiting.reject(new HalError('EIO', `qemu: ${desc ?? 'a command was refused'}`))
    else waiting.resolve(message.return)
  }

  #closed(): void {
    for (const { reject, late } of this.#waiting.values()) {
      clearTimeout(late)
      reject(this.#lost)
    }
    this.#waiting.clear()
    this.onClose()
  }
}

/** A line of what is no QMP ends the connection. */
function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
