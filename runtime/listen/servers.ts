import type { Configuration } from '#data/configuration'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Ports } from '#runtime/service/network/https-port.ts'
import { HttpsServer, type Served } from './server.ts'

/**
 * Before a port is given up: clients that keep a connection learn from the next answer that it closes, and do not find it
 * closed under a request that is on its way. In milliseconds.
 */
const farewell = 1000

/** The HTTPS listeners of a service: one, and two while its port changes, each with the limits of connections. */
export class HttpsServers implements Ports {
  readonly #served: Served
  readonly #configuration: Configuration
  /** How long requests in flight may take, in milliseconds. */
  readonly #grace: number
  readonly #open = new Map<number, HttpsServer>()
  readonly #leaving = new Map<number, Promise<void>>()
  readonly #closing = new Listeners<void>()

  constructor(served: Served, configuration: Configuration, grace: number) {
    this.#served = served
    this.#configuration = configuration
    this.#grace = grace
  }

  async open(port: number): Promise<number> {
    if (this.#open.has(port)) return port
    await this.#leaving.get(port)
    const { address } = this.#configuration
    const server = new HttpsServer(this.#served, this.#configuration)
    try {
      const own = await listening(server.listen(port, address), port, address)
      this.#open.set(own, server)
      return own
    } catch (error) {
      await server.close(0)
      throw error
    }
  }

  keepOnly(ports: readonly number[]): void {
    for (const [port, server] of this.#open) {
      if (ports.includes(port)) continue
      this.#open.delete(port)
      const left = server.drain(farewell, this.#closing).then(() => server.close(this.#grace))
      this.#leaving.set(
        port,
        left.finally(() => this.#leaving.delete(port))
      )
    }
  }

  /** Answers for a short time, each time as the last on its connection. */
  async drain(): Promise<void> {
    await Promise.all([...this.#open.values()].map((server) => server.drain(farewell, this.#closing)))
  }

  /** Stops accepting, and waits for what is in flight. */
  async close(): Promise<void> {
    this.#closing.emit()
    const open = [...this.#open.values()].map((server) => server.close(this.#grace))
    this.#open.clear()
    await Promise.all([...open, ...this.#leaving.values()])
  }
}

/** The listener, or its port, that begins. @throws Error in one line, with the system's code as its cause */
export async function listening<T>(begun: Promise<T>, port: number, address: string): Promise<T> {
  try {
    return await begun
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const causes: Readonly<Record<string, string>> = {
      EADDRINUSE: 'is in use',
      EADDRNOTAVAIL: 'is not an address of this machine',
      EMFILE: 'cannot be listened on: the process has reached its limit of descriptors; raise it with ulimit -n'
    }
    const cause = causes[code ?? ''] ?? `cannot be listened on: ${message}`
    throw new Error(`${bracketed(address)}:${port} ${cause}`, { cause: code })
  }
}

/** An address as it stands in a URI. */
export function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}
