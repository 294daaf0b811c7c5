import { openGpio } from '#hal/native'
import { type DurablePowerOptions, durablePower } from '../durable-power.ts'
import { type GpioPowerOptions, gpioPowerOptions } from './options.ts'
import { gpioPower } from './power.ts'

/** Back ends that use GPIO: see `hal/backends.ts`. */
export const gpioBackends = {
  power: {
    gpio: {
      options: gpioPowerOptions,
      open: (options: GpioPowerOptions & DurablePowerOptions) => durablePower(gpioPower(openGpio(), options), options)
    }
  }
}
