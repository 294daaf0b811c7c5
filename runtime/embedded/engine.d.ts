/** The functions of `engine.c` and `encoding.c`: those of the engine that JavaScript needs. */
declare module 'minnow:engine' {
  const engine: {
    /** The words of the command line, the program's name first. */
    readonly arguments: string[]
    queueMicrotask(callback: () => void): void
    /** Given an uncaught error; true when that is dealt with, else the process logs it and ends. */
    onUncaught(handler: (error: unknown, origin: 'uncaughtException' | 'unhandledRejection') => boolean): void
    /** Called when nothing is left to wait for; gives the exit status. */
    onExit(handler: () => number): void
    exit(status: number): never
    collectGarbage(): void
    /** Bytes of the JavaScript heap. */
    heap(): { used: number; limit: number }
    /** The memory of the machine is the limit from now on. */
    unlimitHeap(): void
    encodeUtf8(text: string): Uint8Array
    /** With `fatal`, a TypeError where the bytes are not UTF-8; else U+FFFD in their place. */
    decodeUtf8(buffer: ArrayBuffer, offset: number, length: number, fatal: boolean): string
    atob(text: string): string
    btoa(text: string): string
  }
  export default engine
}

/** The file given as `documents` when the program was built; read-only. */
declare module 'minnow:documents' {
  const documents: Uint8Array
  export default documents
}
