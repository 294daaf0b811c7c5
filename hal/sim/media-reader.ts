import { connect } from 'node:net'
import { NbdClient } from '#runtime/base/nbd/client.ts'
import { longestRead } from '#runtime/base/nbd/format.ts'
import { sleep } from '#runtime/base/sleep.ts'

/** Milliseconds after each part: a host that installs from a disc has more to do than to read. */
const pause = 20

/** Milliseconds after which what failed is done again. */
const retryAfter = 500

/** Reads all that a server of network block devices exports, from the beginning to the end, as an installer would. */
export class MediaReader {
  readonly #path: string
  #at = 0
  #over = false
  #leave: () => void = () => undefined

  /** @param path of the server's socket */
  constructor(path: string) {
    this.#path = path
    void this.#run()
  }

  close(): void {
    this.#over = true
    this.#leave()
  }

  async #run(): Promise<void> {
    while (!this.#over) {
      await this.#connect().catch(() => undefined)
      await sleep(retryAfter)
    }
  }

  async #connect(): Promise<void> {
    const socket = connect({ path: this.#path })
    const client = new NbdClient({ write: (bytes) => void socket.write(bytes), end: () => void socket.destroy() })
    socket.on('data', (chunk: Uint8Array) => client.received(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => client.closed())
    this.#leave = () => socket.destroy()
    try {
      const { size } = await client.opened
      while (this.#at < size && !this.#over) {
        const part = await client.read(this.#at, Math.min(longestRead, size - this.#at))
        this.#at += part.length
        await sleep(pause)
      }
      this.#over = true
    } finally {
      socket.destroy()
    }
  }
}
