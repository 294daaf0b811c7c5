import type { Configuration } from '#data/configuration'
import { imageAt } from '#hal/media.ts'
import type { NbdClient } from '#runtime/base/nbd/client.ts'
import type { Export } from '#runtime/base/nbd/format.ts'
import type { Peer } from '#runtime/contract'
import { Blocks } from './blocks.ts'
import { Exported } from './exported.ts'

/** A file of a client in a drive: the drive reads it over a socket of this machine, and its client may be away for a while. */
export class ClientFile {
  /** For the drive. */
  readonly image: string
  readonly of: Export
  /** The account of the client. */
  readonly account: string
  readonly #wait: number
  readonly #lost: () => void
  readonly #blocks: Blocks
  readonly #exported: Exported
  #client: NbdClient | undefined
  #peer: Peer | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * @param path of the socket
   * @param lost called when the client has been away for too long
   */
  constructor(of: Export, account: string, path: string, settings: Configuration['media'], lost: () => void) {
    this.of = of
    this.account = account
    this.image = imageAt(path)
    this.#wait = settings.wait * 1000
    this.#lost = lost
    this.#blocks = new Blocks(of.size, settings)
    this.#exported = new Exported(path, of, (offset, length) => this.#blocks.read(offset, length))
  }

  /** Settles when a drive can read it. */
  open(): Promise<void> {
    return this.#exported.open()
  }

  /** Whether this may be the same file again. */
  isOf({ name, size }: Export, account: string): boolean {
    return name === this.of.name && size === this.of.size && account === this.account
  }

  /** Its client has come, or has come back: a connection that is left from before ends. */
  attach(peer: Peer, client: NbdClient): void {
    const before = this.#peer
    clearTimeout(this.#timer)
    this.#peer = peer
    this.#client = client
    this.#blocks.connect(client)
    before?.cut()
  }

  /** A connection has ended. @returns whether it was the present one; reads then wait for the next */
  detach(client: NbdClient): boolean {
    if (client !== this.#client) return false
    this.await()
    return true
  }

  /** Waits for its client. */
  await(): void {
    this.#client = undefined
    this.#peer = undefined
    this.#blocks.connect(undefined)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#lost, this.#wait)
  }

  /** Whether reads fail at once, as while the drive is being emptied: one that waits would hold up the drive. */
  refuse(isRefusing: boolean): void {
    this.#blocks.refuse(isRefusing)
  }

  /** @param reason for the client: a status of RFC 6455 7.4.1 */
  close(reason: number): void {
    clearTimeout(this.#timer)
    this.#client = undefined
    this.#blocks.refuse(true)
    this.#exported.close()
    this.#peer?.end(reason)
  }
}
