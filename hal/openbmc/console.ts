import { closeSync } from 'node:fs'
import type { Console } from '../console.ts'
import { HalError } from '../errors.ts'
import { LineConsole } from '../tty/line-console.ts'
import type { AdoptTty } from '../tty/tty.ts'
import { type BusOptions, busOptions, type Objects } from './objects.ts'

/** The back end `openbmc` of consoles: those of obmc-console. */
export interface OpenbmcConsoleOptions extends BusOptions {
  /** The object, by its path below `/xyz/openbmc_project/console`. Default `default`. */
  readonly object?: string | undefined
}

/** {@link OpenbmcConsoleOptions} in a board file. */
export const openbmcConsoleOptions = {
  type: 'object',
  properties: {
    object: {
      type: 'string',
      pattern: '^[A-Za-z0-9_]+$',
      description: 'The object of the host, below /xyz/openbmc_project/console; default default'
    },
    ...busOptions
  }
} as const

const accessInterface = 'xyz.openbmc_project.Console.Access'

export const consoleInterfaces = [accessInterface]

/** Milliseconds until a connection that has failed, or that the daemon has ended, is made anew. */
const retryAfter = 1000

/** A console over the socket that its daemon passes. It is connected whenever the daemon is there. */
export function openbmcConsole(objects: Objects, adopt: AdoptTty, options: OpenbmcConsoleOptions): Console {
  const { name, object = 'default', warn } = options
  const path = `/xyz/openbmc_project/console/${object}`
  let isBusy = false
  let isClosed = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let told = ''
  const again = () => {
    clearTimeout(retry)
    retry = setTimeout(connect, retryAfter)
  }
  const console = new LineConsole(name, again)

  /** @throws {HalError} */
  const attempt = async () => {
    const { values, descriptors } = await objects.callPassing(path, accessInterface, 'Connect', { answer: 'h' })
    const wanted = isClosed ? undefined : descriptors[values[0] as number]
    for (const each of descriptors) if (each !== wanted) closeSync(each)
    if (isClosed) return
    if (wanted === undefined) throw new HalError('EIO', `${name}: no descriptor came from ${path}`)
    console.take((events) => adopt(wanted, path, events))
    told = ''
  }

  function connect() {
    if (isBusy || isClosed || console.isOpen || objects.properties(path, accessInterface) === undefined) return
    isBusy = true
    attempt()
      .catch(({ message }: HalError) => {
        if (isClosed) return
        if (message !== told) warn(message)
        told = message
        again()
      })
      .finally(() => {
        isBusy = false
      })
  }

  objects.on((changed) => {
    if (changed.has(path)) connect()
  })
  connect()
  return {
    write: (bytes) => console.write(bytes),
    on: (listener) => console.on(listener),
    async close() {
      isClosed = true
      clearTimeout(retry)
      await console.close()
      objects.close()
    }
  }
}
