import { concatenated } from '#runtime/base/bytes.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { type Console, consoleQueue } from '../console.ts'
import { HalError } from '../errors.ts'
import type { OpenTty } from './tty.ts'

/** Plain JSON but for `warn`. */
export interface TtyConsoleOptions {
  readonly name: string
  /** The device, e.g. `/dev/ttyS0`; a virtual UART has one as well. */
  readonly path?: unknown
  /** Bits a second. Default 115200. */
  readonly speed?: unknown
  readonly warn: (text: string) => void
}

/** {@link TtyConsoleOptions} in a board file. */
export const ttyConsoleOptions = {
  type: 'object',
  required: ['path'],
  properties: {
    path: { type: 'string', description: 'The device of the line, e.g. /dev/ttyS0; a virtual UART has one as well' },
    speed: { type: 'integer', minimum: 50, description: 'Bits per second; default 115200' }
  }
} as const

/** Milliseconds until the rest of what the line did not take at once is tried again. */
const retryAfter = 10

/**
 * The console of a host whose serial port is wired to one of the controller's. A line that cannot be opened, or fails,
 * is a warning, and the console says nothing from then on.
 */
export function ttyConsole(openTty: OpenTty, { name, path, speed = 115_200, warn }: TtyConsoleOptions): Console {
  const listeners = new Listeners<Uint8Array>()
  const lost = (error: HalError) => {
    end()
    warn(`${name}: ${error.message}`)
  }
  let queue = new Uint8Array()
  let retry: ReturnType<typeof setTimeout> | undefined
  let line = open()

  function open() {
    try {
      return openTty(path as string, speed as number, {
        data: (bytes) => listeners.emit(bytes),
        failed: (error) => lost(error)
      })
    } catch (error) {
      warn(`${name}: ${(error as HalError).message}`)
      return undefined
    }
  }

  function end() {
    clearTimeout(retry)
    line?.close()
    line = undefined
    queue = new Uint8Array()
  }

  function send() {
    retry = undefined
    try {
      queue = queue.slice(line?.write(queue) ?? 0)
    } catch (error) {
      lost(error as HalError)
    }
    if (queue.length > 0) retry = setTimeout(send, retryAfter)
  }

  return {
    write(bytes) {
      if (line === undefined) throw new HalError('ENODEV', `${name}: nothing listens`)
      if (queue.length + bytes.length > consoleQueue)
        throw new HalError('EBUSY', `${name}: the line accepts no more bytes`)
      queue = concatenated([queue, bytes])
      if (retry === undefined) send()
    },
    on: (listener) => listeners.add(listener),
    async close() {
      listeners.clear()
      end()
    }
  }
}
