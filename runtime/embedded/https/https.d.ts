/** The exports of `module.c` for `modules/https.ts`. */
declare module 'minnow:https' {
  /** A server. After `closed` it is harmless and good for nothing. */
  export type Handle = { readonly https: unique symbol }
  /**
   * The number of a connection, never reused: calls with the number of an ended one do nothing. Its low 16 bits are a
   * small index.
   */
  export type Id = number

  export interface Options {
    maxHead: number
    maxConnections: number
    handshakeTimeout: number
    headersTimeout: number
    requestTimeout: number
    keepAliveTimeout: number
    writeTimeout: number
    lingerTimeout: number
    /** Bytes of answers. */
    maxRepeats: number
    /** 1: clients are asked for a certificate. */
    requestCertificate: number
    /** 1: the server name of the client selects the certificate. */
    names: number
    /** Seconds. */
    ticketLifetime: number
    /** 2 or 3, of TLS 1.x. */
    minVersion: number
    maxVersion: number
  }

  /** A key and its certificate. */
  export type SecureContext = { readonly identity: unique symbol }

  export interface Events {
    /**
     * `bits`: 1 it has a body (ask for it with resume), 2 HTTP/1.1, 4 keep-alive, 8 it has a Host header, 16 Expect:
     * 100-continue, 32 another expectation, 64 it offers another protocol.
     */
    request(id: Id, method: string, url: string, rawHeaders: string[], bits: number): void
    body(id: Id, chunk: Uint8Array): void
    end(id: Id): void
    /** All bytes that had to wait have left. */
    drain(id: Id): void
    /** `packet`: the received bytes with the error; may be empty. */
    clientError(id: Id, code: string, reason: string, packet: Uint8Array): void
    connection(id: Id): void
    /** The handshake of a client that asks for this name waits for `identify`. */
    name(id: Id, name: string): void
    secure(id: Id): void
    recognized(id: Id): void
    repeated(id: Id): void
    /** `error`: Mbed TLS's, or a negative errno. */
    tlsError(id: Id, error: number): void
    close(id: Id): void
    /** After close, when the last connection has ended. */
    closed(): void
  }

  const binding: {
    /** Throws an Error when key and certificate are not PEM or do not belong together. */
    create(options: Options, key: string | Uint8Array, certificate: string | Uint8Array, events: Events): Handle
    setCredentials(handle: Handle, key: string | Uint8Array, certificate: string | Uint8Array): void
    /** Of clients that ask for a challenge of ACME and nothing else: a key, PEM, or none, and its certificate, DER. */
    setChallenge(handle: Handle, key: string, certificate: Uint8Array): void
    /** Throws as `create` does. */
    secureContext(
      settings: Pick<Options, 'ticketLifetime' | 'minVersion' | 'maxVersion'>,
      key: string | Uint8Array,
      certificate: string | Uint8Array
    ): SecureContext
    /** Undefined: with the server's default. */
    identify(handle: Handle, id: Id, context: SecureContext | undefined): number
    configure(handle: Handle, options: Partial<Options>): void
    /** 0 or a negative errno. Called again, it listens there as well. */
    listen(handle: Handle, address: string, port: number): number
    /** Stops listening at one place; its connections stay. 0 or a negative errno. */
    unlisten(handle: Handle, address: string, port: number): number
    address(handle: Handle): { address: string; port: number; family: 'IPv4' | 'IPv6' } | null
    close(handle: Handle): void
    closeIdle(handle: Handle): void
    closeAll(handle: Handle): void
    connections(handle: Handle): number
    describeError(error: number): { code: string; text: string }

    /**
     * The head of an answer, and its body or the beginning of it. `shape`: 1 more will follow, 2 what follows is
     * chunked, 4 no body at all (HEAD), 8 close afterwards. Gives how many bytes have to wait, or a negative errno.
     * Throws for a header that cannot be written.
     */
    answer(
      handle: Handle,
      id: Id,
      status: number,
      headers: readonly (string | number)[],
      body: string | Uint8Array | undefined,
      shape: number
    ): number
    /**
     * The answer that `answer` gives next is also that to other requests with the same first line, from the same
     * `caller`, with the same headers but for credentials and names of programs and requests, at the same address:
     * without a call. The credentials of this one identify the caller for this number of milliseconds, unless
     * `forgetCallers` is called; the answer is valid until its `subject` is dropped. Each use is noted in the cell
     * `use`, by `performance.now()`; all cells are in one buffer. At its `moments` (see `Answer`) the answer shows
     * the time of each request. Only for requests whose headers have credentials that are right.
     */
    repeatable(
      handle: Handle,
      id: Id,
      time: number,
      caller: string,
      subject: string,
      use?: Float64Array,
      moments?: Int32Array
    ): void
    forget(handle: Handle): void
    forgetCallers(handle: Handle): void
    drop(handle: Handle, subject: string): void
    /** More of the body. `shape` as above. */
    more(handle: Handle, id: Id, body: string | Uint8Array | undefined, shape: number): number
    /** `HTTP/1.1 100 Continue`. */
    proceed(handle: Handle, id: Id): number
    end(handle: Handle, id: Id, data: string | Uint8Array): number
    destroy(handle: Handle, id: Id): number
    pause(handle: Handle, id: Id): number
    resume(handle: Handle, id: Id): number
    /** Gives the request whose body arrives this number of milliseconds from now on. */
    allow(handle: Handle, id: Id, time: number): number
    /**
     * At the event of a request without a body: all later bytes arrive as `body`, once an answer has started (`more`),
     * and until `end`.
     */
    tunnel(handle: Handle, id: Id): number
    peer(handle: Handle, id: Id): { address: string; port: number; family: 'IPv4' | 'IPv6' } | null
    /** Where the peer connected to. */
    local(handle: Handle, id: Id): { address: string; port: number; family: 'IPv4' | 'IPv6' } | null
    protocol(handle: Handle, id: Id): string | null
    cipher(handle: Handle, id: Id): string | null
    /** The client's certificate as DER. */
    certificate(handle: Handle, id: Id): Uint8Array | null
    /** How many bytes of answers wait, or a negative errno. */
    waiting(handle: Handle, id: Id): number
  }
  export default binding
}
