/** The exports of `local_binding.c` for `modules/net.ts` and `modules/child_process.ts`. */
declare module 'minnow:local' {
  /** A connection. After `close` it is harmless and good for nothing. */
  export type Pipe = { readonly pipe: unique symbol }

  export interface Events {
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
    /**
     * Runs a program to its end. `timeout` in milliseconds, 0 for no limit; `most` bytes of each stream. 0, or a
     * negative errno when it could not be started: then `ended` is not called.
     */
    run(words: readonly string[], timeout: number, most: number, ended: Ended): number
  }
  export default binding
}
