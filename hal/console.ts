/** The serial console of a host: a terminal on its first serial port. */
export interface Console {
  /**
   * Sends bytes to the host, as a terminal sends what is typed. They arrive in order.
   *
   * @throws {HalError} `EBUSY` while the host does not take what waits for it already: none of these bytes is sent;
   *   `ENODEV` when no reader is connected, and after `close`; `EIO`
   */
  write(bytes: Uint8Array): void

  /**
   * Holds the line in a break, as tcsendbreak(3) does: Linux takes the next byte for a command of SysRq. Absent where the
   * line has no breaks.
   *
   * @throws {HalError} `ENODEV` when no reader is connected, and after `close`; `EIO`
   */
  sendBreak?(): Promise<void>

  /** Calls `listener` with the bytes that the host sends, as they come; the function returned ends that. */
  on(listener: (bytes: Uint8Array) => void): () => void

  /** Lets go of the line and of all listeners. */
  close(): Promise<void>
}

/** Bytes that may wait for the host. */
export const consoleQueue = 65_536
