import { openTty } from '#hal/native'
import { type TtyConsoleOptions, ttyConsole, ttyConsoleOptions } from './console.ts'

/** Back ends that use serial lines: see `hal/backends.ts`. */
export const ttyBackends = {
  console: {
    tty: { options: ttyConsoleOptions, open: (options: TtyConsoleOptions) => ttyConsole(openTty, options) }
  }
}
