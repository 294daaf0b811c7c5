import { openLldp } from '#hal/native'
import { ledIndicator, ledOptions } from './indicators.ts'
import { type NetdevOptions, netdevOptions, netdevPort } from './ports.ts'
import { hwmonPowerLimit, hwmonPowerLimitOptions, powercapLimit, powercapOptions } from './power-limit.ts'
import { hwmonOptions, hwmonSensors } from './sensors.ts'

/** Back ends that the kernel's drivers show in sysfs: see `hal/backends.ts`. */
export const sysfsBackends = {
  indicator: {
    leds: { options: ledOptions, open: ledIndicator }
  },
  port: {
    netdev: { options: netdevOptions, open: (options: NetdevOptions) => netdevPort(options, openLldp) }
  },
  powerLimit: {
    hwmon: { options: hwmonPowerLimitOptions, open: hwmonPowerLimit },
    powercap: { options: powercapOptions, open: powercapLimit }
  },
  sensors: {
    hwmon: { options: hwmonOptions, open: hwmonSensors }
  }
}
