import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { OpenChannel } from '../dbus/channel.ts'
import { HalError } from '../errors.ts'
import type { Flash, FlashOptions } from '../flash.ts'
import type { Gpio } from '../gpio/gpio.ts'
import type { AdoptTty, OpenTty } from '../tty/tty.ts'
import { type ChannelBinding, openChannelBy } from './channel.ts'
import { type FlashBinding, openFlash as openWith } from './flash.ts'
import { type GpioBinding, gpioOf } from './gpio.ts'
import { type LldpBinding, type OpenLldp, openLldpBy } from './lldp.ts'
import { adoptTtyBy, openTtyBy, type TtyBinding } from './tty.ts'

/** {@link openWith} by the addon. @throws {HalError} also `ENODEV` when the addon was not built. */
export function openFlash(path: string, options?: FlashOptions): Flash {
  return openWith(load<FlashBinding>('flash'), path, options)
}

/** {@link gpioOf} the addon. @throws {HalError} `ENODEV` when the addon was not built. */
export function openGpio(): Gpio {
  return gpioOf(load<GpioBinding>('gpio'))
}

/** {@link openChannelBy} the addon. @throws {HalError} also `ENODEV` when the addon was not built. */
export const openChannel: OpenChannel = (...args) => openChannelBy(load<ChannelBinding>('channel'))(...args)

/** {@link openTtyBy} the addon. @throws {HalError} also `ENODEV` when the addon was not built. */
export const openTty: OpenTty = (...args) => openTtyBy(load<TtyBinding>('tty'))(...args)

/** {@link adoptTtyBy} the addon. @throws {HalError} also `ENODEV` when the addon was not built. */
export const adoptTty: AdoptTty = (...args) => adoptTtyBy(load<TtyBinding>('tty'))(...args)

/** {@link openLldpBy} the addon. @throws {HalError} also `ENODEV` when the addon was not built. */
export const openLldp: OpenLldp = (...args) => openLldpBy(load<LldpBinding>('lldp'))(...args)

/**
 * Addons are in `native/` beside the bundle, or in the folder MINNOW_NATIVE. They are loaded when first used, so that a
 * machine without a C compiler runs everything that does not need them.
 */
function load<Binding>(name: string): Binding {
  const folder = process.env.MINNOW_NATIVE ?? fileURLToPath(new URL('native', import.meta.url))
  const path = `${folder}/${name}.node`
  if (!existsSync(path)) {
    throw new HalError('ENODEV', `${path}: the native parts are not built: npm run build says what is missing`)
  }
  return createRequire(import.meta.url)(path) as Binding
}
