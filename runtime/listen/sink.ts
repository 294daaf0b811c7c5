import type { Sink } from '#runtime/contract'

/** The part of an answer that a sink uses: Node.js's own class on one host, a drop-in on the other. */
export interface Streamed {
  write(chunk: string | Uint8Array): unknown
  end(): unknown
  destroy(): unknown
  /** Bytes that the client has not taken yet. */
  readonly writableLength: number
  readonly writableEnded: boolean
}

/** An answer as a stream writes to it. One that the client does not read cannot be ended but by force. */
export function sinkTo(response: Streamed): Sink {
  return {
    write: (chunk) => {
      if (!response.writableEnded) response.write(chunk)
    },
    unread: () => response.writableLength,
    end: () => {
      if (response.writableLength > 0) response.destroy()
      else response.end()
    },
    cut: () => {
      response.destroy()
    }
  }
}
