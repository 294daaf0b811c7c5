/** The port at which the firmware of a host reports how far it has come: I/O port 0x80 of a PC. */
export interface PostCodes {
  /** Calls `listener` with codes, a byte each, as they come; the function returned ends that. */
  on(listener: (codes: Uint8Array) => void): () => void

  /** Lets go of the port and of all listeners. */
  close(): Promise<void>
}
