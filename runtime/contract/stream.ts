/** The sink of a stream: one client. */
export interface Sink {
  write(chunk: string): void
  /** How many bytes the client has not taken yet. */
  unread(): number
  /** Ends the answer. */
  end(): void
  /** Ends the connection. */
  cut(): void
}

/** @returns what is called once when the client has gone, or the service ends the connection */
export type Stream = (sink: Sink) => () => void
