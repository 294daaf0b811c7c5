/** The sink of a stream: one client. */
export interface Sink {
  write(chunk: string | Uint8Array): void
  /** How many bytes the client has not taken yet. */
  unread(): number
  /** Ends the answer. */
  end(): void
  /** Ends the connection. */
  cut(): void
}

/** A client with whom bytes are exchanged, both ways at once. */
export interface Peer {
  write(bytes: Uint8Array): void
  /** How many bytes the client has not taken yet. */
  unread(): number
  /** Says goodbye. @param reason a status of RFC 6455 7.4.1 @param words for people; at most 123 bytes in UTF-8 */
  end(reason: number, words?: string): void
  /** Ends the connection. */
  cut(): void
}

/** The side of the service in an exchange. */
export interface Exchange {
  received(bytes: Uint8Array): void
  /**
   * Called once when the client has gone, or the service ended the connection.
   *
   * @param saidGoodbye whether the client ended it, and was not cut off
   */
  gone(saidGoodbye: boolean): void
}

/** @returns what is called once when the client has gone, or the service ends the connection */
export type Stream = (sink: Sink) => () => void
