import { connect } from 'node:net'
import { HalError } from '../errors.ts'

/** Events of a connection. */
interface ChannelEvents {
  opened(): void
  /** @param descriptors that came with the bytes: the listener's own, to close */
  data(bytes: Uint8Array, descriptors: readonly number[]): void
  /** Last, and once, whoever closes it. @param error why it failed */
  closed(error?: HalError): void
}

/** A connection over a socket of the local domain. */
export interface Channel {
  /**
   * Sends bytes. If they cannot be sent, the connection ends; `closed` is not called before this returns.
   *
   * @param descriptors to pass along; they stay open here. Without them on a connection that passes none
   */
  write(bytes: string | Uint8Array, descriptors?: readonly number[]): void
  close(): void
}

/** Begins to connect to the socket at a path. No event comes before it returns. */
export type OpenChannel = (path: string, events: ChannelEvents) => Channel

/** A connection that passes no descriptors. */
export const openSocket: OpenChannel = (path, events) => {
  const socket = connect({ path })
  let error: HalError | undefined
  socket.once('connect', () => events.opened())
  socket.on('data', (chunk: Uint8Array) => events.data(chunk, []))
  socket.on('error', (cause) => {
    error = new HalError('ENODEV', `${path}: ${cause.message}`, { cause })
  })
  socket.on('close', () => events.closed(error))
  return {
    write: (bytes) => void socket.write(bytes),
    close: () => void socket.destroy()
  }
}
