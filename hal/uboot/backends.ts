import { openFlash } from '#hal/native'
import { type UbootOptions, ubootFirmware, ubootOptions } from './firmware.ts'

/** Back ends of U-Boot: see `hal/backends.ts`. */
export const ubootBackends = {
  firmware: {
    uboot: { options: ubootOptions, open: (options: UbootOptions) => ubootFirmware(openFlash, options) }
  }
}
