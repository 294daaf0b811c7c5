import { concatenated, viewOf } from '#runtime/base/bytes.ts'
import { HalError } from '../errors.ts'
import { devicePathEnd } from './device-path.ts'
import { readText, textBytes } from './text.ts'

/** Bits of a load option's attributes (UEFI 2.10, 3.1.3). */
export const bootAttribute = {
  active: 0x1,
  forceReconnect: 0x2,
  hidden: 0x8,
  category: 0x1f00,
  application: 0x100
} as const

/** The data of a `Boot####` variable: an EFI_LOAD_OPTION. */
export interface BootOption {
  readonly attributes: number
  readonly description: string
  /** See {@link devicePathText}. */
  readonly devicePath: Uint8Array
  /** Of no meaning to firmware: given to what it loads. */
  readonly optionalData: Uint8Array
}

const headerSize = 6

/** @throws {HalError} `EINVAL` for what is no load option */
export function readBootOption(bytes: Uint8Array): BootOption {
  const refuse = (reason: string) => new HalError('EINVAL', `boot option: ${reason}`)
  if (bytes.length < headerSize) throw refuse(`it has ${bytes.length} bytes`)
  const view = viewOf(bytes)
  const description = readText(bytes, headerSize, bytes.length)
  if (description === undefined) throw refuse('its description does not end')
  const start = headerSize + 2 * description.length + 2
  const end = start + view.getUint16(4, true)
  if (end > bytes.length) throw refuse(`its device path ends at ${end} of ${bytes.length} bytes`)
  const devicePath = bytes.slice(start, end)
  if (devicePathEnd(devicePath) === undefined) throw refuse('its device path does not end')
  return { attributes: view.getUint32(0, true), description, devicePath, optionalData: bytes.slice(end) }
}

/** @throws {HalError} `EINVAL` for a description with a NUL or a device path without an end */
export function writeBootOption({ attributes, description, devicePath, optionalData }: BootOption): Uint8Array {
  if (description.includes('\0')) throw new HalError('EINVAL', 'boot option: its description contains a NUL')
  if (devicePathEnd(devicePath) === undefined || devicePath.length > 0xffff) {
    throw new HalError('EINVAL', 'boot option: its device path does not end')
  }
  const bytes = concatenated([new Uint8Array(headerSize), textBytes(description), devicePath, optionalData])
  const view = viewOf(bytes)
  view.setUint32(0, attributes, true)
  view.setUint16(4, devicePath.length, true)
  return bytes
}

/**
 * The numbers of boot options in `BootOrder`, or the one in `BootNext` (UEFI 2.10, 3.3).
 *
 * @throws {HalError} `EINVAL` for half a number
 */
export function readBootNumbers(bytes: Uint8Array): number[] {
  if (bytes.length % 2)
    throw new HalError('EINVAL', `boot order: ${bytes.length} bytes are not a list of 16-bit numbers`)
  const view = viewOf(bytes)
  return Array.from({ length: bytes.length / 2 }, (_, i) => view.getUint16(2 * i, true))
}

export function writeBootNumbers(numbers: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(2 * numbers.length)
  const view = viewOf(bytes)
  numbers.forEach((number, i) => {
    view.setUint16(2 * i, number, true)
  })
  return bytes
}
