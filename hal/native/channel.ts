import { utf8 } from '#runtime/base/bytes.ts'
import type { OpenChannel } from '../dbus/channel.ts'
import { HalError, type HalErrorCode } from '../errors.ts'

declare const handle: unique symbol
/** An open connection of the binding. */
type Handle = { [handle]: true }

type Failure = Error & { code: HalErrorCode }

type Listener = (error: Failure | null, bytes: Uint8Array, descriptors: readonly number[]) => void

/** The exports of channel_binding.c. Errors have one of hal's codes in `code`. */
export interface ChannelBinding {
  /** @param listener receives bytes, and last a failure, after which the connection is closed */
  open(path: string, listener: Listener): Handle
  write(handle: Handle, bytes: Uint8Array, descriptors: readonly number[]): number
  close(handle: Handle): void
}

/**
 * Connections that pass descriptors, by the binding. They keep no bytes: one whose other side does not take a message
 * at once has failed.
 */
export function openChannelBy(binding: ChannelBinding): OpenChannel {
  return (path, events) => {
    let channel: Handle | undefined
    let isOver = false
    const end = (error?: HalError) => {
      if (isOver) return
      isOver = true
      if (channel !== undefined) binding.close(channel)
      queueMicrotask(() => events.closed(error))
    }
    const failed = (error: Failure) => end(new HalError(error.code, `${path}: ${error.message}`, { cause: error }))
    try {
      channel = binding.open(path, (error, bytes, descriptors) => {
        if (error === null) events.data(bytes, descriptors)
        else failed(error)
      })
      queueMicrotask(() => {
        if (!isOver) events.opened()
      })
    } catch (error) {
      failed(error as Failure)
    }
    return {
      write(bytes, descriptors = []) {
        if (isOver || channel === undefined) return
        const sent = typeof bytes === 'string' ? utf8(bytes) : bytes
        try {
          if (binding.write(channel, sent, descriptors) < sent.length)
            end(new HalError('EBUSY', `${path}: the other side does not take the bytes`))
        } catch (error) {
          failed(error as Failure)
        }
      },
      close: () => end()
    }
  }
}
