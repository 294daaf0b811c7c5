import binding, { type Handle, type Id } from 'minnow:https'
import { X509Certificate } from '../modules/x509.ts'
import { Emitter } from './emitter.ts'

export type Address = { address: string; port: number; family: 'IPv4' | 'IPv6' }

/** The request that an event of the connection belongs to. */
interface Request {
  emit(name: 'data', chunk: Uint8Array): boolean
  ended(): void
  aborted(): void
}

/** The answer that an event of the connection belongs to. */
interface Response {
  drained(): void
  closed(): void
}

/** The connection, as requests and `clientError` show it. */
export class Socket extends Emitter {
  readonly encrypted = true
  /** @internal */
  readonly handle: Handle
  /** @internal */
  readonly id: Id
  /** @internal The request that waits for its answer, or for more of its body. */
  request: Request | undefined
  /** @internal */
  response: Response | undefined
  #peer: Address | null | undefined
  #own: Address | null | undefined
  #writable = true

  constructor(handle: Handle, id: Id) {
    super()
    this.handle = handle
    this.id = id
  }

  /** True while a last answer can still be sent. */
  get writable(): boolean {
    return this.#writable
  }

  get destroyed(): boolean {
    return !this.#writable
  }

  get remoteAddress(): string | undefined {
    return this.#remote()?.address
  }

  get remotePort(): number | undefined {
    return this.#remote()?.port
  }

  get remoteFamily(): string | undefined {
    return this.#remote()?.family
  }

  get localAddress(): string | undefined {
    return this.#local()?.address
  }

  get localPort(): number | undefined {
    return this.#local()?.port
  }

  /** "TLSv1.3" and the like; null when the connection has ended. */
  getProtocol(): string | null {
    return binding.protocol(this.handle, this.id)
  }

  getCipher(): { name: string } | undefined {
    const name = binding.cipher(this.handle, this.id)
    return name === null ? undefined : { name }
  }

  /**
   * The certificate whose key the client proved to have, in this handshake or the one it resumed; nothing else was
   * checked.
   */
  getPeerX509Certificate(): X509Certificate | undefined {
    const der = binding.certificate(this.handle, this.id)
    return der === null ? undefined : new X509Certificate(der)
  }

  /** @internal From here on the connection is no longer HTTP: it has `data`, `drain`, `write`. */
  tunnel(): void {
    binding.tunnel(this.handle, this.id)
    this.request = {
      emit: (name, chunk) => this.emit(name, chunk),
      ended: () => {},
      aborted: () => {}
    }
    this.response = { drained: () => this.emit('drain'), closed: () => {} }
  }

  /** Bytes that wait for the client. */
  get writableLength(): number {
    return Math.max(0, binding.waiting(this.handle, this.id))
  }

  /** Of a tunnel. False: they wait, and `drain` follows. */
  write(data: Uint8Array): boolean {
    return this.#writable && binding.more(this.handle, this.id, data, 1) === 0
  }

  /** Writes the bytes unchanged, and closes. */
  end(data: string | Uint8Array = ''): this {
    if (this.#writable) binding.end(this.handle, this.id, data)
    this.#writable = false
    return this
  }

  destroy(): this {
    if (this.#writable) binding.destroy(this.handle, this.id)
    this.#writable = false
    return this
  }

  /** @internal The connection has ended. */
  closed(): void {
    this.#writable = false
    this.request?.aborted()
    this.response?.closed()
    this.emit('close')
  }

  #local(): Address | null {
    this.#own ??= binding.local(this.handle, this.id)
    return this.#own
  }

  #remote(): Address | null {
    this.#peer ??= binding.peer(this.handle, this.id)
    return this.#peer
  }
}
