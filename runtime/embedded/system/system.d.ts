/** The exports of `module.c` for the drop-ins. A call that can fail gives a negative errno (`Failed`). */
declare module 'minnow:system' {
  /** A negative errno. */
  export type Failed = number
  /** A running timer or a watched signal. */
  export type Watch = { readonly watch: unique symbol }
  export interface Status {
    mode: number
    size: number
    mtimeMs: number
  }
  export interface Interface {
    name: string
    address: string
    netmask: string
    family: 'IPv4' | 'IPv6'
    mac: string
    internal: boolean
    scopeid?: number
  }

  const binding: {
    /** `flags` and `mode` as open(2) has them; a descriptor. */
    open(path: string, flags: number, mode: number): number
    close(fd: number): number
    fsync(fd: number): number
    /** All bytes from the present position to the end. */
    read(fd: number): Uint8Array | Failed
    /** Into `bytes`, from a position, or from the present one, which moves; how many, 0 at the end. */
    readInto(fd: number, bytes: Uint8Array, position?: number): number
    /** All of it, a string as UTF-8; 0. */
    write(fd: number, data: string | Uint8Array): number
    mkdir(path: string, mode: number): number
    rename(from: string, to: string): number
    unlink(path: string): number
    rmdir(path: string): number
    chmod(path: string, mode: number): number
    access(path: string, mode: number): number
    stat(path: string, follow: boolean): Status | Failed
    /** Names sorted by their bytes. */
    readdir(path: string): string[] | Failed
    describeError(error: Failed): { code: string; text: string }
    environment(): Record<string, string>
    cwd(): string | Failed
    /** 1 for a terminal, otherwise 0. */
    isTerminal(fd: number): number
    pid(): number
    /** kill(2). */
    kill(pid: number, signal: number): number
    /** Leaves this process, for good, only the system calls of the service, and with `programs` those that start others. */
    confine(programs: boolean): number
    residentMemory(): number
    /** Nanoseconds of the monotonic clock. */
    monotonicTime(): bigint
    /** Milliseconds of the same clock, with fractions. */
    now(): number
    hostname(): string | Failed
    networkInterfaces(): Interface[] | Failed
    startTimer(milliseconds: number, repeats: boolean, callback: () => void): Watch
    /** Does not keep the process alive. */
    watchSignal(number: number, callback: () => void): Watch | Failed
    stop(watch: Watch): void
    keepAlive(watch: Watch, whether: boolean): void
    /** Called after `wakeUp`, when the loop has looked for events; called again for as long as it returns true. */
    onImmediate(callback: () => boolean): void
    wakeUp(): void
  }
  export default binding
}
