import type { Connection } from '#test/host/raw.ts'
import { admin, type Server } from '#test/host/server.ts'

/** The bytes of an authenticated GET. */
export function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: bmc\r\nAuthorization: ${admin.authorization}\r\n\r\n`
}

/** Keep-alive connections that send one request after the other. */
export class Load {
  readonly #connections: readonly Connection[]

  private constructor(connections: readonly Connection[]) {
    this.#connections = connections
  }

  static async open(server: Server, connections: number): Promise<Load> {
    return new Load(await Promise.all(Array.from({ length: connections }, () => server.connect())))
  }

  /**
   * Sends this number of requests over all connections and awaits their answers.
   *
   * @throws Error when one is not answered with this status
   */
  async send(requests: number, bytes: string, status = 200): Promise<void> {
    let left = requests
    const keepBusy = async (connection: Connection) => {
      while (left-- > 0) {
        connection.write(bytes)
        const answer = await connection.response()
        if (answer?.status !== status) throw new Error(`answered ${answer?.status}`)
      }
    }
    await Promise.all(this.#connections.map(keepBusy))
  }

  close(): void {
    for (const connection of this.#connections) connection.close()
  }
}
