import { openFlash, openGpio } from '#hal/native'
import { type DurablePowerOptions, durablePower } from './durable-power.ts'
import { type FlashStoreOptions, flashStore, simStore } from './edk2/devices.ts'
import type { GpioPowerOptions } from './gpio/options.ts'
import { gpioPower } from './gpio/power.ts'
import { type QemuSystemOptions, qemuMachines } from './qemu/machines.ts'
import { simIndicator } from './sim/indicators.ts'
import { simMedia } from './sim/media.ts'
import { simPort } from './sim/ports.ts'
import { simPower } from './sim/power.ts'
import { simSensors } from './sim/sensors.ts'
import { ledIndicator } from './sysfs/indicators.ts'
import { netdevPort } from './sysfs/ports.ts'
import { hwmonSensors } from './sysfs/sensors.ts'

/** Of all services of the process: see `qemuMachines`. */
const machines = qemuMachines()

/** Every back end of each device, by the `type` that a board file gives it. The hosts differ in `#hal/native` only. */
export const backends = {
  power: {
    sim: simPower,
    qemu: (options: QemuSystemOptions) => durablePower(machines.power(options), options),
    gpio: (options: GpioPowerOptions & DurablePowerOptions) => durablePower(gpioPower(openGpio(), options), options)
  },
  indicator: { sim: simIndicator, leds: ledIndicator },
  nvram: { sim: simStore, edk2: (options: FlashStoreOptions) => flashStore(openFlash, options) },
  media: { sim: simMedia, qemu: machines.media },
  port: { sim: simPort, netdev: netdevPort },
  sensors: { sim: simSensors, hwmon: hwmonSensors }
}
