/**
 * The exports of `client_binding.c` for `modules/undici.ts`, and of `stream_binding.c` for `modules/net.ts` and
 * `modules/tls.ts`.
 */
declare module 'minnow:client' {
  /** One server, and at most one connection to it. Its connection is closed when it is garbage-collected. */
  export type Handle = { readonly client: unique symbol }

  /** Times are milliseconds, 0: for ever. */
  export interface Options {
    host: string
    port: number
    /** The name that the certificate must have. */
    name: string
    verify: boolean
    /** PEM. */
    ca: string | undefined
    cert: string | undefined
    key: string | undefined
    connectTimeout: number
    keepAliveTimeout: number
    maxHead: number
    /** -1: any size. */
    maxBody: number
    maxInterim: number
  }

  export interface Events {
    /** The head of a response; header names in the case of the server. */
    head(status: number, rawHeaders: string[]): void
    body(chunk: Uint8Array): void
    end(): void
    /** Instead of all that would have followed. `connecting`: there was no connection, and nothing was sent. */
    error(code: string, reason: string, connecting: boolean): void
  }

  /** A connection over TCP. After `close` it is harmless and good for nothing. */
  export type Stream = { readonly stream: unique symbol }

  export interface StreamEvents {
    /** It is connected, and again: TLS is there. */
    ready(): void
    data(chunk: Uint8Array): void
    /** Last: it has ended; with a code of Node.js's and words if it failed. */
    close(code: string, reason: string): void
  }

  const binding: {
    /** Begins to connect to a numeric address. Throws an Error for anything else. */
    openStream(address: string, port: number, events: StreamEvents): Stream
    /** Sends bytes, after `ready`. Bytes for a connection that has ended are lost. */
    writeStream(stream: Stream, bytes: Uint8Array): void
    /** Begins TLS after plain bytes; the server has to be `name`, by the word of an authority of `ca`, PEM. */
    secureStream(stream: Stream, name: string, ca: string): void
    /** Ends it without further events. */
    destroyStream(stream: Stream): void
    /** The addresses of a host name, in the order to try them; empty if the name has none or does not resolve. */
    resolve(host: string, listener: (addresses: string[]) => void): void
    /** Throws an Error with Node.js's code when certificate and key are no PEM or do not belong together. */
    create(options: Options): Handle
    /**
     * Only when no other is under way. `flags`: 1 it is a HEAD, 2 the connection is closed afterwards, 4 nothing is
     * answered.
     */
    request(
      handle: Handle,
      head: string | Uint8Array,
      body: string | Uint8Array,
      flags: number,
      headersTimeout: number,
      bodyTimeout: number,
      events: Events
    ): void
    /** Whether there is a connection without a request. */
    isIdle(handle: Handle): boolean
    /** How long the connection is kept after the present response; 0: it is not. */
    keep(handle: Handle, timeout: number): void
    pause(handle: Handle): void
    resume(handle: Handle): void
    /** Drops the connection; a request under way gets no more calls. */
    drop(handle: Handle): void
    /** Closes the connection cleanly after the last request: the server has received everything. */
    end(handle: Handle): void
  }
  export default binding
}
