import { HalError, type HalErrorCode } from '../errors.ts'
import { checkRange, type Flash, type FlashOptions } from '../flash.ts'

declare const handle: unique symbol
/** An open device of the binding. */
type Handle = { [handle]: true }

/** The exports of flash_binding.c. Errors have one of hal's codes in `code`. */
export interface FlashBinding {
  open(path: string, eraseSize: number, readOnly: boolean): FlashGeometry & { handle: Handle }
  read(handle: Handle, offset: number, buffer: Uint8Array): void
  program(handle: Handle, offset: number, bytes: Uint8Array): void
  erase(handle: Handle, offset: number, length: number): void
  eraseAsync(handle: Handle, offset: number, length: number): Promise<void>
  sync(handle: Handle): void
  close(handle: Handle): void
}

type FlashGeometry = Pick<Flash, 'size' | 'eraseSize' | 'writeSize'> & { kind: 'file' | 'mtd' }

/**
 * Opens the flash behind `path`: a plain file that is used like a NOR flash, or an MTD character device.
 *
 * @throws {HalError} `ENODEV` without a device, `EBUSY` when any process has it open already, `EACCES` when
 *   this process may not, `EINVAL` when the file's size is not a multiple of `eraseSize`.
 */
export function openFlash(binding: FlashBinding, path: string, options: FlashOptions = {}): Flash {
  const tried = (operation: string, error: unknown) => {
    const { code, message } = error as { code: HalErrorCode; message: string }
    const text = operation === 'open' && code === 'EINVAL' ? 'its size is not whole erase blocks' : message
    return new HalError(code, `${path}: ${operation}: ${text}`, { cause: error })
  }
  const attempt = <Result>(operation: string, action: () => Result): Result => {
    try {
      return action()
    } catch (error) {
      throw tried(operation, error)
    }
  }
  const { eraseSize = 0, readOnly = false } = options
  const { handle, ...geometry } = attempt('open', () => binding.open(path, eraseSize, readOnly))

  return {
    ...geometry,
    read(offset, length) {
      checkRange(geometry, offset, length, 1)
      const buffer = new Uint8Array(length)
      attempt('read', () => binding.read(handle, offset, buffer))
      return buffer
    },
    program(offset, bytes) {
      attempt('program', () => binding.program(handle, offset, bytes))
    },
    erase(offset, length) {
      attempt('erase', () => binding.erase(handle, offset, length))
    },
    async eraseAsync(offset, length) {
      try {
        await binding.eraseAsync(handle, offset, length)
      } catch (error) {
        throw tried('erase', error)
      }
    },
    sync() {
      attempt('sync', () => binding.sync(handle))
    },
    close() {
      attempt('close', () => binding.close(handle))
    }
  }
}
