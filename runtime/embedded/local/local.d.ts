/** The exports of `local_binding.c` for `modules/net.ts` and `modules/child_process.ts`. */
declare module 'minnow:local' {
  /** A connection. After `close` it is harmless and good for nothing. */
  export type Pipe = { readonly pipe: unique symbol }

  /** A socket that others connect to. */
  export type Listening = { readonly listening: unique symbol }

  export interface Events {
    /** Not for a connection that was accepted: it is there already. */
    connect(): void
    data(chunk: Uint8Array): void
    /** Last: 0, or the negative errno that ended it. */
    close(error: number): void
  }

  type Ended = (
    status: number,
    signal: number,
    late: boolean,
    longWinded: boolean,
    output: Uint8Array,
    errors: Uint8Array
  ) => void

  const binding: {
    /** Begins to connect to a socket of the local domain. */
    connect(path: string, events: Events): Pipe
    /** 0 or a negative errno; -ENOBUFS when 1 MiB waits for the peer already. */
    write(pipe: Pipe, bytes: string | Uint8Array): number
    destroy(pipe: Pipe): void
    /** Begins to listen; `knocked` is called for each connection that waits to be accepted. Or a negative errno. */
    listen(path: string, knocked: () => void): Listening | number
    /** The connection that waits. Only from `knocked`. */
    accept(listening: Listening, events: Events): Pipe
    /** Ends it, and removes the socket. */
    unlisten(listening: Listening): void
    /**
     * Runs a program to its end. `timeout` in milliseconds, 0 for no limit; `most` bytes of each stream, 0 for those of
     * this process. Its number, or a negative errno when it could not be started: then `ended` is not called.
     */
    run(words: readonly string[], timeout: number, most: number, ended: Ended): number
    /** Sends SIGTERM to a program that runs. 0 or a negative errno. */
    end(pid: number): number
  }
  export default binding
}
