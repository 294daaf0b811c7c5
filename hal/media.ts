import { statSync } from 'node:fs'
import { HalError } from './errors.ts'

/** One drive for removable media that a host sees. It can only be read. */
export interface Media {
  /** The image that is in the drive, as it was inserted. From memory: cheap, never fails. */
  readonly image: string | undefined

  /**
   * Resolves when the host sees the image, in place of the previous one. It is in use until it is ejected.
   *
   * @param image path of a file, or what `imageAt` returns: the drive then reads from that socket when the host reads,
   *   and reconnects if the connection has ended
   * @throws {HalError} `EINVAL` for a file that is no image, `EIO` and `ETIMEDOUT` when the drive fails, `ENODEV` after
   *   `close`. The previous image then remains.
   */
  insert(image: string): Promise<void>

  /**
   * Resolves when the drive is empty, whether the host agrees or not.
   *
   * @throws {HalError} `EIO`, `ETIMEDOUT`, `ENODEV` after `close`
   */
  eject(): Promise<void>

  /** Releases the drive. Its image stays in it. */
  close(): Promise<void>
}

/** The block size of an optical disc (ECMA-130), in bytes. */
export const sector = 2048

const overSocket = 'nbd+unix:///?socket='

/** The image that a server of network block devices (NBD) exports at the path of a socket, as NBD's URI. */
export function imageAt(socket: string): string {
  return `${overSocket}${encodeURIComponent(socket)}`
}

/** The path of the socket; undefined for the path of a file. */
export function socketOf(image: string): string | undefined {
  return image.startsWith(overSocket) ? decodeURIComponent(image.slice(overSocket.length)) : undefined
}

/** @throws {HalError} `EINVAL` for what is no file of whole sectors @param drive named in the message */
export function checkImage(drive: string, path: string): void {
  if (socketOf(path) !== undefined) return
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new HalError('EINVAL', `${drive}: there is no such file`)
  if (found.isFile() && found.size > 0 && found.size % sector === 0) return
  throw new HalError('EINVAL', `${drive}: it is not an image: its size is not a multiple of ${sector} bytes`)
}
