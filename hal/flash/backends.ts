import { openFlash } from '#hal/native'
import { type FlashStoreOptions, flashStore, flashStoreOptions } from '../edk2/devices.ts'
import { type FlashFirmwareOptions, flashFirmware, flashFirmwareOptions } from './firmware.ts'
import { sharedFlash } from './part.ts'

const flashes = sharedFlash(openFlash)

/** Back ends in flash: see `hal/backends.ts`. */
export const flashBackends = {
  nvram: {
    edk2: { options: flashStoreOptions, open: (options: FlashStoreOptions) => flashStore(flashes, options) }
  },
  firmware: {
    flash: {
      options: flashFirmwareOptions,
      open: (options: FlashFirmwareOptions) => flashFirmware(flashes, options)
    }
  }
}
