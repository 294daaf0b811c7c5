import type {} from '#runtime/contract'

declare module '#runtime/contract' {
  interface Services {
    /** The streams of Server-Sent Events that are open. */
    streams(): OpenStreams
  }
  interface Commands {
    /** Ends a stream. */
    endStream: { readonly stream: string }
  }
}

/** By their ids, which `isStreamId` tells from those of subscriptions. */
type OpenStreams = ReadonlyMap<string, OpenStream>

export interface OpenStream {
  /** The `Context` of its notifications. */
  readonly context: string
  /** Who reads it: `redfish-sse://address:port` (DSP2046, EventDestination.Destination). */
  readonly destination: string
}

const prefix = 'SSE'

export function streamId(number: number): string {
  return `${prefix}${number}`
}

/** Ids of subscriptions are hex digits. */
export function isStreamId(id: string): boolean {
  return id.startsWith(prefix)
}
