/** `#hal/native` in the binary: the same bindings, linked in. */

import channel from 'minnow:channel'
import flash from 'minnow:flash'
import gpio from 'minnow:gpio'
import lldp from 'minnow:lldp'
import tty from 'minnow:tty'
import type { Flash, FlashOptions } from '#hal/flash.ts'
import type { Gpio } from '#hal/gpio/gpio.ts'
import { openChannelBy } from '#hal/native/channel.ts'
import { openFlash as openWith } from '#hal/native/flash.ts'
import { gpioOf } from '#hal/native/gpio.ts'
import { openLldpBy } from '#hal/native/lldp.ts'
import { adoptTtyBy, openTtyBy } from '#hal/native/tty.ts'

export function openFlash(path: string, options?: FlashOptions): Flash {
  return openWith(flash, path, options)
}

export function openGpio(): Gpio {
  return gpioOf(gpio)
}

export const openChannel = openChannelBy(channel)

export const openLldp = openLldpBy(lldp)

export const openTty = openTtyBy(tty)

export const adoptTty = adoptTtyBy(tty)
