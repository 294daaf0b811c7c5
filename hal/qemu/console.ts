import { connect, type Socket } from 'node:net'
import { Listeners } from '#runtime/base/listeners.ts'
import { type Console, consoleQueue } from '../console.ts'
import { HalError } from '../errors.ts'
import type { QemuMachine } from './machine.ts'

/**
 * The serial port of a virtual machine, or another one that is a socket while the machine runs. QEMU itself keeps the log
 * of the serial port.
 */
export class QemuConsole implements Console {
  readonly #name: string
  readonly #listeners = new Listeners<Uint8Array>()
  readonly #machine: QemuMachine
  readonly #stop: () => void
  #socket: Socket | undefined

  /** @param socket its path */
  constructor(machine: QemuMachine, name: string, socket: string) {
    this.#machine = machine
    this.#name = name
    this.#stop = machine.onStart(() => this.#connect(socket))
  }

  write(bytes: Uint8Array): void {
    const socket = this.#socket
    // The last bytes of a machine that has ended may still be on their way.
    if (socket === undefined || socket.destroyed || !this.#machine.running) {
      throw new HalError('ENODEV', `qemu: ${this.#name}: nothing listens`)
    }
    // The binary's sockets do not count; they end the connection at a bound of their own.
    if (socket.writableLength > consoleQueue) {
      throw new HalError('EBUSY', `qemu: ${this.#name}: the machine accepts no more bytes`)
    }
    socket.write(bytes)
  }

  async sendBreak(): Promise<void> {
    await this.#machine.execute('chardev-send-break', { id: 'serial' })
  }

  on(listener: (bytes: Uint8Array) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#stop()
    this.#listeners.clear()
    this.#socket?.destroy()
    this.#socket = undefined
  }

  /** One that cannot be had leaves the console silent: the machine of an older service has none. */
  #connect(path: string): void {
    this.#socket?.destroy()
    const socket = connect({ path })
    this.#socket = socket
    socket.on('data', (chunk: Uint8Array) => this.#listeners.emit(chunk))
    socket.on('error', () => socket.destroy())
  }
}
