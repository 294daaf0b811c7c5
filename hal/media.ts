import { statSync } from 'node:fs'
import { HalError } from './errors.ts'

/** One drive for removable media that a host sees. It can only be read. */
export interface Media {
  /** The path of the image that is in the drive. From memory: cheap, never fails. */
  readonly image: string | undefined

  /**
   * Resolves when the host sees the image, in place of what was there before. The file is in use until it is ejected.
   *
   * @param image path of a file
   * @throws {HalError} `EINVAL` for a file that is no image, `EIO` and `ETIMEDOUT` when the drive fails, `ENODEV` after
   *   `close`. What was there before then still is.
   */
  insert(image: string): Promise<void>

  /**
   * Resolves when the drive is empty, whether the host agrees or not.
   *
   * @throws {HalError} `EIO`, `ETIMEDOUT`, `ENODEV` after `close`
   */
  eject(): Promise<void>

  /** Lets go of the drive. What is in it stays there. */
  close(): Promise<void>
}

/** The block size of an optical disc (ECMA-130), in bytes. */
const sector = 2048

/** @throws {HalError} `EINVAL` for what is no file of whole sectors @param drive named in the message */
export function checkImage(drive: string, path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new HalError('EINVAL', `${drive}: there is no such file`)
  if (found.isFile() && found.size > 0 && found.size % sector === 0) return
  throw new HalError('EINVAL', `${drive}: it is not an image: its size is not a multiple of ${sector} bytes`)
}
