import { simStore, simStoreOptions } from '../edk2/devices.ts'
import { simConsole, simConsoleOptions } from './console.ts'
import { simFirmware, simFirmwareOptions } from './firmware.ts'
import { simIndicator, simIndicatorOptions } from './indicators.ts'
import { simMedia, simMediaOptions } from './media.ts'
import { simPort, simPortOptions } from './ports.ts'
import { simPostCodes, simPostCodesOptions } from './post-codes.ts'
import { simPower, simPowerOptions } from './power.ts'
import { simPowerLimit, simPowerLimitOptions } from './power-limit.ts'
import { simSensors, simSensorsOptions } from './sensors.ts'

/** Back ends of simulated machines: see `hal/backends.ts`. */
export const simBackends = {
  power: {
    sim: { options: simPowerOptions, open: simPower }
  },
  indicator: {
    sim: { options: simIndicatorOptions, open: simIndicator }
  },
  nvram: {
    sim: { options: simStoreOptions, open: simStore }
  },
  media: {
    sim: { options: simMediaOptions, open: simMedia }
  },
  console: {
    sim: { options: simConsoleOptions, open: simConsole }
  },
  postCodes: {
    sim: { options: simPostCodesOptions, open: simPostCodes }
  },
  firmware: {
    sim: { options: simFirmwareOptions, open: simFirmware }
  },
  port: {
    sim: { options: simPortOptions, open: simPort }
  },
  powerLimit: {
    sim: { options: simPowerLimitOptions, open: simPowerLimit }
  },
  sensors: {
    sim: { options: simSensorsOptions, open: simSensors }
  }
}
