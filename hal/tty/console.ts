import type { Console } from '../console.ts'
import type { HalError } from '../errors.ts'
import { LineConsole } from './line-console.ts'
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

/** Milliseconds of a break: tcsendbreak(3) takes at least 250, and not more than 500. */
const breakTime = 300

class TtyConsole extends LineConsole implements Console {
  sendBreak(): Promise<void> {
    return this.holdBreak(breakTime)
  }
}

/**
 * The console of a host whose serial port is wired to one of the controller's. A line that cannot be opened, or fails,
 * is a warning, and the console says nothing from then on.
 */
export function ttyConsole(openTty: OpenTty, { name, path, speed = 115_200, warn }: TtyConsoleOptions): Console {
  const failed = ({ message }: HalError) => warn(`${name}: ${message}`)
  const console = new TtyConsole(name, failed)
  try {
    console.take((events) => openTty(path as string, speed as number, events))
  } catch (error) {
    failed(error as HalError)
  }
  return console
}
